use diesel::dsl::{count, count_star};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{LimitsRow, limits_in, limits_of};
use diesel_mapping::schema::{audit_events, webhook_lanes, webhook_subscriptions};
use diesel_mapping::webhooks::{BreakerRow, NewSubscriptionRow};
use domain::ports::{InsertSubscriptionRequest, SubscriptionInsertion};
use domain::webhooks::{Breaker, OwnerNumber};
use futures_util::future::{join3, join4};

use super::subscription_queries::insert_patterns;
use crate::attempt::{Failure, Work};
use crate::audit::row_of;
use crate::owner_lock::lock_owner;
use crate::transaction::{Begin, Commit, rolled_back, settle};

/// Inserts a subscription, unless its owner has reached the maximum. Two round trips.
impl Work for InsertSubscriptionRequest {
    type Answer = SubscriptionInsertion;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<SubscriptionInsertion, Failure> {
        let owner = &self.subscription.owner;
        let counts = webhook_subscriptions::table
            .filter(webhook_subscriptions::owner_issuer.eq(owner.issuer()))
            .filter(webhook_subscriptions::owner_subject.eq(owner.subject()))
            .select((count_star(), count(webhook_subscriptions::deleted_at)));
        let (begun, locked, limits, counts) = join4(
            Begin.execute(&mut &*connection),
            lock_owner(owner).execute(&mut &*connection),
            limits_of(owner).load::<LimitsRow>(&mut &*connection),
            counts.get_result::<(i64, i64)>(&mut &*connection),
        )
        .await;
        begun.and(locked)?;
        let max = limits_in(owner, limits?.pop())?.subscriptions_or(self.max);
        let (all, deleted) = counts?;
        let decided = SubscriptionInsertion::within(max, all.abs_diff(deleted), deleted.unsigned_abs());
        if decided != SubscriptionInsertion::Stored {
            return rolled_back(connection, decided).await;
        }
        let subscription = NewSubscriptionRow::new(&self.subscription, &self.secret);
        let lane = (
            webhook_lanes::subscription_id.eq(self.subscription.id.as_bytes().as_slice()),
            webhook_lanes::owner.eq(OwnerNumber::of(owner).number()),
            webhook_lanes::is_open.eq(self.subscription.status.is_enabled()),
            webhook_lanes::wakes.eq(0),
            BreakerRow::from(&Breaker::default()),
            webhook_lanes::last_sequence.eq(self.subscription.is_numbered().then_some(0)),
            webhook_lanes::is_pulled.eq(self.subscription.url.is_pull()),
        );
        let event = self.cause.subscription_created(&self.subscription);
        let ((subscription, lane, written), patterns, committed) = join3(
            join3(
                diesel::insert_into(webhook_subscriptions::table).values(subscription).execute(&mut &*connection),
                diesel::insert_into(webhook_lanes::table).values(lane).execute(&mut &*connection),
                diesel::insert_into(audit_events::table).values(row_of(&event)).execute(&mut &*connection),
            ),
            insert_patterns(connection, &self.subscription),
            Commit.execute(&mut &*connection),
        )
        .await;
        settle(subscription.and(lane).and(written).and(patterns), committed)?;
        Ok(SubscriptionInsertion::Stored)
    }
}
