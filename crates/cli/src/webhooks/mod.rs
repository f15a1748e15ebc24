//! `gatepost webhooks`.

mod deliveries;
mod figures;
mod request_file;
pub(crate) mod subscriptions;
mod trials;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use gatepost_client::{PayloadFilter, Subscription, SubscriptionWithSecret, WebhookSecret};
use serde::Serialize;

use crate::connection::Connection;
use crate::consent::Consent;
use crate::json_argument::json_of;
use crate::output::Reply;
use crate::owner::Owner;

/// The arguments of `gatepost webhooks`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT, subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the subscriptions of a user, newest first
    #[command(before_help = subscriptions::LIST_EXAMPLES)]
    List(Owner),
    Create(subscriptions::CreateArguments),
    /// Show a subscription and its health
    #[command(before_help = subscriptions::SHOW_EXAMPLES)]
    Show(Target),
    Update(subscriptions::UpdateArguments),
    /// Send webhooks to a subscription again, also if Gatepost had disabled it
    #[command(before_help = subscriptions::ENABLE_EXAMPLES)]
    Enable(Target),
    /// Send no webhooks to a subscription; its waiting deliveries end as failed, and `recover` sends them again
    #[command(before_help = subscriptions::DISABLE_EXAMPLES)]
    Disable(ConfirmedTarget),
    RotateSecret(subscriptions::RotateSecretArguments),
    Recover(subscriptions::RecoverArguments),
    /// Delete a subscription and cancel its waiting deliveries
    #[command(before_help = subscriptions::DELETE_EXAMPLES)]
    Delete(ConfirmedTarget),
    /// Send an event of the type webhook.test to one subscription
    #[command(before_help = trials::TEST_EXAMPLES)]
    Test(Target),
    TestUrl(trials::TestUrlArguments),
    TestFilter(trials::TestFilterArguments),
    Deliveries(deliveries::ListArguments),
    Delivery(deliveries::ShowArguments),
    Retry(deliveries::RetryArguments),
    Failures(figures::FailuresArguments),
    RetryFailures(figures::RetryFailuresArguments),
    Cancel(deliveries::CancelArguments),
    Outcomes(figures::OutcomesArguments),
    Times(figures::TimesArguments),
}

// Not a doc comment: clap would show it as the help of the commands.
#[derive(Debug, Args)]
struct Target {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
}

// Not a doc comment either.
#[derive(Debug, Args)]
struct ConfirmedTarget {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    consent: Consent,
}

/// The JSON of a subscription with its secret.
#[derive(Serialize)]
struct CreatedAnswer<'a> {
    subscription: &'a Subscription,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks create http://127.0.0.1:9000/hook --event '*' --user alice
  gatepost webhooks list --user alice
  gatepost webhooks deliveries --state failed --user alice
  GATEPOST_API_KEY_FILE=key gatepost webhooks list

The first three work where `gatepost dev` runs.";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_API_KEY         an API key of the user who owns the webhooks
  GATEPOST_ID_TOKEN        an ID token of that user, used if no API key is set
  GATEPOST_OPERATOR_TOKEN  an operator token, for --for-user and --for-organization";

/// Runs an action on webhooks.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(arguments) => subscriptions::list(&arguments, connection).await,
        Action::Create(arguments) => subscriptions::create(arguments, connection).await,
        Action::Show(arguments) => subscriptions::show(&arguments, connection).await,
        Action::Update(arguments) => subscriptions::update(arguments, connection).await,
        Action::Enable(arguments) => subscriptions::enable(&arguments, connection).await,
        Action::Disable(arguments) => subscriptions::disable(&arguments, connection).await,
        Action::RotateSecret(arguments) => subscriptions::rotate_secret(&arguments, connection).await,
        Action::Recover(arguments) => subscriptions::recover(&arguments, connection).await,
        Action::Delete(arguments) => subscriptions::delete(&arguments, connection).await,
        Action::Test(arguments) => trials::test_subscription(&arguments, connection).await,
        Action::TestUrl(arguments) => trials::test_url(&arguments, connection).await,
        Action::TestFilter(arguments) => trials::test_filter(arguments, connection).await,
        Action::Deliveries(query) => deliveries::list(query, connection, arguments.json).await,
        Action::Delivery(arguments) => deliveries::show(&arguments, connection).await,
        Action::Retry(arguments) => deliveries::retry(&arguments, connection).await,
        Action::Failures(arguments) => figures::failures(&arguments, connection).await,
        Action::RetryFailures(arguments) => figures::retry_failures(arguments, connection).await,
        Action::Cancel(arguments) => deliveries::cancel(&arguments, connection).await,
        Action::Outcomes(arguments) => figures::outcomes(&arguments, connection).await,
        Action::Times(arguments) => figures::times(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}

/// The filter of an argument.
fn filter_of(given: String) -> Result<PayloadFilter> {
    Ok(PayloadFilter::from_json(json_of(given, "filter")?.get().to_owned())?)
}

/// A subscription with the secret that only this answer has. Standard output gets only the secret, so that a script can
/// pipe it, or the public key of a subscription without a secret.
///
/// The sentences say what happened, with a secret and without one.
fn with_secret(created: &SubscriptionWithSecret, with: &str, without: &str) -> Result<Reply> {
    let SubscriptionWithSecret { subscription, secret, .. } = created;
    let (secret, key) = (secret.as_ref().map(WebhookSecret::expose), subscription.public_keys.first());
    let words = secret.or(key.map(String::as_str)).context("the service answered without a secret")?;
    let reply = Reply::new(&CreatedAnswer { subscription, secret }, words)?;
    let reply = reply.remarking(format!("{} {}", subscription.id, if secret.is_some() { with } else { without }));
    // After a rotation to a secret alone, the only public key is the old one.
    Ok(match key.filter(|_| secret.is_some() && subscription.signing.is_some()) {
        Some(key) => reply.remarking(format!("Its public key is {key}")),
        None => reply,
    })
}
