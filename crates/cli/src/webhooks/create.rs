use anyhow::{Context, Result};
use clap::Args;
use gatepost_client::{NewSubscription, Subscription};
use serde::Serialize;

use crate::connection::Connection;
use crate::output::{answer, answer_json, remark};

/// Subscribe a URL, and print the secret that signs its webhooks: the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Where to send: an https URL, or, where `gatepost dev` runs, an http one of this machine
    url: String,
    /// What to send: an event type, a pattern such as invoice.*, or * for all; may be given several times
    #[arg(long = "event", value_name = "PATTERN", required = true)]
    events: Vec<String>,
    /// What to call it: up to 1,000 characters
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Whose webhooks: a user of the running `gatepost dev`
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks create http://127.0.0.1:9000/hook --event '*' --user alice
  gatepost webhooks create https://example.com/hook --event 'invoice.*' --event order.created > secret";

#[derive(Serialize)]
struct CreatedAnswer<'a> {
    subscription: &'a Subscription,
    secret: &'a str,
}

/// Subscribes a URL and prints its secret.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection, json: bool) -> Result<()> {
    let consumer = connection.consumer(arguments.user.as_deref()).await?;
    let mut new = NewSubscription::new(arguments.url, arguments.events);
    if let Some(description) = arguments.description {
        new = new.described_as(description);
    }
    let created = connection.heard(consumer.create_subscription(&new).await)?;
    let secret = created.secret.context("the service answered without a secret")?;
    if json {
        return Ok(answer_json(&CreatedAnswer { subscription: &created.subscription, secret: secret.expose() })?);
    }
    // Alone on standard output, so that it can be piped to where it belongs.
    answer(secret.expose())?;
    let id = &created.subscription.id;
    remark(&format!("{id} is created. This is the only time that its secret is shown."));
    Ok(())
}
