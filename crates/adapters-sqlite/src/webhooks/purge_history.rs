use std::collections::HashSet;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{
    webhook_deliveries, webhook_due, webhook_events, webhook_lanes, webhook_publications, webhook_subscriptions,
};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::first_delivery_at;
use domain::Timestamp;
use domain::ports::StoreError;

use crate::SqliteStore;
use crate::undo::Undo;

/// The most deliveries, or events, that one transaction deletes, so that other writes do not wait long.
const CHUNK: u32 = 500;
/// The most subscriptions that one read checks, so that it ends within the deadline.
const LOOKED_AT_MAX: usize = 10_000;

/// The oldest ended deliveries of a subscription below an id.
const PURGE_ATTEMPTS: &str = "DELETE FROM webhook_attempts
    WHERE subscription_id = ?1 AND delivery_id IN (
        SELECT id FROM webhook_deliveries WHERE subscription_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)";
const PURGE_DELIVERIES: &str = "DELETE FROM webhook_deliveries
    WHERE subscription_id = ?1 AND id IN (
        SELECT id FROM webhook_deliveries WHERE subscription_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)";

/// Subscriptions that were deleted before the time and have no deliveries.
const FORGOTTEN: &str = "SELECT id FROM webhook_subscriptions AS subscription
    WHERE deleted_at < ?1
        AND NOT EXISTS (SELECT 1 FROM webhook_due WHERE subscription_id = subscription.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE subscription_id = subscription.id)
    LIMIT ?2";

/// An id of 16 bytes. Delivery ids and event ids of one millisecond start with the same bytes, so one bound fits both.
pub(super) type Id = Vec<u8>;

#[derive(QueryableByName)]
struct Forgotten {
    #[diesel(sql_type = Binary)]
    id: Id,
}

/// The progress of a search for subscriptions with old deliveries.
pub(super) enum Search {
    /// This subscription has old deliveries.
    Found(Id),
    /// No subscription up to this one has old deliveries.
    UpTo(Id),
    /// No subscription has old deliveries.
    Over,
}

impl SqliteStore {
    /// See [`DeliveryCommands::purge_history`](domain::ports::DeliveryCommands::purge_history): first deliveries with
    /// their attempts, then events, then subscriptions, each in many short transactions.
    pub(super) async fn purge(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let below: Id = first_delivery_at(before).as_bytes().to_vec();
        let mut purged = self.purge_deliveries(&below, max).await?;
        let mut after = Some(Id::new());
        while purged < max
            && let Some(from) = after
        {
            let (below, chunk) = (below.clone(), CHUNK.min(max - purged));
            let work = move |connection: &mut SqliteConnection| purge_events(connection, &from, &below, chunk);
            let (events, next) = self.writer.write(work).await?;
            purged += events;
            after = next;
        }
        if purged < max {
            let chunk = CHUNK.min(max - purged);
            purged += self.writer.write(move |connection| purge_subscriptions(connection, before, chunk)).await?;
        }
        Ok(purged)
    }

    async fn purge_deliveries(&self, below: &Id, max: u32) -> Result<u32, StoreError> {
        let (mut purged, mut after) = (0, Id::new());
        while purged < max {
            let (from, bound) = (after.clone(), below.clone());
            after = match self.readers.read(move |connection| search(connection, from, &bound)).await? {
                Search::Over => break,
                Search::UpTo(subscription) => subscription,
                Search::Found(subscription) => {
                    purged += self.purge_deliveries_of(&subscription, below, max - purged).await?;
                    subscription
                }
            };
        }
        Ok(purged)
    }

    async fn purge_deliveries_of(&self, subscription: &Id, below: &Id, max: u32) -> Result<u32, StoreError> {
        let mut purged = 0;
        while purged < max {
            let (subscription, below, chunk) = (subscription.clone(), below.clone(), CHUNK.min(max - purged));
            let work = move |connection: &mut SqliteConnection| purge_chunk(connection, &subscription, &below, chunk);
            let (attempts, deliveries) = self.writer.write(work).await?;
            purged += attempts + deliveries;
            if deliveries < chunk {
                break;
            }
        }
        Ok(purged)
    }
}

/// The next subscription after `after` whose oldest ended delivery is below `below`. Reads one row for each subscription.
pub(super) fn search(connection: &mut SqliteConnection, mut after: Id, below: &[u8]) -> Result<Search, Undo> {
    for _ in 0..LOOKED_AT_MAX {
        let oldest: Option<(Id, Id)> = webhook_deliveries::table
            .filter(webhook_deliveries::subscription_id.gt(&after))
            .order((webhook_deliveries::subscription_id, webhook_deliveries::id))
            .select((webhook_deliveries::subscription_id, webhook_deliveries::id))
            .first(connection)
            .optional()?;
        match oldest {
            None => return Ok(Search::Over),
            Some((subscription, id)) if id.as_slice() < below => return Ok(Search::Found(subscription)),
            Some((subscription, _)) => after = subscription,
        }
    }
    Ok(Search::UpTo(after))
}

/// Deletes up to `max` ended deliveries of the subscription with ids below `below`. Returns how many attempts and
/// deliveries.
pub(super) fn purge_chunk(
    connection: &mut SqliteConnection,
    subscription: &[u8],
    below: &[u8],
    max: u32,
) -> Result<(u32, u32), Undo> {
    let attempts = delete_chunk(connection, PURGE_ATTEMPTS, subscription, below, max)?;
    Ok((attempts, delete_chunk(connection, PURGE_DELIVERIES, subscription, below, max)?))
}

fn delete_chunk(
    connection: &mut SqliteConnection,
    statement: &str,
    subscription: &[u8],
    below: &[u8],
    max: u32,
) -> Result<u32, Undo> {
    let deletion = diesel::sql_query(statement)
        .bind::<Binary, _>(subscription)
        .bind::<Binary, _>(below)
        .bind::<BigInt, i64>(max.into());
    Ok(u32::try_from(deletion.execute(connection)?).unwrap_or(u32::MAX))
}

/// Deletes up to `max` events with ids after `after` and below `below`, and their publication keys. Keeps events that have
/// queued deliveries. Returns how many rows, and where to continue.
pub(super) fn purge_events(
    connection: &mut SqliteConnection,
    after: &[u8],
    below: &[u8],
    max: u32,
) -> Result<(u32, Option<Id>), Undo> {
    let events: Vec<Id> = webhook_events::table
        .filter(webhook_events::id.gt(after))
        .filter(webhook_events::id.lt(below))
        .order(webhook_events::id)
        .limit(max.into())
        .select(webhook_events::id)
        .load(connection)?;
    let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok((0, None)) };
    let due = due_events(connection, first, last)?;
    let mut purged = 0;
    for event in events.iter().filter(|event| !due.contains(*event)) {
        let publications = webhook_publications::table.filter(webhook_publications::event_id.eq(event));
        purged += diesel::delete(publications).execute(connection)?;
        purged += diesel::delete(webhook_events::table.find(event)).execute(connection)?;
    }
    Ok((u32::try_from(purged).unwrap_or(u32::MAX), Some(last.clone())))
}

/// The events of the same time that have queued deliveries. Searches each lane that has a queue.
fn due_events(connection: &mut SqliteConnection, first: &[u8], last: &[u8]) -> Result<HashSet<Id>, Undo> {
    let (from, to) = ([&first[..6], &[0; 10]].concat(), [&last[..6], &[0xFF; 10]].concat());
    let (mut events, mut after) = (HashSet::new(), Id::new());
    loop {
        let next: Option<Id> = webhook_due::table
            .filter(webhook_due::subscription_id.gt(&after))
            .order(webhook_due::subscription_id)
            .select(webhook_due::subscription_id)
            .first(connection)
            .optional()?;
        let Some(lane) = next else { return Ok(events) };
        let due = webhook_due::table
            .filter(webhook_due::subscription_id.eq(&lane))
            .filter(webhook_due::delivery_id.between(&from, &to))
            .select(webhook_due::event_id);
        events.extend(due.load::<Id>(connection)?);
        after = lane;
    }
}

pub(super) fn purge_subscriptions(connection: &mut SqliteConnection, before: Timestamp, max: u32) -> Result<u32, Undo> {
    let forgotten =
        diesel::sql_query(FORGOTTEN).bind::<Instant, StoredInstant>(before.into()).bind::<BigInt, i64>(max.into());
    let forgotten: Vec<Forgotten> = forgotten.load(connection)?;
    for Forgotten { id } in &forgotten {
        diesel::delete(webhook_lanes::table.find(id)).execute(connection)?;
        let subscription = webhook_subscriptions::table.filter(webhook_subscriptions::id.eq(id));
        diesel::delete(subscription).execute(connection)?;
    }
    Ok(u32::try_from(forgotten.len()).unwrap_or(max))
}
