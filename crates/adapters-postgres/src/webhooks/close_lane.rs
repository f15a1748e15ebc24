use diesel::QueryResult;
use diesel::sql_types::{Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::OwnerIdRow;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::status_code;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::webhooks::{DisableReason, SubscriptionStatus};
use domain::{OwnerId, SubscriptionId, Timestamp};
use futures_util::future::join;

use super::end_closed::{end, pick};

/// A closed lane is ready while it has deliveries to end: see [`super::end_closed`].
const CLOSE: &str = "UPDATE webhook_lanes SET is_open = FALSE, wakes = wakes + 1, ready_at = $2
    WHERE subscription_id = $1 AND is_open";

const DISABLE: &str = "UPDATE webhook_subscriptions SET status = $2, updated_at = $3
    WHERE id = $1 AND status = $4 AND deleted_at IS NULL RETURNING owner_issuer, owner_subject";

const FIND_OPEN: &str = "SELECT subscription.owner_issuer, subscription.owner_subject
    FROM webhook_subscriptions AS subscription
    WHERE subscription.id = $1
        AND EXISTS (SELECT FROM webhook_lanes AS lane WHERE lane.subscription_id = $1 AND lane.is_open)";

/// Disables the subscription for this reason if it is enabled, closes its lane, and ends its waiting deliveries. The
/// lane is already locked. Returns the owner of the subscription if it was enabled.
pub(super) async fn disable(
    connection: &AsyncPgConnection,
    lane: SubscriptionId,
    reason: DisableReason,
    at: Timestamp,
) -> QueryResult<Option<OwnerId>> {
    let disable = statement(DISABLE)
        .bind::<Binary, _>(lane.as_bytes().as_slice())
        .bind::<Text, _>(status_code(SubscriptionStatus::DisabledByService(reason)))
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<Text, _>(status_code(SubscriptionStatus::Enabled));
    let (closed, disabled) =
        join(close(connection, lane, at), Kept(disable).load::<OwnerIdRow>(&mut &*connection)).await;
    let disabled = closed.and(disabled)?;
    end_lane(connection, lane, at).await?;
    // A damaged owner must not keep the subscription enabled.
    Ok(owner_of(disabled))
}

/// The owner of a subscription with an open lane. The lane is already locked.
pub(super) async fn owner_of_open(
    connection: &AsyncPgConnection,
    lane: SubscriptionId,
) -> QueryResult<Option<OwnerId>> {
    let find = statement(FIND_OPEN).bind::<Binary, _>(lane.as_bytes().as_slice());
    Ok(owner_of(Kept(find).load::<OwnerIdRow>(&mut &*connection).await?))
}

fn owner_of(rows: Vec<OwnerIdRow>) -> Option<OwnerId> {
    rows.into_iter().next().and_then(OwnerIdRow::owner)
}

/// Closes a lane. The update also locks the lane.
pub(super) async fn close(connection: &AsyncPgConnection, lane: SubscriptionId, at: Timestamp) -> QueryResult<usize> {
    let update =
        statement(CLOSE).bind::<Binary, _>(lane.as_bytes().as_slice()).bind::<Instant, StoredInstant>(at.into());
    Kept(update).execute(&mut &*connection).await
}

/// Ends waiting deliveries of a closed lane, up to the number that takes about 50 ms: the others end later.
pub(super) async fn end_lane(connection: &AsyncPgConnection, lane: SubscriptionId, at: Timestamp) -> QueryResult<()> {
    let waiting = pick(connection, &[lane.as_bytes().as_slice()], at, 1_000).await?;
    end(connection, &waiting, at).await
}
