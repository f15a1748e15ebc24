use diesel::dsl::{count, count_star};
use diesel::prelude::*;
use diesel_mapping::schema::{webhook_lanes, webhook_subscriptions};
use diesel_mapping::webhooks::{BreakerRow, NewSubscriptionRow};
use domain::ports::{InsertSubscriptionRequest, SubscriptionInsertion};
use domain::webhooks::{Breaker, OwnerNumber};

use super::subscription_queries::insert_patterns;
use crate::audit::write_events;
use crate::owners::limits_of;
use crate::undo::Undo;

/// See [`SubscriptionStore::insert_within`](domain::ports::SubscriptionStore::insert_within).
pub(super) fn create_subscription(
    connection: &mut SqliteConnection,
    request: &InsertSubscriptionRequest,
) -> Result<SubscriptionInsertion, Undo> {
    let &InsertSubscriptionRequest { ref subscription, ref secret, max, ref cause } = request;
    let (all, deleted): (i64, i64) = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(subscription.owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(subscription.owner.subject()))
        .select((count_star(), count(webhook_subscriptions::deleted_at)))
        .get_result(connection)?;
    let max = limits_of(connection, &subscription.owner)?.subscriptions_or(max);
    let decided = SubscriptionInsertion::within(max, all.abs_diff(deleted), deleted.unsigned_abs());
    if decided != SubscriptionInsertion::Stored {
        return Ok(decided);
    }
    let row = NewSubscriptionRow::new(subscription, secret);
    diesel::insert_into(webhook_subscriptions::table).values(row).execute(connection)?;
    insert_patterns(connection, subscription)?;
    let lane = (
        webhook_lanes::subscription_id.eq(subscription.id.as_bytes().as_slice()),
        webhook_lanes::owner.eq(OwnerNumber::of(&subscription.owner).number()),
        webhook_lanes::is_open.eq(subscription.status.is_enabled()),
        BreakerRow::from(&Breaker::default()),
        webhook_lanes::last_sequence.eq(subscription.is_numbered().then_some(0)),
        webhook_lanes::is_pulled.eq(subscription.url.is_pull()),
    );
    diesel::insert_into(webhook_lanes::table).values(lane).execute(connection)?;
    write_events(connection, [&cause.subscription_created(subscription)])?;
    Ok(SubscriptionInsertion::Stored)
}
