//! `gatepost overview`.

use std::time::Duration;

use adapters_system::SystemClock;
use anyhow::Result;
use clap::Args;
use domain::Timestamp;
use domain::ports::Clock;
use gatepost_client::{ApiKey, Subscription};
use serde::Serialize;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::webhooks::subscriptions::all_subscriptions;

/// The arguments of `gatepost overview`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    owner: Owner,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost overview --user alice
  GATEPOST_ID_TOKEN_FILE=token gatepost overview --json";

/// A key that ends within this time is counted as expiring.
const SOON: Duration = Duration::from_hours(7 * 24);

/// Counts of a user's items, and of items that need attention.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Overview {
    active_keys: usize,
    expiring_keys: usize,
    enabled_subscriptions: usize,
    disabled_subscriptions: usize,
    failed_deliveries: u32,
    /// Whether `failed_deliveries` counts them all.
    is_complete: bool,
}

/// Prints the counts.
///
/// # Errors
///
/// When a call fails.
pub(crate) async fn run(arguments: &Arguments, connection: &Connection) -> Result<()> {
    let user = connection.user(&arguments.owner).await?;
    let keys = connection.heard(user.list_api_keys().await)?;
    let subscriptions = all_subscriptions(&user, connection).await?;
    let failures = connection.heard(user.list_failures(None).await)?;
    let failed_deliveries = failures.failures.iter().map(|group| group.deliveries).sum();
    let counted = counted(&keys, &subscriptions, SystemClock.now());
    let overview = Overview { failed_deliveries, is_complete: failures.is_complete, ..counted };
    Reply::new(&overview, overview.in_words(connection.url()))?.print(arguments.json)
}

/// Counts the keys and the subscriptions. Times of the service sort as strings.
fn counted(keys: &[ApiKey], subscriptions: &[Subscription], now: Timestamp) -> Overview {
    let (now, soon) = (now.to_string(), now.plus(SOON).to_string());
    let ends_by = |key: &ApiKey, time: &str| key.expires_at.as_deref().is_some_and(|at| at <= time);
    let is_active = |key: &&ApiKey| key.revoked_at.is_none() && !ends_by(key, &now);
    let enabled_subscriptions = subscriptions.iter().filter(|subscription| subscription.enabled).count();
    Overview {
        active_keys: keys.iter().filter(is_active).count(),
        expiring_keys: keys.iter().filter(is_active).filter(|key| ends_by(key, &soon)).count(),
        enabled_subscriptions,
        disabled_subscriptions: subscriptions.len() - enabled_subscriptions,
        failed_deliveries: 0,
        is_complete: true,
    }
}

impl Overview {
    fn in_words(&self, url: &str) -> String {
        let at_least = if self.is_complete { "" } else { "at least " };
        let Self {
            active_keys, expiring_keys, enabled_subscriptions, disabled_subscriptions, failed_deliveries, ..
        } = self;
        format!(
            "Gatepost      {url}\n\
             keys          {active_keys} active, {expiring_keys} of them end within 7 days\n\
             subscriptions {enabled_subscriptions} enabled, {disabled_subscriptions} disabled\n\
             deliveries    {at_least}{failed_deliveries} failed"
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_ended_is_not_active_and_one_that_ends_soon_is_expiring() {
        let key = |expires_at: &str, revoked_at: Option<&str>| -> ApiKey {
            let at = "2026-11-01T00:00:00.000Z";
            serde_json::from_value(json!({
                "id": "key_1", "label": "a", "prefix": "svc_live_", "createdAt": at, "lastUsedAt": null,
                "expiresAt": expires_at, "revokedAt": revoked_at,
            }))
            .unwrap()
        };
        let now = Timestamp::parse_rfc3339("2026-11-21T00:00:00Z").unwrap();
        let keys = [
            key("2026-11-20T00:00:00.000Z", None),
            key("2026-11-22T00:00:00.000Z", None),
            key("2026-12-22T00:00:00.000Z", None),
            key("2026-12-22T00:00:00.000Z", Some("2026-11-02T00:00:00.000Z")),
        ];
        let overview = counted(&keys, &[], now);
        assert_eq!((overview.active_keys, overview.expiring_keys), (2, 1));
    }
}
