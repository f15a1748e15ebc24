use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{webhook_lanes, webhook_subscriptions};
use diesel_mapping::webhooks::{BreakerRow, ChangedSubscriptionRow, SubscriptionRow};
use domain::ports::{ChangeSubscriptionRequest, SubscriptionUpdate};
use domain::webhooks::{Breaker, DeliveryRate, Subscription};
use domain::{OwnerId, SubscriptionId, Timestamp};
use futures_util::future::{join, join3};

use super::close_lane::{close, end_lane};
use super::retry_delivery::wake_lane;
use super::subscription_queries::{delete_patterns, insert_patterns, subscription_of};
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Begin, Commit, ForceCustomPlan, rolled_back, settle};

/// Changes a subscription. Four round trips.
impl Work for ChangeSubscriptionRequest {
    type Answer = SubscriptionUpdate;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<SubscriptionUpdate, Failure> {
        let Some(before) = lock_subscription(connection, &self.owner, self.id).await? else {
            return rolled_back(connection, SubscriptionUpdate::NotFound).await;
        };
        let changed = match self.change.applied_to(&before, self.at) {
            Ok(changed) => changed,
            Err(refusal) => return rolled_back(connection, SubscriptionUpdate::Refused(refusal)).await,
        };
        write_change(connection, &before, &changed.subscription, self.at).await?;
        let event = self.cause.subscription_changed(&before, &changed.subscription);
        write_events(connection, event.as_slice()).await?;
        settle(Ok(SubscriptionUpdate::Changed(Box::new(changed))), Commit.execute(&mut &*connection).await)
    }
}

/// Begins the transaction, and locks the lane before the subscription: the order of every transaction.
pub(super) async fn lock_subscription(
    connection: &AsyncPgConnection,
    owner: &OwnerId,
    id: SubscriptionId,
) -> Result<Option<Subscription>, Failure> {
    let bytes = id.as_bytes().as_slice();
    let lane = webhook_lanes::table.find(bytes).select(webhook_lanes::is_open).for_no_key_update();
    let subscription = subscription_of(owner, &id).select(SubscriptionRow::as_select()).for_no_key_update();
    let (begun, lane, subscription) = join3(
        join(Begin.execute(&mut &*connection), ForceCustomPlan.execute(&mut &*connection)),
        lane.load::<bool>(&mut &*connection),
        subscription.get_result(&mut &*connection),
    )
    .await;
    begun.0.and(begun.1)?;
    lane?;
    Ok(subscription.optional()?.map(Subscription::try_from).transpose()?)
}

/// Writes the changes, and opens or closes the lane, which is already locked. If the lane opens, its waiting deliveries
/// are due.
pub(super) async fn write_change(
    connection: &AsyncPgConnection,
    before: &Subscription,
    changed: &Subscription,
    at: Timestamp,
) -> QueryResult<()> {
    if changed == before {
        return Ok(());
    }
    let id = changed.id.as_bytes().as_slice();
    let row = webhook_subscriptions::table.filter(webhook_subscriptions::id.eq(id));
    diesel::update(row).set(ChangedSubscriptionRow::from(changed)).execute(&mut &*connection).await?;
    if changed.events != before.events {
        delete_patterns(connection, &changed.owner, changed.id).await?;
        insert_patterns(connection, changed).await?;
    }
    if changed.options.max_per_second != before.options.max_per_second {
        change_rest(connection, changed.id, changed.options.max_per_second, at).await?;
    }
    match (before.status.is_enabled(), changed.status.is_enabled()) {
        (false, true) => open_lane(connection, changed.id, at).await,
        (true, false) => {
            close(connection, changed.id, at).await?;
            end_lane(connection, changed.id, at).await
        }
        _ => Ok(()),
    }
}

/// Changes the rest of the locked lane to that of this rate. The next claim finds out when the lane needs service.
async fn change_rest(
    connection: &AsyncPgConnection,
    id: SubscriptionId,
    rate: Option<DeliveryRate>,
    at: Timestamp,
) -> QueryResult<()> {
    let lane = webhook_lanes::table.find(id.as_bytes().as_slice());
    let stored = lane.select(webhook_lanes::rests_until).first(&mut &*connection).await.optional()?;
    let before = stored.and_then(|stored: Option<StoredInstant>| stored?.timestamp());
    let after = rate.and_then(|rate| rate.rests_after_change(before, at));
    diesel::update(lane)
        .set(webhook_lanes::rests_until.eq(after.map(StoredInstant::from)))
        .execute(&mut &*connection)
        .await?;
    wake_lane(connection, id, at).await
}

/// Opens the lane with a new breaker, and makes it ready.
pub(super) async fn open_lane(connection: &AsyncPgConnection, id: SubscriptionId, at: Timestamp) -> QueryResult<()> {
    let lane = webhook_lanes::table.find(id.as_bytes().as_slice());
    let opened = (
        webhook_lanes::is_open.eq(true),
        webhook_lanes::wakes.eq(webhook_lanes::wakes + 1),
        webhook_lanes::ready_at.eq(StoredInstant::from(at)),
        BreakerRow::from(&Breaker::default()),
    );
    diesel::update(lane).set(opened).execute(&mut &*connection).await.map(drop)
}
