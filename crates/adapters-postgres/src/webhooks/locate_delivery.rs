//! One of the owner's deliveries, in the queue or in the log. It is found through the owner's subscriptions, including
//! deleted ones.

use diesel::QueryResult;
use diesel::sql_types::{Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::webhooks::EndedRow;
use diesel_mapping::{Kept, statement};
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
        load_ended(connection, ENDED, owner, id),
        load_due(connection, DUE, owner, id),
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
        load_ended(connection, ENDED_LOCKED, owner, id),
        load_due(connection, DUE_LOCKED, owner, id),
    )
    .await;
    begun?;
    if let Some(found) = one_of(due?, ended?)? {
        return Ok(Some(found));
    }
    one_of(Vec::new(), load_ended(connection, ENDED_LOCKED, owner, id).await?)
}

async fn load_due(
    connection: &AsyncPgConnection,
    sql: &'static str,
    owner: &OwnerId,
    id: DeliveryId,
) -> QueryResult<Vec<DueWithTypeRow>> {
    let query = statement(sql)
        .bind::<Text, _>(owner.issuer())
        .bind::<Text, _>(owner.subject())
        .bind::<Binary, _>(id.as_bytes().as_slice());
    Kept(query).load(&mut &*connection).await
}

async fn load_ended(
    connection: &AsyncPgConnection,
    sql: &'static str,
    owner: &OwnerId,
    id: DeliveryId,
) -> QueryResult<Vec<EndedRow>> {
    let query = statement(sql)
        .bind::<Text, _>(owner.issuer())
        .bind::<Text, _>(owner.subject())
        .bind::<Binary, _>(id.as_bytes().as_slice());
    Kept(query).load(&mut &*connection).await
}

fn one_of(due: Vec<DueWithTypeRow>, ended: Vec<EndedRow>) -> Result<Option<Delivery>, Failure> {
    let due = due.into_iter().map(Delivery::try_from);
    let found = due.chain(ended.into_iter().map(Delivery::try_from)).next();
    Ok(found.transpose()?)
}
