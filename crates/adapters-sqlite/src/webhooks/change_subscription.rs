use diesel::prelude::*;
use diesel_mapping::webhooks::ChangedSubscriptionRow;
use domain::ports::{ChangeSubscriptionRequest, SubscriptionUpdate};
use domain::webhooks::{Breaker, DeliveryEnd, Subscription};
use domain::{SubscriptionId, Timestamp};

use super::close_lane::close;
use super::find_subscription::find_subscription;
use super::lane::Lane;
use super::subscription_queries::{delete_patterns, insert_patterns, of};
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`SubscriptionStore::update`](domain::ports::SubscriptionStore::update).
pub(super) fn change_subscription(
    connection: &mut SqliteConnection,
    request: &ChangeSubscriptionRequest,
) -> Result<SubscriptionUpdate, Undo> {
    let &ChangeSubscriptionRequest { ref owner, id, ref change, at, ref cause } = request;
    let Some(before) = find_subscription(connection, owner, id)? else { return Ok(SubscriptionUpdate::NotFound) };
    let changed = match change.applied_to(&before, at) {
        Ok(changed) => changed,
        Err(refusal) => return Ok(SubscriptionUpdate::Refused(refusal)),
    };
    write_change(connection, &before, &changed.subscription, at)?;
    write_events(connection, &cause.subscription_changed(&before, &changed.subscription))?;
    Ok(SubscriptionUpdate::Changed(Box::new(changed)))
}

/// Writes the changed subscription, and opens or closes its lane.
pub(super) fn write_change(
    connection: &mut SqliteConnection,
    before: &Subscription,
    changed: &Subscription,
    at: Timestamp,
) -> Result<(), Undo> {
    let Subscription { ref owner, id, .. } = *changed;
    if changed == before {
        return Ok(());
    }
    diesel::update(of(owner, &id)).set(ChangedSubscriptionRow::from(changed)).execute(connection)?;
    if changed.events != before.events {
        delete_patterns(connection, owner, id)?;
        insert_patterns(connection, changed)?;
    }
    let rate = changed.options.max_per_second;
    if rate != before.options.max_per_second
        && let Some(lane_before) = Lane::find(connection, id)?
    {
        let mut lane = lane_before.clone();
        lane.rests_until = rate.and_then(|rate| rate.rests_after_change(lane.rests_until, at));
        lane.ready_at = lane.next_service(connection, at)?;
        lane.write(connection, &lane_before)?;
    }
    match (before.status.is_enabled(), changed.status.is_enabled()) {
        (true, false) => close(connection, id, DeliveryEnd::SubscriptionDisabled, at),
        (false, true) => open(connection, id, at),
        _ => Ok(()),
    }
}

/// Opens the lane with a new breaker.
pub(super) fn open(connection: &mut SqliteConnection, id: SubscriptionId, at: Timestamp) -> Result<(), Undo> {
    let Some(before) = Lane::find(connection, id)? else { return Ok(()) };
    let mut lane = Lane { is_open: true, breaker: Breaker::default(), ..before.clone() };
    lane.ready_at = lane.next_service(connection, at)?;
    lane.write(connection, &before)
}
