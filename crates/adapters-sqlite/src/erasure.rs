use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use diesel_mapping::owners::{
    DELETE_SUBSCRIPTIONS, EMPTY_EVENTS, ERASE_KEYS, ERASE_PATTERNS, ERASE_SESSIONS, ERASING, FoundRow, HAS_ROWS,
    OF_SUBSCRIPTIONS, OfSubscription, OwnerIdRow, delete_owner,
};
use diesel_mapping::schema::{webhook_publications, webhook_subscriptions};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{StoredInstant, owner_statement, statement};
use domain::OwnerId;
use domain::audit::Cause;
use domain::ports::{EraseRequest, Erasure, StoreError};

use crate::SqliteStore;
use crate::audit::write_events;
use crate::owners::find_owner;
use crate::undo::Undo;
use crate::webhooks::{Id, delete_events, delete_subscriptions};

/// Claims and the engine pass over a lane that is closed and never ready: the erasure deletes its deliveries.
const CLOSE_LANES: &str = "UPDATE webhook_lanes SET is_open = FALSE, ready_at = NULL WHERE subscription_id IN (
        SELECT id FROM webhook_subscriptions WHERE owner_issuer = $1 AND owner_subject = $2
    )";

/// A delivery, with its event.
#[derive(QueryableByName)]
struct DeliveryRow {
    #[diesel(sql_type = Binary)]
    id: Id,
    #[diesel(sql_type = Binary)]
    delivery_id: Id,
    #[diesel(sql_type = Binary)]
    event_id: Id,
}

#[async_trait]
impl Erasure for SqliteStore {
    async fn erasing(&self, max: u32) -> Result<Vec<OwnerId>, StoreError> {
        let read = move |connection: &mut SqliteConnection| {
            let rows: Vec<OwnerIdRow> = statement(ERASING).bind::<BigInt, i64>(max.into()).load(connection)?;
            // An unreadable row keeps no other owner waiting.
            Ok(rows.into_iter().filter_map(OwnerIdRow::owner).collect())
        };
        self.readers.read(read).await
    }

    async fn erase(&self, request: &EraseRequest) -> Result<u32, StoreError> {
        self.write(request, erase).await
    }

    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Result<bool, StoreError> {
        let (owner, cause) = (owner.clone(), cause.clone());
        self.writer.write(move |connection| finish(connection, &owner, &cause)).await
    }
}

/// Erases rows of the first table that has any of the owner.
fn erase(connection: &mut SqliteConnection, request: &EraseRequest) -> Result<u32, Undo> {
    if find_owner(connection, &request.owner)?.erasing_since.is_none() {
        return Ok(0);
    }
    let mut erased = close(connection, request)?;
    for statement in [ERASE_KEYS, ERASE_SESSIONS] {
        if erased == 0 {
            erased = few(connection, statement, request)?;
        }
    }
    for table in OF_SUBSCRIPTIONS {
        if erased == 0 {
            erased = erase_deliveries(connection, table, request)?;
        }
    }
    if erased == 0 {
        erased = erase_publications(connection, request)?;
    }
    if erased == 0 {
        erased = erase_subscriptions(connection, request)?;
    }
    if erased == 0 {
        erased = few(connection, EMPTY_EVENTS, request)?;
    }
    Ok(u32::try_from(erased).unwrap_or(u32::MAX))
}

/// Deletes the subscriptions that exist, so that no publication adds deliveries.
fn close(connection: &mut SqliteConnection, request: &EraseRequest) -> Result<usize, Undo> {
    let (issuer, subject) = (request.owner.issuer(), request.owner.subject());
    let deletion = statement(DELETE_SUBSCRIPTIONS).bind::<Instant, StoredInstant>(request.at.into());
    let deleted = deletion.bind::<Text, _>(issuer).bind::<Text, _>(subject).execute(connection)?;
    if deleted > 0 {
        for sql in [ERASE_PATTERNS, CLOSE_LANES] {
            owner_statement(sql, &request.owner).execute(connection)?;
        }
    }
    Ok(deleted)
}

/// Runs a statement of [`diesel_mapping::owners`] on about the most rows.
fn few(connection: &mut SqliteConnection, sql: &str, request: &EraseRequest) -> Result<usize, Undo> {
    let deletion = owner_statement(sql, &request.owner).bind::<BigInt, i64>(request.max.into());
    Ok(deletion.execute(connection)?)
}

/// Deletes deliveries of one table with their events. `CROSS JOIN` makes SQLite begin with the subscriptions.
fn erase_deliveries(
    connection: &mut SqliteConnection,
    (table, id): OfSubscription,
    request: &EraseRequest,
) -> Result<usize, Undo> {
    let listing = format!(
        "SELECT subscription.id, one.{id} AS delivery_id, one.event_id
        FROM webhook_subscriptions AS subscription CROSS JOIN {table} AS one ON one.subscription_id = subscription.id
        WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2 LIMIT $3"
    );
    let listing = owner_statement(listing, &request.owner).bind::<BigInt, i64>(request.max.into());
    let rows: Vec<DeliveryRow> = listing.load(connection)?;
    for row in &rows {
        let deletion = format!("DELETE FROM {table} WHERE subscription_id = $1 AND {id} = $2");
        let deletion = statement(deletion).bind::<Binary, _>(&row.id).bind::<Binary, _>(&row.delivery_id);
        deletion.execute(connection)?;
    }
    let events: Vec<Id> = rows.into_iter().map(|row| row.event_id).collect();
    delete_events(connection, &events)?;
    Ok(events.len())
}

/// Deletes the ids of the owner's publishers, with their events.
fn erase_publications(connection: &mut SqliteConnection, request: &EraseRequest) -> Result<usize, Undo> {
    let theirs = webhook_publications::owner_issuer
        .eq(request.owner.issuer())
        .and(webhook_publications::owner_subject.eq(request.owner.subject()));
    let events = webhook_publications::table.filter(theirs).limit(request.max.into());
    let events: Vec<Id> = events.select(webhook_publications::event_id).load(connection)?;
    delete_events(connection, &events)?;
    Ok(events.len())
}

/// Deletes settled subscriptions, after all of their deliveries.
fn erase_subscriptions(connection: &mut SqliteConnection, request: &EraseRequest) -> Result<usize, Undo> {
    let theirs = webhook_subscriptions::owner_issuer
        .eq(request.owner.issuer())
        .and(webhook_subscriptions::owner_subject.eq(request.owner.subject()));
    let is_settled = webhook_subscriptions::deleted_at.lt(Some(StoredInstant::from(request.settled)));
    let settled = webhook_subscriptions::table.filter(theirs).filter(is_settled).limit(request.max.into());
    let ids: Vec<Id> = settled.select(webhook_subscriptions::id).load(connection)?;
    delete_subscriptions(connection, &ids)?;
    Ok(ids.len())
}

/// See [`Erasure::finish_erasure`].
fn finish(connection: &mut SqliteConnection, owner: &OwnerId, cause: &Cause) -> Result<bool, Undo> {
    if find_owner(connection, owner)?.erasing_since.is_none() {
        return Ok(false);
    }
    if owner_statement(HAS_ROWS, owner).get_result::<FoundRow>(connection)?.found {
        return Ok(false);
    }
    delete_owner(owner).execute(connection)?;
    write_events(connection, [&cause.owner_erased(owner)])?;
    Ok(true)
}
