use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_lanes;
use diesel_mapping::webhooks::{BreakerRow, SubscriptionRow};
use diesel_mapping::{CountRow, Kept, statement};
use domain::webhooks::{Subscription, SubscriptionHealth};
use domain::{OwnerId, SubscriptionId};
use futures_util::future::join4;

use super::operator_log::last_attempts;
use super::subscription_queries::subscription_of;
use crate::attempt::{Failure, Work};

const WAITING: &str = "SELECT count(*) FROM (SELECT FROM webhook_due WHERE subscription_id = $1 LIMIT $2) AS waiting";

/// Finds a subscription and its health. One round trip.
pub(super) struct FindSubscription<'a> {
    pub(super) owner: &'a OwnerId,
    pub(super) id: SubscriptionId,
}

impl Work for FindSubscription<'_> {
    type Answer = Option<(Subscription, SubscriptionHealth)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let id = self.id.as_bytes().as_slice();
        let lane = webhook_lanes::table.find(id).select(BreakerRow::as_select());
        let waiting =
            statement(WAITING).bind::<Binary, _>(id).bind::<BigInt, i64>(SubscriptionHealth::WAITING_COUNT_MAX.into());
        let waiting = Kept(waiting);
        let (subscription, breaker, waiting, attempts) = join4(
            subscription_of(self.owner, &self.id).select(SubscriptionRow::as_select()).get_result(&mut &*connection),
            lane.get_result(&mut &*connection),
            waiting.get_result::<CountRow>(&mut &*connection),
            last_attempts(connection, std::iter::once(&self.id)),
        )
        .await;
        let Some((subscription, breaker)) = subscription.optional()?.zip(breaker.optional()?) else { return Ok(None) };
        let last_attempt = attempts?.remove(&self.id);
        let waiting = u32::try_from(waiting?.count).unwrap_or(u32::MAX);
        let health = SubscriptionHealth { breaker: breaker.breaker(), waiting, last_attempt };
        Ok(Some((subscription.try_into()?, health)))
    }
}
