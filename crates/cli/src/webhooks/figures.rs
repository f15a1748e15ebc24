//! Failures by cause, outcomes by the hour, and how long attempts take.

use anyhow::Result;
use clap::Args;
use gatepost_client::{AttemptTimes, FailureCause, FailureGroup};

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::table::table_by_hour;
use crate::times::shown;

/// List failed deliveries, grouped by cause
#[derive(Debug, Args)]
#[command(before_help = FAILURES_EXAMPLES)]
pub(super) struct FailuresArguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const FAILURES_EXAMPLES: &str = "\
Examples:
  gatepost webhooks failures --user alice
  gatepost webhooks failures --subscription sub_01h455vb4pex5vsknk084sn02q \\
    --user alice --json
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost webhooks failures \\
    --for-user alice";

const LISTING: Listing<5> =
    Listing { items: "failed deliveries", heads: ["DELIVERIES", "ERROR", "STATUS", "SUBSCRIPTION", "URL"] };

/// Prints the causes.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn failures(arguments: &FailuresArguments, connection: &Connection) -> Result<Reply> {
    let subscription = arguments.subscription.as_deref();
    let consumer = connection.consumer(&arguments.owner).await?;
    let failures = connection.heard(consumer.list_failures(subscription).await)?;
    let mut reply = LISTING.of(&failures, failures.failures.iter().map(row))?;
    if failures.failures.is_empty() {
        return Ok(reply);
    }
    if !failures.is_complete {
        reply = reply.remarking("there are more: only the newest 1,000 are counted");
    }
    Ok(reply.remarking("retry a group: gatepost webhooks retry-failures SUBSCRIPTION --error ERROR --status STATUS"))
}

fn row(group: &FailureGroup) -> [String; 5] {
    let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let FailureGroup { cause, url, deliveries, .. } = group;
    let status = shown(cause.status.map(|status| status.to_string()));
    [deliveries.to_string(), shown(cause.error.clone()), status, cause.subscription_id.clone(), url.clone()]
}

/// Deliver again now the deliveries that failed for one cause, as `gatepost webhooks failures` lists it
#[derive(Debug, Args)]
#[command(before_help = RETRY_FAILURES_EXAMPLES)]
pub(super) struct RetryFailuresArguments {
    /// The id of the subscription
    subscription_id: String,
    /// Why the last attempt failed; without it, deliveries without a failed attempt
    #[arg(long)]
    error: Option<String>,
    /// The status of the answer to the last attempt
    #[arg(long)]
    status: Option<u16>,
    #[command(flatten)]
    owner: Owner,
}

const RETRY_FAILURES_EXAMPLES: &str = "\
Examples:
  gatepost webhooks retry-failures sub_01h455vb4pex5vsknk084sn02q \\
    --error status --status 500 --user alice
  gatepost webhooks retry-failures sub_01h455vb4pex5vsknk084sn02q \\
    --error timeout --user alice
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost webhooks retry-failures \\
    sub_01h455vb4pex5vsknk084sn02q --error dns --for-user alice";

/// Retries a group of failed deliveries.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn retry_failures(arguments: RetryFailuresArguments, connection: &Connection) -> Result<Reply> {
    let RetryFailuresArguments { subscription_id, error, status, owner } = arguments;
    let cause = FailureCause { subscription_id, error, status };
    let deliveries = connection.heard(connection.consumer(&owner).await?.retry_failures(&cause).await)?;
    let what = if deliveries == 1 { "1 delivery is" } else { &format!("{deliveries} deliveries are") };
    Reply::new(&member("deliveries", deliveries), format!("{what} due now"))
}

/// Show how attempts at deliveries ended, by the hour
#[derive(Debug, Args)]
#[command(before_help = OUTCOMES_EXAMPLES)]
pub(super) struct OutcomesArguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    /// How many hours, at most 744
    #[arg(long, default_value_t = 24)]
    hours: u32,
    #[command(flatten)]
    owner: Owner,
}

const OUTCOMES_EXAMPLES: &str = "\
Examples:
  gatepost webhooks outcomes --user alice
  gatepost webhooks outcomes --subscription sub_01h455vb4pex5vsknk084sn02q \\
    --hours 744 --user alice --json";

/// Prints the hours with attempts, the earliest first.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn outcomes(arguments: &OutcomesArguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let outcomes = match &arguments.subscription {
        Some(id) => consumer.subscription_outcomes(id, arguments.hours).await,
        None => consumer.outcomes(arguments.hours).await,
    };
    let outcomes = connection.heard(outcomes)?;
    let counts = |counts: gatepost_client::OutcomeCounts| [counts.delivered, counts.retried, counts.exhausted];
    let hours = outcomes.hours.iter().map(|hour| (hour.start.clone(), counts(hour.counts)));
    Reply::new(&outcomes, table_by_hour(["DELIVERED", "RETRIED", "EXHAUSTED"], hours, counts(outcomes.total)))
}

/// Show how long the attempts at the deliveries to a subscription take
#[derive(Debug, Args)]
#[command(before_help = TIMES_EXAMPLES)]
pub(super) struct TimesArguments {
    /// The id of the subscription
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
}

const TIMES_EXAMPLES: &str = "\
Examples:
  gatepost webhooks times sub_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks times sub_01h455vb4pex5vsknk084sn02q --user alice --json";

/// Prints the median and the 95th percentile.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn times(arguments: &TimesArguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let times = connection.heard(consumer.attempt_times(&arguments.subscription_id).await)?;
    Reply::new(&times, in_words(&times))
}

fn in_words(AttemptTimes { since, attempts, p50_ms, p95_ms, .. }: &AttemptTimes) -> String {
    match (p50_ms, p95_ms) {
        (Some(p50), Some(p95)) => {
            let of = if *attempts == 1 { "1 attempt" } else { &format!("{attempts} attempts") };
            format!("p50 {p50} ms, p95 {p95} ms: {of} since {}", shown(since))
        }
        _ => format!("no attempts since {}", shown(since)),
    }
}
