use anyhow::Result;
use clap::Args;

use super::retry::{Changed, report};
use crate::connection::Connection;
use crate::consent::Consent;
use crate::output::Reply;
use crate::owner::Owner;

/// Cancel deliveries that have not ended
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The ids of deliveries, as `gatepost webhooks deliveries` shows them
    #[arg(value_name = "DELIVERY_ID", required = true)]
    delivery_ids: Vec<String>,
    #[command(flatten)]
    owner: Owner,
    #[command(flatten)]
    consent: Consent,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks cancel dlv_01h455vb4pex5vsknk084sn02q --user alice --yes";

/// Cancels each delivery, even if the call for another one fails.
///
/// # Errors
///
/// Without consent, or when a call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { delivery_ids, owner, consent } = arguments;
    consent.get(&format!("cancel {}", delivery_ids.join(" ")), connection)?;
    let consumer = connection.consumer(owner).await?;
    let mut changed = Changed::default();
    for id in delivery_ids {
        changed.note(id, connection.heard(consumer.cancel_delivery(id).await));
    }
    // A delivery that had ended before is unchanged.
    report(changed, |delivery| format!("{} is {}", delivery.id, delivery.state))
}
