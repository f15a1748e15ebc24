use anyhow::Result;
use clap::Args;
use gatepost_client::{Attempt, FoundSubscription, Subscription, SubscriptionHealth};

use super::list::state;
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::table::named_lines;
use crate::times::shown;

/// Show a subscription and its health
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks show sub_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks show sub_01h455vb4pex5vsknk084sn02q --user alice --json \\
    | jq -r .health.state";

/// Prints a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let found = connection.heard(consumer.find_subscription(&arguments.subscription_id).await)?;
    Reply::new(&found, in_words(&found))
}

fn in_words(FoundSubscription { subscription, health, .. }: &FoundSubscription) -> String {
    let SubscriptionHealth { failing_since, waiting, last_attempt, .. } = health;
    named_lines(&[
        ("id", subscription.id.clone()),
        ("url", subscription.url.clone()),
        ("events", subscription.events.join(" ")),
        ("filter", subscription.filter.as_ref().map(|filter| filter.as_json().to_owned()).unwrap_or_default()),
        ("description", subscription.description.clone()),
        ("state", state(subscription)),
        (
            "health",
            health.reason.as_ref().map_or_else(|| health.state.clone(), |why| format!("{}: {why}", health.state)),
        ),
        ("failing since", failing_since.as_deref().map(shown).unwrap_or_default()),
        ("waiting", waiting.to_string()),
        ("last attempt", last_attempt.as_ref().map_or_else(|| "never".to_owned(), attempt)),
        ("headers", headers(subscription)),
        ("auth", subscription.auth.as_ref().map(|auth| auth.r#type.clone()).unwrap_or_default()),
        ("created", shown(&subscription.created_at)),
        ("updated", shown(&subscription.updated_at)),
    ])
}

fn headers(subscription: &Subscription) -> String {
    let names: Vec<&str> = subscription.headers.iter().map(|header| header.name.as_str()).collect();
    names.join(" ")
}

fn attempt(attempt: &Attempt) -> String {
    let outcome = attempt.error.as_deref().unwrap_or("succeeded");
    let status = attempt.status.map(|status| format!(" with status {status}")).unwrap_or_default();
    format!("{outcome}{status}, {}, {} ms", shown(&attempt.started_at), attempt.duration_ms)
}
