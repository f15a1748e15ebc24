//! Rows that cannot be read do not stop the others. See decision 55.

use diesel::QueryResult;
use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{Kept, statement};
use domain::ports::{ClaimRequest, StoreError};
use domain::webhooks::DeliveryEnd;
use futures_util::future::{join, join3};

use super::ends::{self, Duplicate, Ended, Held};
use super::left_claims::wake_lanes;
use super::periods::load;
use crate::attempt::Failure;
use crate::transaction::{Begin, Commit, settle};

/// Deletes the first deliveries of these lanes. Finds each row by its key: see [the module](super) about the array of one
/// id.
const DELETE_DELIVERIES: &str = "DELETE FROM webhook_due AS due USING (
        SELECT first.* FROM unnest($1) AS lane (subscription_id) CROSS JOIN LATERAL (
            SELECT subscription_id, delivery_id FROM webhook_due WHERE subscription_id = lane.subscription_id LIMIT 1000
        ) AS first
    ) AS first
    WHERE due.subscription_id = ANY(ARRAY[first.subscription_id]) AND due.delivery_id = first.delivery_id";

const DELETE_LANES: &str = "DELETE FROM webhook_lanes WHERE subscription_id = ANY($1)";

/// The stored ids of a row that a claim took and cannot hand out.
pub(super) struct Unreadable {
    pub(super) subscription: Vec<u8>,
    pub(super) delivery: Vec<u8>,
}

/// Deletes lanes with damaged ids, given as they are stored, and the first of their deliveries. The remaining rows
/// cannot be found.
pub(super) async fn delete_lanes(connection: &AsyncPgConnection, ids: &[Vec<u8>]) -> QueryResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let [deliveries, lanes] = [DELETE_DELIVERIES, DELETE_LANES].map(|sql| statement(sql).bind::<Array<Binary>, _>(ids));
    let (deliveries, lanes) =
        join(Kept(deliveries).execute(&mut &*connection), Kept(lanes).execute(&mut &*connection)).await;
    deliveries?;
    tracing::error!(count = lanes?, "deleted lanes whose ids are damaged, with their deliveries");
    Ok(())
}

/// Ends rows that the claim took, and takes back the counted attempt.
pub(super) async fn end_unreadable(
    connection: &AsyncPgConnection,
    request: &ClaimRequest,
    rows: &[Unreadable],
) -> Result<(), StoreError> {
    let claim = Some(request.claim.number());
    let held = rows.iter().map(|row| Held { subscription: &row.subscription, delivery: &row.delivery, claim });
    let held: Vec<Held<'_>> = held.collect();
    let (begun, periods, out) =
        join3(Begin.execute(&mut &*connection), load(connection), ends::take_out(connection, &held)).await;
    let (periods, mut out) = begun.and(periods).and_then(|periods| Ok((periods, out?))).map_err(Failure::from)?;
    out.retain(|row| row.has_place(&periods));
    for row in &mut out {
        row.attempts -= 1;
    }
    let ended: Vec<Ended<'_>> = out.iter().map(|row| (row, DeliveryEnd::Unreadable, request.at)).collect();
    let lanes: Vec<&[u8]> = rows.iter().map(|row| row.subscription.as_slice()).collect();
    // In an order, the next deliveries wait for these.
    let (inserted, woken, committed) = join3(
        ends::insert(connection, &ended, Duplicate::Kept),
        wake_lanes(connection, &lanes, request.at),
        Commit.execute(&mut &*connection),
    )
    .await;
    Ok(settle(inserted.and(woken).map(drop), committed)?)
}
