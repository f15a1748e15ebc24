use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::webhooks::{status_code, subscription_id};
use domain::audit::Cause;
use domain::webhooks::{DisableReason, SubscriptionStatus};
use domain::{KeyId, Timestamp};
use futures_util::future::join3;

use super::close_lane::disable;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Begin, Commit, ForceCustomPlan, settle};

/// Locks the lanes before the subscriptions, in the order of their ids, like every transaction.
const LOCK_LANES: &str = "SELECT subscription_id FROM webhook_lanes WHERE subscription_id = ANY(ARRAY(
        SELECT id FROM webhook_subscriptions
        WHERE url_set_by = ANY($1) AND status = $2 AND deleted_at IS NULL LIMIT $3
    )) ORDER BY subscription_id FOR NO KEY UPDATE";

/// Disables subscriptions whose URL was set by one of the keys. Three round trips, and one for each subscription.
pub(super) struct DisableSetBy<'a> {
    pub(super) keys: &'a [KeyId],
    pub(super) reason: DisableReason,
    pub(super) at: Timestamp,
    pub(super) max: u32,
    pub(super) cause: &'a Cause,
}

#[derive(QueryableByName)]
struct LaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
}

impl Work for DisableSetBy<'_> {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let keys: Vec<&[u8]> = self.keys.iter().map(|key| key.as_bytes().as_slice()).collect();
        let lanes = diesel::sql_query(LOCK_LANES)
            .bind::<Array<Binary>, _>(keys)
            .bind::<Text, _>(status_code(SubscriptionStatus::Enabled))
            .bind::<BigInt, i64>(self.max.into());
        let (begun, planned, lanes) = join3(
            Begin.execute(&mut &*connection),
            ForceCustomPlan.execute(&mut &*connection),
            Kept(lanes).load::<LaneRow>(&mut &*connection),
        )
        .await;
        begun.and(planned)?;
        let lanes = lanes?;
        let mut disabled = Vec::new();
        for lane in &lanes {
            let id = subscription_id("webhook_lanes", "subscription_id", &lane.subscription_id)?;
            let owner = disable(connection, id, self.reason, self.at).await?;
            disabled.extend(owner.map(|owner| (id, owner)));
        }
        let status = SubscriptionStatus::DisabledByService(self.reason);
        write_events(connection, &self.cause.subscriptions_disabled(status, disabled)).await?;
        settle(Ok(()), Commit.execute(&mut &*connection).await)?;
        Ok(u32::try_from(lanes.len()).unwrap_or(self.max))
    }
}
