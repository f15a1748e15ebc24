use anyhow::Result;
use clap::{ArgGroup, Args};
use gatepost_client::{ChangedSubscription, FilterChange, SubscriptionChange};

use super::filter_of;
use super::request_file::RequestFile;
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;

/// Change the URL, the events, the filter or the description of a subscription
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, group = ArgGroup::new("change").required(true).multiple(true))]
pub(super) struct Arguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    /// The new URL, to which waiting deliveries go as well
    #[arg(long, value_name = "URL", group = "change")]
    url: Option<String>,
    /// Replaces all event types and patterns; repeatable
    #[arg(long = "event", value_name = "PATTERN", group = "change")]
    events: Option<Vec<String>>,
    /// Which of these events to send, by their content: JSON, @FILE or standard input (-)
    #[arg(long, value_name = "JSON", group = "change")]
    filter: Option<String>,
    /// Send all of these events, whatever their content
    #[arg(long, group = "change", conflicts_with = "filter")]
    no_filter: bool,
    /// The description: up to 1,000 characters
    #[arg(long, value_name = "TEXT", group = "change")]
    description: Option<String>,
    #[command(flatten)]
    request: RequestFile,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --url http://127.0.0.1:9000/new --user alice
  gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --event 'invoice.*' --event order.created --user alice
  echo '{\"headers\": {\"x-tenant\": null}, \"auth\": null}' \\
    | gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --request - --user alice";

/// Changes a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { subscription_id, url, events, filter, no_filter, description, request, owner } = arguments;
    let filter = match filter {
        Some(filter) => FilterChange::Set(filter_of(filter)?),
        None if no_filter => FilterChange::Remove,
        None => FilterChange::Keep,
    };
    let options = request.read()?;
    let change = SubscriptionChange { url, events, filter, description, enabled: None, options };
    let changed = change_subscription(&subscription_id, &change, &owner, connection).await?;
    let reply = Reply::new(&changed.subscription, format!("{subscription_id} is changed"))?;
    Ok(match changed.dropped.as_slice() {
        [] => reply,
        dropped => reply.remarking(format!("The URL has another origin, so these are removed: {}", dropped.join(", "))),
    })
}

/// Changes a subscription, and returns it.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn change_subscription(
    id: &str,
    change: &SubscriptionChange,
    owner: &Owner,
    connection: &Connection,
) -> Result<ChangedSubscription> {
    let consumer = connection.consumer(owner).await?;
    connection.heard(consumer.change_subscription(id, change).await)
}
