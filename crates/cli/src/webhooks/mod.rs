//! `gatepost webhooks`: one file for each action.

mod cancel;
mod create;
mod delete;
mod deliveries;
mod delivery;
mod enable;
mod failures;
mod follow;
pub(crate) mod list;
mod outcomes;
mod recover;
mod request_file;
mod retry;
mod retry_failures;
mod rotate_secret;
mod show;
mod test;
mod test_filter;
mod test_url;
mod times;
mod update;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use gatepost_client::{PayloadFilter, Subscription, SubscriptionWithSecret};
use serde::Serialize;

use crate::connection::Connection;
use crate::json_argument::json_of;
use crate::output::Reply;

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
    List(list::Arguments),
    Create(create::Arguments),
    Show(show::Arguments),
    Update(update::Arguments),
    Enable(enable::EnableArguments),
    Disable(enable::DisableArguments),
    RotateSecret(rotate_secret::Arguments),
    Recover(recover::Arguments),
    Delete(delete::Arguments),
    Test(test::Arguments),
    TestUrl(test_url::Arguments),
    TestFilter(test_filter::Arguments),
    Deliveries(deliveries::Arguments),
    Delivery(delivery::Arguments),
    Retry(retry::Arguments),
    Failures(failures::Arguments),
    RetryFailures(retry_failures::Arguments),
    Cancel(cancel::Arguments),
    Outcomes(outcomes::Arguments),
    Times(times::Arguments),
}

/// The JSON of a subscription with its secret.
#[derive(Serialize)]
struct CreatedAnswer<'a> {
    subscription: &'a Subscription,
    secret: &'a str,
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
        Action::List(arguments) => list::run(&arguments, connection).await,
        Action::Create(arguments) => create::run(arguments, connection).await,
        Action::Show(arguments) => show::run(&arguments, connection).await,
        Action::Update(arguments) => update::run(arguments, connection).await,
        Action::Enable(arguments) => enable::enable(&arguments, connection).await,
        Action::Disable(arguments) => enable::disable(&arguments, connection).await,
        Action::RotateSecret(arguments) => rotate_secret::run(&arguments, connection).await,
        Action::Recover(arguments) => recover::run(&arguments, connection).await,
        Action::Delete(arguments) => delete::run(&arguments, connection).await,
        Action::Test(arguments) => test::run(&arguments, connection).await,
        Action::TestUrl(arguments) => test_url::run(&arguments, connection).await,
        Action::TestFilter(arguments) => test_filter::run(arguments, connection).await,
        Action::Deliveries(query) => deliveries::run(query, connection, arguments.json).await,
        Action::Delivery(arguments) => delivery::run(&arguments, connection).await,
        Action::Retry(arguments) => retry::run(&arguments, connection).await,
        Action::Failures(arguments) => failures::run(&arguments, connection).await,
        Action::RetryFailures(arguments) => retry_failures::run(arguments, connection).await,
        Action::Cancel(arguments) => cancel::run(&arguments, connection).await,
        Action::Outcomes(arguments) => outcomes::run(&arguments, connection).await,
        Action::Times(arguments) => times::run(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}

/// The filter of an argument.
fn filter_of(given: String) -> Result<PayloadFilter> {
    Ok(PayloadFilter::from_json(json_of(given, "filter")?.get().to_owned())?)
}

/// A subscription with the secret that only this answer has. Standard output gets only the secret, so that a script can
/// pipe it.
fn with_secret(created: &SubscriptionWithSecret, what_happened: &str) -> Result<Reply> {
    let SubscriptionWithSecret { subscription, secret, .. } = created;
    let secret = secret.as_ref().context("the service answered without a secret")?.expose();
    let reply = Reply::new(&CreatedAnswer { subscription, secret }, secret)?;
    Ok(reply.remarking(format!("{} {what_happened} shown only this once.", subscription.id)))
}
