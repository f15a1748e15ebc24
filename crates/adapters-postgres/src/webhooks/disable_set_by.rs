use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::OwnerIdRow;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{status_code, status_of, subscription_id};
use diesel_mapping::{IdRow, Kept, StoredInstant, statement};
use domain::ports::DisableSetByRequest;
use domain::webhooks::SubscriptionStatus;
use domain::{OwnerId, SubscriptionId};
use futures_util::future::join3;

use super::close_lane::disable;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Begin, Commit, ForceCustomPlan, settle};

/// Locks the lanes before the subscriptions, in the order of their ids, like every transaction.
const LOCK_LANES: &str = "SELECT subscription_id AS id FROM webhook_lanes WHERE subscription_id = ANY(ARRAY(
        SELECT id FROM webhook_subscriptions
        WHERE url_set_by = ANY($1) AND status <> $2 AND deleted_at IS NULL LIMIT $3
    )) ORDER BY subscription_id FOR NO KEY UPDATE";

/// Gives these subscriptions the status if they are disabled for another reason. Their lanes are already locked.
const REPLACE_REASON: &str = "UPDATE webhook_subscriptions AS subscription SET status = $2, updated_at = $3
    FROM webhook_subscriptions AS before
    WHERE before.id = ANY($1) AND subscription.id = before.id
        AND subscription.status <> $2 AND subscription.deleted_at IS NULL
    RETURNING subscription.id, before.status, subscription.owner_issuer, subscription.owner_subject";

#[derive(QueryableByName)]
struct ReplacedRow {
    #[diesel(sql_type = Binary)]
    id: Vec<u8>,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(embed)]
    owner: OwnerIdRow,
}

/// A subscription, its owner, and its earlier status.
type Disabled = (SubscriptionId, OwnerId, SubscriptionStatus);

/// Disables subscriptions that have their URL from one of the keys. Four round trips, and one for each subscription.
impl Work for DisableSetByRequest {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let keys: Vec<&[u8]> = self.keys.iter().map(|key| key.as_bytes().as_slice()).collect();
        let status = SubscriptionStatus::DisabledByService(self.reason);
        let lanes = statement(LOCK_LANES)
            .bind::<Array<Binary>, _>(keys)
            .bind::<Text, _>(status_code(status))
            .bind::<BigInt, i64>(self.max.into());
        let (begun, planned, lanes) = join3(
            Begin.execute(&mut &*connection),
            ForceCustomPlan.execute(&mut &*connection),
            Kept(lanes).load::<IdRow>(&mut &*connection),
        )
        .await;
        begun.and(planned)?;
        let lanes = lanes?;
        let mut disabled = Vec::new();
        for lane in &lanes {
            let id = subscription_id("webhook_lanes", "subscription_id", &lane.id)?;
            let owner = disable(connection, id, self.reason, self.at).await?;
            disabled.extend(owner.map(|owner| (id, owner, SubscriptionStatus::Enabled)));
        }
        disabled.extend(replace_reason(self, connection, status, &lanes).await?);
        write_events(connection, &self.cause.subscriptions_disabled_from(status, disabled)).await?;
        settle(Ok(u32::try_from(lanes.len()).unwrap_or(self.max)), Commit.execute(&mut &*connection).await)
    }
}

async fn replace_reason(
    request: &DisableSetByRequest,
    connection: &AsyncPgConnection,
    status: SubscriptionStatus,
    lanes: &[IdRow],
) -> QueryResult<Vec<Disabled>> {
    let ids: Vec<&[u8]> = lanes.iter().map(|lane| lane.id.as_slice()).collect();
    let replacement = statement(REPLACE_REASON)
        .bind::<Array<Binary>, _>(ids)
        .bind::<Text, _>(status_code(status))
        .bind::<Instant, StoredInstant>(request.at.into());
    let rows = Kept(replacement).load::<ReplacedRow>(&mut &*connection).await?;
    Ok(rows.into_iter().filter_map(ReplacedRow::disabled).collect())
}

impl ReplacedRow {
    /// `None` if the row is damaged. It still gets the reason.
    fn disabled(self) -> Option<Disabled> {
        let id = SubscriptionId::from_bytes(self.id.try_into().ok()?);
        Some((id, self.owner.owner()?, status_of(&self.status)?))
    }
}
