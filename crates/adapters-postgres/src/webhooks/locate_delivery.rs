//! One of the owner's deliveries, in the queue or in the log. It is found through the owner's subscriptions, including
//! deleted ones.

use diesel::pg::Pg;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_types::Binary;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::webhooks::EndedRow;
use diesel_mapping::{Kept, owner_statement};
use domain::webhooks::Delivery;
use domain::{DeliveryId, OwnerId};
use futures_util::future::join3;

use super::list_deliveries::DueWithTypeRow;
use crate::attempt::Failure;
use crate::transaction::{Begin, BeginSnapshot};

macro_rules! due {
    () => {
        "SELECT due.subscription_id, due.delivery_id, due.event_id,
            COALESCE(due.claimed_until, due.due_at) AS due_at, due.claim, due.attempts, event.event_type
        FROM webhook_subscriptions AS subscription
        JOIN webhook_due AS due ON due.subscription_id = subscription.id AND due.delivery_id = $3
        JOIN webhook_events AS event ON event.id = due.event_id
        WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2"
    };
}

macro_rules! ended {
    () => {
        "SELECT ended.subscription_id, ended.id, ended.event_id, ended.event_type, ended.ended, ended.ended_at,
            ended.attempts
        FROM webhook_subscriptions AS subscription
        JOIN webhook_deliveries AS ended ON ended.subscription_id = subscription.id AND ended.id = $3
        WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2"
    };
}

const DUE: &str = due!();
const ENDED: &str = ended!();
const DUE_LOCKED: &str = concat!(due!(), " FOR UPDATE OF due");
const ENDED_LOCKED: &str = concat!(ended!(), " FOR UPDATE OF ended");

/// Begins a transaction with one snapshot, and finds the delivery.
pub(super) async fn find(
    connection: &AsyncPgConnection,
    owner: &OwnerId,
    id: DeliveryId,
) -> Result<Option<Delivery>, Failure> {
    let (begun, ended, due) = join3(
        BeginSnapshot.execute(&mut &*connection),
        query(ENDED, owner, &id).load::<EndedRow>(&mut &*connection),
        query(DUE, owner, &id).load::<DueWithTypeRow>(&mut &*connection),
    )
    .await;
    begun?;
    one_of(due?, ended?)
}

/// Begins a transaction, finds the delivery, and locks it. A delivery that ends at this moment may move from one table to
/// the other between the two look-ups. So both look-ups run again if the first two do not find the delivery.
pub(super) async fn lock(
    connection: &AsyncPgConnection,
    owner: &OwnerId,
    id: DeliveryId,
) -> Result<Option<Delivery>, Failure> {
    let (begun, ended, due) = join3(
        Begin.execute(&mut &*connection),
        query(ENDED_LOCKED, owner, &id).load::<EndedRow>(&mut &*connection),
        query(DUE_LOCKED, owner, &id).load::<DueWithTypeRow>(&mut &*connection),
    )
    .await;
    begun?;
    if let Some(found) = one_of(due?, ended?)? {
        return Ok(Some(found));
    }
    one_of(Vec::new(), query(ENDED_LOCKED, owner, &id).load(&mut &*connection).await?)
}

/// A query of the queue or of the log for the owner's delivery.
fn query<'a>(sql: &str, owner: &'a OwnerId, id: &'a DeliveryId) -> Kept<BoxedSqlQuery<'a, Pg, SqlQuery>> {
    Kept(owner_statement(sql, owner).bind::<Binary, _>(id.as_bytes().as_slice()))
}

fn one_of(due: Vec<DueWithTypeRow>, ended: Vec<EndedRow>) -> Result<Option<Delivery>, Failure> {
    let due = due.into_iter().map(Delivery::try_from);
    let found = due.chain(ended.into_iter().map(Delivery::try_from)).next();
    Ok(found.transpose()?)
}
