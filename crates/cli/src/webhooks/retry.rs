use anyhow::{Result, bail};
use clap::Args;
use gatepost_client::Delivery;
use serde::Serialize;

use crate::connection::{Connection, Owner};
use crate::output::{answer, answer_json, remark};

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
  gatepost webhooks deliveries --state failed --json | jq -r '.deliveries[].id' | xargs gatepost webhooks retry";

#[derive(Serialize)]
struct RetryAnswer {
    deliveries: Vec<Delivery>,
}

/// Makes each delivery due, even if the call for another one fails.
///
/// # Errors
///
/// When a call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let consumer = connection.consumer(arguments.owner.name()).await?;
    let mut deliveries = Vec::new();
    for id in &arguments.delivery_ids {
        match connection.heard(consumer.retry_delivery(id).await) {
            Ok(delivery) => deliveries.push(delivery),
            Err(error) => remark(&format!("{id}: {error:#}")),
        }
    }
    let (retried, asked) = (deliveries.len(), arguments.delivery_ids.len());
    if json {
        answer_json(&RetryAnswer { deliveries })?;
    } else if retried > 0 {
        let lines = deliveries.iter().map(|delivery| format!("{} is due now", delivery.id));
        answer(&lines.collect::<Vec<_>>().join("\n"))?;
    }
    if retried < asked {
        bail!("{} of {asked} deliveries could not be retried", asked - retried);
    }
    Ok(())
}
