use diesel::dsl::exists;
use diesel::prelude::*;
use domain::ports::{RetryFailedRequest, RetryOfFailed};
use domain::webhooks::DeliveryStateKind;

use super::find_delivery::find_in;
use super::lane::Lane;
use super::retry_delivery::replay;
use super::subscription_queries::of;
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`DeliveryCommands::retry_failed`](domain::ports::DeliveryCommands::retry_failed).
pub(super) fn retry_failures(
    connection: &mut SqliteConnection,
    request: &RetryFailedRequest,
) -> Result<RetryOfFailed, Undo> {
    let &RetryFailedRequest { ref owner, subscription, ref ids, retry, ref cause } = request;
    if !diesel::select(exists(of(owner, &subscription))).get_result::<bool>(connection)? {
        return Ok(RetryOfFailed::NotFound);
    }
    let lane = Lane::find(connection, subscription)?;
    let Some(before) = lane.filter(|lane| lane.is_open) else { return Ok(RetryOfFailed::LaneClosed) };
    let mut retried = Vec::new();
    for id in ids {
        let found = find_in(connection, subscription, *id)?;
        let failed = found.filter(|one| one.state.kind() == DeliveryStateKind::Failed);
        if let Some(delivery) = failed.filter(|one| one.created_at >= retry.published_since) {
            retried.push(replay(connection, delivery, retry.at, None)?.id);
        }
    }
    let mut lane = before.clone();
    if !retried.is_empty() {
        lane.bring_forward(retry.at);
    }
    lane.write(connection, &before)?;
    let due = u32::try_from(retried.len()).unwrap_or(u32::MAX);
    write_events(connection, &cause.deliveries_retried(owner, retried))?;
    Ok(RetryOfFailed::Due(due))
}
