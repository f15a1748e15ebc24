use anyhow::{Error, Result, anyhow};
use clap::Args;
use gatepost_client::Delivery;

use crate::connection::Connection;
use crate::output::{Reply, member, remark};
use crate::owner::Owner;

/// Deliver again now, whatever the state, and restart the retry schedule
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The ids of deliveries, as `gatepost webhooks deliveries` shows them
    #[arg(value_name = "DELIVERY_ID", required = true)]
    delivery_ids: Vec<String>,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks retry dlv_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks deliveries --state failed --user alice --json \\
    | jq -r '.deliveries[].id' | xargs -r gatepost webhooks retry --user alice";

/// The outcomes of a call for each of several deliveries.
#[derive(Default)]
pub(super) struct Changed {
    deliveries: Vec<Delivery>,
    failures: Vec<(String, Error)>,
}

impl Changed {
    /// Notes the outcome for the delivery with this id.
    pub(super) fn note(&mut self, id: &str, outcome: Result<Delivery>) {
        match outcome {
            Ok(delivery) => self.deliveries.push(delivery),
            Err(error) => self.failures.push((id.to_owned(), error)),
        }
    }
}

/// Makes each delivery due, even if the call for another one fails.
///
/// # Errors
///
/// When a call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let mut changed = Changed::default();
    for id in &arguments.delivery_ids {
        changed.note(id, connection.heard(consumer.retry_delivery(id).await));
    }
    report(changed, |delivery| format!("{} is due now", delivery.id))
}

/// Prints the deliveries that were changed, and why others were not.
///
/// # Errors
///
/// When a call failed: its own error if it was the only call.
pub(super) fn report(changed: Changed, in_words: impl Fn(&Delivery) -> String) -> Result<Reply> {
    let Changed { deliveries, mut failures } = changed;
    let (failed, all) = (failures.len(), failures.len() + deliveries.len());
    if all == 1
        && let Some((id, error)) = failures.pop()
    {
        return Err(error.context(id));
    }
    for (id, error) in &failures {
        remark(&format!("{id}: {error:#}"));
    }
    let words: Vec<String> = deliveries.iter().map(in_words).collect();
    let reply = Reply::new(&member("deliveries", &deliveries), words.join("\n"))?;
    Ok(if failed > 0 { reply.failing(anyhow!("{failed} of {all} calls failed")) } else { reply })
}
