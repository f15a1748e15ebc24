use diesel::prelude::*;
use diesel_mapping::schema::{webhook_lanes, webhook_subscriptions};
use diesel_mapping::webhooks::{BreakerRow, NewSubscriptionRow};
use domain::ports::SubscriptionInsertion;
use domain::webhooks::{Breaker, OwnerNumber, SealedSecret, Subscription};

use super::subscription_queries::insert_patterns;
use crate::undo::Undo;

/// See [`SubscriptionStore::insert_within`](domain::ports::SubscriptionStore::insert_within).
pub(super) fn create_subscription(
    connection: &mut SqliteConnection,
    subscription: &Subscription,
    secret: &SealedSecret,
    max: u32,
) -> Result<SubscriptionInsertion, Undo> {
    let stored = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(subscription.owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(subscription.owner.subject()))
        .filter(webhook_subscriptions::deleted_at.is_null());
    if stored.count().get_result::<i64>(connection)? >= max.into() {
        return Ok(SubscriptionInsertion::LimitReached);
    }
    let row = NewSubscriptionRow::new(subscription, secret);
    diesel::insert_into(webhook_subscriptions::table).values(row).execute(connection)?;
    insert_patterns(connection, subscription)?;
    let lane = (
        webhook_lanes::subscription_id.eq(subscription.id.as_bytes().as_slice()),
        webhook_lanes::owner.eq(OwnerNumber::of(&subscription.owner).number()),
        webhook_lanes::is_open.eq(subscription.status.is_enabled()),
        BreakerRow::from(&Breaker::default()),
    );
    diesel::insert_into(webhook_lanes::table).values(lane).execute(connection)?;
    Ok(SubscriptionInsertion::Stored)
}
