use anyhow::Result;
use clap::Args;
use gatepost_client::{Client, Subscription};

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::times::shown;

/// List the subscriptions of a user, newest first
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks list --user alice
  GATEPOST_API_KEY_FILE=key gatepost webhooks list --json";

const LISTING: Listing<6> =
    Listing { items: "subscriptions", heads: ["ID", "STATE", "CREATED", "URL", "EVENTS", "DESCRIPTION"] };

/// Prints all pages of subscriptions: a user has at most `WEBHOOK_MAX_SUBSCRIPTIONS`.
///
/// # Errors
///
/// When a call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let subscriptions = all_subscriptions(&consumer, connection).await?;
    LISTING.of(&member("subscriptions", &subscriptions), subscriptions.iter().map(row))
}

/// All pages of the subscriptions of a user.
///
/// # Errors
///
/// When a call fails.
pub(crate) async fn all_subscriptions(consumer: &Client, connection: &Connection) -> Result<Vec<Subscription>> {
    let mut subscriptions = Vec::new();
    let mut cursor = None;
    loop {
        let page = connection.heard(consumer.list_subscriptions(cursor.as_deref()).await)?;
        subscriptions.extend(page.subscriptions);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(subscriptions);
        }
    }
}

fn row(subscription: &Subscription) -> [String; 6] {
    let Subscription { id, url, events, description, created_at, .. } = subscription;
    // A description may have several lines, but a row has one.
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    [id.clone(), state(subscription), shown(created_at), url.clone(), events.join(" "), description]
}

/// Whether it is enabled, and why not.
pub(super) fn state(subscription: &Subscription) -> String {
    match (subscription.enabled, &subscription.disabled_reason) {
        (true, _) => "enabled".to_owned(),
        (false, Some(reason)) if reason != "owner" => format!("disabled: {reason}"),
        (false, _) => "disabled".to_owned(),
    }
}
