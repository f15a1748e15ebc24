use anyhow::Result;
use clap::Args;
use gatepost_client::SubscriptionChange;

use super::update::change_subscription;
use crate::connection::Connection;
use crate::consent::Consent;
use crate::output::Reply;
use crate::owner::Owner;

/// Send webhooks to a subscription again, also if Gatepost had disabled it
#[derive(Debug, Args)]
#[command(before_help = ENABLE_EXAMPLES)]
pub(super) struct EnableArguments {
    #[command(flatten)]
    target: Target,
}

/// Send no webhooks to a subscription; its waiting deliveries end as failed, and `recover` sends them again
#[derive(Debug, Args)]
#[command(before_help = DISABLE_EXAMPLES)]
pub(super) struct DisableArguments {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    consent: Consent,
}

// Not a doc comment: clap would show it as the help of both commands.
#[derive(Debug, Args)]
struct Target {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
}

const ENABLE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks enable sub_01h455vb4pex5vsknk084sn02q --user alice";
const DISABLE_EXAMPLES: &str = "\
Examples:
  gatepost webhooks disable sub_01h455vb4pex5vsknk084sn02q --user alice --yes";

/// Enables a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn enable(arguments: &EnableArguments, connection: &Connection) -> Result<Reply> {
    set(&arguments.target, true, connection).await
}

/// Disables a subscription.
///
/// # Errors
///
/// Without consent, or when the call fails.
pub(super) async fn disable(arguments: &DisableArguments, connection: &Connection) -> Result<Reply> {
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
