//! The subscriptions of an owner.

use std::time::Duration;

use anyhow::Result;
use clap::{ArgGroup, Args};
use gatepost_client::{
    Attempt, ChangedSubscription, Client, FoundSubscription, NewSubscription, Patch, Recovery, Subscription,
    SubscriptionCertificate, SubscriptionChange, SubscriptionHealth,
};

use super::request_file::RequestFile;
use super::{ConfirmedTarget, Target, filter_of, with_secret};
use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::table::named_lines;
use crate::times::{duration, past, shown};

/// Which signatures webhooks carry.
pub(crate) const SIGNING: [&str; 3] = ["hmac", "ed25519", "both"];
const ON_EXHAUSTED: [&str; 2] = ["skip", "stop"];

pub(super) const LIST_EXAMPLES: &str = "\
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
pub(super) async fn list(owner: &Owner, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(owner).await?;
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

pub(super) const SHOW_EXAMPLES: &str = "\
Examples:
  gatepost webhooks show sub_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks show sub_01h455vb4pex5vsknk084sn02q --user alice --json \\
    | jq -r .health.state";

/// Prints a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn show(arguments: &Target, connection: &Connection) -> Result<Reply> {
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
        ("max per second", subscription.max_per_second.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("order", subscription.on_exhausted.clone().unwrap_or_default()),
        ("auth", subscription.auth.as_ref().map(|auth| auth.r#type.clone()).unwrap_or_default()),
        ("client certificate", subscription.client_certificate.as_ref().map(certificate).unwrap_or_default()),
        ("signing", subscription.signing.clone().unwrap_or_default()),
        ("public keys", subscription.public_keys.join(" ")),
        ("created", shown(&subscription.created_at)),
        ("updated", shown(&subscription.updated_at)),
    ])
}

fn headers(subscription: &Subscription) -> String {
    let names: Vec<&str> = subscription.headers.iter().map(|header| header.name.as_str()).collect();
    names.join(" ")
}

fn certificate(certificate: &SubscriptionCertificate) -> String {
    let SubscriptionCertificate { subject, expires_at, fingerprint, .. } = certificate;
    format!("{subject}, expires {}, {fingerprint}", shown(expires_at))
}

fn attempt(attempt: &Attempt) -> String {
    let outcome = attempt.error.as_deref().unwrap_or("succeeded");
    let status = attempt.status.map(|status| format!(" with status {status}")).unwrap_or_default();
    format!("{outcome}{status}, {}, {} ms", shown(&attempt.started_at), attempt.duration_ms)
}

/// Subscribe a URL and print its signing secret, which is the only time that it is shown; or make a log of events
#[derive(Debug, Args)]
#[command(before_help = CREATE_EXAMPLES)]
pub(super) struct CreateArguments {
    /// The URL: https, or, where `gatepost dev` runs, http on this machine
    #[arg(required_unless_present = "pull")]
    url: Option<String>,
    /// Keep the events in a log for `gatepost pull`, instead of sending them to a URL; print the id of the subscription
    #[arg(long, conflicts_with_all = ["url", "signing", "max_per_second", "in_order", "request"])]
    pull: bool,
    /// An event type, a pattern such as invoice.*, or * for all events; repeatable
    #[arg(long = "event", value_name = "PATTERN", required = true)]
    events: Vec<String>,
    /// Which of these events to send, by their content: JSON, @FILE or standard input (-)
    #[arg(long, value_name = "JSON")]
    filter: Option<String>,
    /// The description: up to 1,000 characters
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Sign with a secret (hmac, the default), with a key pair (ed25519), or with both; with ed25519, print the public key
    #[arg(long, value_name = "KIND", value_parser = SIGNING)]
    signing: Option<String>,
    /// The most deliveries in a second, retries included: 0.1 to 1000
    #[arg(long, value_name = "NUMBER", value_parser = rate)]
    max_per_second: Option<f64>,
    /// Send one delivery after the other, in the order of publication; when the attempts of one are used up, send the next
    /// one (skip), or disable the subscription (stop)
    #[arg(long, value_name = "RULE", value_parser = ON_EXHAUSTED)]
    in_order: Option<String>,
    #[command(flatten)]
    request: RequestFile,
    #[command(flatten)]
    owner: Owner,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks create http://127.0.0.1:9000/hook --event '*' --user alice
  gatepost webhooks create https://example.com/hook --event 'invoice.*' \\
    --event order.created --user alice > secret
  gatepost webhooks create http://127.0.0.1:9000/hook --event 'invoice.*' \\
    --filter '{\"path\":\"/data/amount\",\"op\":\"gte\",\"value\":100}' --user alice
  gatepost webhooks create http://127.0.0.1:9000/hook --event '*' \\
    --signing ed25519 --user alice
  gatepost webhooks create http://127.0.0.1:9000/hook --event 'invoice.*' \\
    --in-order stop --user alice
  gatepost webhooks create --pull --event 'invoice.*' --user alice
  gatepost webhooks create https://example.com/hook --event '*' --user alice \\
    --request request.json

with {\"headers\": {\"x-tenant\": \"42\"}, \"auth\": {\"type\": \"bearer\", \"token\": \"...\"}}
in request.json.";

/// Subscribes a URL and prints its secret, or makes a log and prints its id.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn create(arguments: CreateArguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let options = arguments.request.read()?;
    let new = match arguments.url {
        Some(url) => NewSubscription::new(url, arguments.events),
        None => NewSubscription::pull(arguments.events),
    };
    let mut new = new.with_options(options);
    new = arguments.filter.map(filter_of).transpose()?.into_iter().fold(new, NewSubscription::filtered_by);
    new = arguments.description.into_iter().fold(new, NewSubscription::described_as);
    new = arguments.signing.into_iter().fold(new, NewSubscription::signed_by);
    new = arguments.max_per_second.into_iter().fold(new, NewSubscription::at_most);
    new = arguments.in_order.into_iter().fold(new, NewSubscription::in_order);
    let created = connection.heard(consumer.create_subscription(&new).await)?;
    if arguments.pull {
        let reply = Reply::new(&member("subscription", &created.subscription), created.subscription.id.as_str())?;
        return Ok(reply.remarking("`gatepost pull` and this id fetch its events"));
    }
    with_secret(&created, "is created. Its secret is shown only this once.", "is created. Its public key is shown.")
}

/// Change the URL, the events, the filter, the rate or the description of a subscription
#[derive(Debug, Args)]
#[command(before_help = UPDATE_EXAMPLES, group = ArgGroup::new("change").required(true).multiple(true))]
pub(super) struct UpdateArguments {
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
    /// The most deliveries in a second, retries included: 0.1 to 1000
    #[arg(long, value_name = "NUMBER", value_parser = rate, group = "change")]
    max_per_second: Option<f64>,
    /// Send as many as the receiver takes
    #[arg(long, group = "change", conflicts_with = "max_per_second")]
    no_max_per_second: bool,
    /// In an order, when the attempts of a delivery are used up: send the next one (skip), or disable the subscription (stop)
    #[arg(long, value_name = "RULE", value_parser = ON_EXHAUSTED, group = "change")]
    in_order: Option<String>,
    /// The description: up to 1,000 characters
    #[arg(long, value_name = "TEXT", group = "change")]
    description: Option<String>,
    #[command(flatten)]
    request: RequestFile,
    #[command(flatten)]
    owner: Owner,
}

const UPDATE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --url http://127.0.0.1:9000/new --user alice
  gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --event 'invoice.*' --event order.created --user alice
  gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --max-per-second 5 --user alice
  echo '{\"headers\": {\"x-tenant\": null}, \"auth\": null}' \\
    | gatepost webhooks update sub_01h455vb4pex5vsknk084sn02q \\
    --request - --user alice";

/// Changes a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn update(arguments: UpdateArguments, connection: &Connection) -> Result<Reply> {
    let UpdateArguments { subscription_id, url, events, description, request, owner, .. } = arguments;
    let filter = patch(arguments.filter.map(filter_of).transpose()?, arguments.no_filter);
    let max_per_second = patch(arguments.max_per_second, arguments.no_max_per_second);
    let (options, on_exhausted) = (request.read()?, arguments.in_order);
    let unchanged = SubscriptionChange::default();
    let change = SubscriptionChange { url, events, filter, description, max_per_second, ..unchanged };
    let change = SubscriptionChange { on_exhausted, options, ..change };
    let changed = change_subscription(&subscription_id, &change, &owner, connection).await?;
    let reply = Reply::new(&changed.subscription, format!("{subscription_id} is changed"))?;
    Ok(match changed.dropped.as_slice() {
        [] => reply,
        dropped => reply.remarking(format!("The URL has another origin, so these are removed: {}", dropped.join(", "))),
    })
}

fn patch<New>(new: Option<New>, is_reset: bool) -> Patch<New> {
    let without = if is_reset { Patch::Reset } else { Patch::Keep };
    new.map_or(without, Patch::Set)
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

pub(super) const ENABLE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks enable sub_01h455vb4pex5vsknk084sn02q --user alice";
pub(super) const DISABLE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks disable sub_01h455vb4pex5vsknk084sn02q --user alice --yes";

/// Enables a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn enable(target: &Target, connection: &Connection) -> Result<Reply> {
    set(target, true, connection).await
}

/// Disables a subscription.
///
/// # Errors
///
/// Without consent, or when the call fails.
pub(super) async fn disable(arguments: &ConfirmedTarget, connection: &Connection) -> Result<Reply> {
    let id = &arguments.target.subscription_id;
    let what = format!("disable {id} and end its waiting deliveries as failed");
    arguments.consent.ask(&what, "`gatepost webhooks recover` undoes it.", connection)?;
    set(&arguments.target, false, connection).await
}

async fn set(target: &Target, enabled: bool, connection: &Connection) -> Result<Reply> {
    let (id, change) = (&target.subscription_id, SubscriptionChange { enabled: Some(enabled), ..Default::default() });
    let changed = change_subscription(id, &change, &target.owner, connection).await?;
    Reply::new(&changed.subscription, format!("{id} is {}", if enabled { "enabled" } else { "disabled" }))
}

/// Replace the signing secret of a subscription and print the new one, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = ROTATE_SECRET_EXAMPLES)]
pub(super) struct RotateSecretArguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    /// How long the old secret signs as well, such as 30m or 1d, at most 7d
    #[arg(long, value_name = "DURATION", default_value = "1d", value_parser = duration)]
    overlap: Duration,
    /// From now on, sign with a secret, with a key pair or with both; the default is as before
    #[arg(long, value_name = "KIND", value_parser = SIGNING)]
    signing: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const ROTATE_SECRET_EXAMPLES: &str = "\
Examples:
  gatepost webhooks rotate-secret sub_01h455vb4pex5vsknk084sn02q \\
    --user alice > secret
  gatepost webhooks rotate-secret sub_01h455vb4pex5vsknk084sn02q \\
    --overlap 30m --user alice > secret
  gatepost webhooks rotate-secret sub_01h455vb4pex5vsknk084sn02q \\
    --signing ed25519 --user alice";

/// Rotates a secret or a key pair, and prints the new secret or the new public key.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn rotate_secret(arguments: &RotateSecretArguments, connection: &Connection) -> Result<Reply> {
    let id = &arguments.subscription_id;
    let consumer = connection.consumer(&arguments.owner).await?;
    let overlap = Some(arguments.overlap);
    let rotated = match &arguments.signing {
        None => consumer.rotate_webhook_secret(id, None, overlap).await,
        Some(signing) => consumer.change_webhook_signing(id, signing, None, overlap).await,
    };
    let rotated = connection.heard(rotated)?;
    with_secret(&rotated, "has a new secret, which is shown only this once.", "has a new public key, which is shown.")
}

/// Enable a subscription, and send again what failed, waits or was missed since a time
#[derive(Debug, Args)]
#[command(before_help = RECOVER_EXAMPLES)]
pub(super) struct RecoverArguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    /// Only events published at this time or later: 2026-11-21T00:00:00Z, or 2h for two hours ago
    #[arg(long, value_name = "TIME", value_parser = past)]
    since: String,
    /// Only failed and waiting deliveries, or only deliveries that were missed while the subscription was disabled
    #[arg(long, value_name = "WHAT", value_parser = ["failed", "missed", "all"])]
    what: Option<String>,
    /// Only events of this type, or of a pattern such as invoice.*; repeatable
    #[arg(long = "event", value_name = "PATTERN")]
    events: Option<Vec<String>>,
    /// Only count the deliveries, up to 10,000, without any change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    owner: Owner,
}

const RECOVER_EXAMPLES: &str = "\
Examples:
  gatepost webhooks recover sub_01h455vb4pex5vsknk084sn02q --since 2h \\
    --user alice
  gatepost webhooks recover sub_01h455vb4pex5vsknk084sn02q \\
    --since 2026-11-21T00:00:00Z --what missed --user alice";

/// Recovers a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn recover(arguments: &RecoverArguments, connection: &Connection) -> Result<Reply> {
    let RecoverArguments { subscription_id: id, since, what, events, dry_run, owner } = arguments;
    let recovery = Recovery { since, what: what.as_deref(), events: events.as_deref() };
    let consumer = connection.consumer(owner).await?;
    let (deliveries, said) = if *dry_run {
        (connection.heard(consumer.count_recoverable(id, &recovery).await)?, "would have these deliveries due now:")
    } else {
        (
            connection.heard(consumer.recover_subscription(id, &recovery).await)?,
            "is enabled, and these deliveries are due now:",
        )
    };
    Reply::new(&member("deliveries", deliveries), format!("{id} {said} {deliveries}"))
}

pub(super) const DELETE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks delete sub_01h455vb4pex5vsknk084sn02q --user alice --yes";

/// Deletes a subscription.
///
/// # Errors
///
/// Without consent, or when the call fails.
pub(super) async fn delete(arguments: &ConfirmedTarget, connection: &Connection) -> Result<Reply> {
    let id = arguments.target.subscription_id.as_str();
    arguments.consent.get(&format!("delete {id} and cancel its waiting deliveries"), connection)?;
    let consumer = connection.consumer(&arguments.target.owner).await?;
    connection.heard(consumer.delete_subscription(id).await)?;
    Reply::new(&member("deleted", id), format!("{id} is deleted"))
}

/// A number. JSON has no other ones: the service would remove the rate.
fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "must be a number from 0.1 to 1000".to_owned())
}
