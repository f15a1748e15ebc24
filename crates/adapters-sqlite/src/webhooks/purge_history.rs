use std::collections::HashSet;
use std::sync::{MutexGuard, PoisonError};

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::schema::{
    webhook_consumers, webhook_deliveries, webhook_due, webhook_events, webhook_lanes, webhook_publications,
    webhook_pulled, webhook_subscriptions,
};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{IdRow, StoredInstant, statement};
use domain::ports::StoreError;
use domain::{DeliveryId, Timestamp};

use crate::SqliteStore;
use crate::undo::Undo;

/// The most deliveries, or events, that one transaction deletes, so that other writes do not wait long.
const CHUNK: u32 = 500;
/// The most events whose deliveries are looked for at a time. Each lane with a queue takes two look-ups, however many events
/// there are.
const CHECKED_MAX: u32 = 10_000;
/// The most subscriptions that one read checks, so that it ends within the deadline.
const LOOKED_AT_MAX: usize = 10_000;

/// The oldest ended deliveries of a subscription below an id.
const PURGE_ATTEMPTS: &str = "DELETE FROM webhook_attempts
    WHERE subscription_id = ?1 AND delivery_id IN (
        SELECT id FROM webhook_deliveries WHERE subscription_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)";
const PURGE_DELIVERIES: &str = "DELETE FROM webhook_deliveries
    WHERE subscription_id = ?1 AND id IN (
        SELECT id FROM webhook_deliveries WHERE subscription_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)";

/// The oldest events of a log below an id.
const PURGE_PULLED: &str = "DELETE FROM webhook_pulled WHERE subscription_id = ?1 AND sequence IN (
        SELECT sequence FROM webhook_pulled WHERE subscription_id = ?1 AND event_id < ?2 ORDER BY event_id LIMIT ?3)";

/// Subscriptions that were deleted before the time and have no deliveries.
const FORGOTTEN: &str = "SELECT id FROM webhook_subscriptions AS subscription
    WHERE deleted_at < ?1
        AND NOT EXISTS (SELECT 1 FROM webhook_due WHERE subscription_id = subscription.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE subscription_id = subscription.id)
    LIMIT ?2";

/// An id of 16 bytes. Delivery ids and event ids of one millisecond start with the same bytes, so one bound fits both.
pub(crate) type Id = Vec<u8>;

/// Finds the next subscription with old rows, and deletes a chunk of them. A deletion returns the number of attempts, which
/// the size of the chunk does not count, and of the other rows.
type OldRows = (
    fn(&mut SqliteConnection, Id, &[u8]) -> Result<Search, Undo>,
    fn(&mut SqliteConnection, &[u8], &[u8], u32) -> Result<(u32, u32), Undo>,
);

/// The progress of a search for subscriptions with old deliveries, or old events in a log.
pub(super) enum Search {
    /// This subscription has some.
    Found(Id),
    /// The subscriptions up to this one have none.
    UpTo(Id),
    /// All others have none.
    Over,
}

impl SqliteStore {
    /// See [`Retained::Webhooks`](domain::ports::Retained::Webhooks): first deliveries with their attempts, then
    /// events, then subscriptions, each in many short transactions. Readers find the old rows, which never become new
    /// again.
    pub(crate) async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let below: Id = DeliveryId::first_at(before).as_bytes().to_vec();
        let mut purged = self.purge_each(&below, max, (search, purge_chunk)).await?;
        purged += self.purge_each(&below, max.saturating_sub(purged), (search_pulled, purge_pulled)).await?;
        purged += self.purge_events(&below, max.saturating_sub(purged)).await?;
        if purged < max {
            purged += self.purge_subscriptions(before, CHUNK.min(max - purged)).await?;
        }
        Ok(purged)
    }

    /// Deletes events with their publication keys, unless they have queued deliveries. Continues where the last call ended,
    /// and begins again at the end: each call would otherwise pass all events that wait for suspended customers.
    async fn purge_events(&self, below: &Id, max: u32) -> Result<u32, StoreError> {
        let mut purged = 0;
        let mut after = self.purged_to().clone();
        let mut passes_all = after.is_empty();
        while purged < max {
            let (from, bound) = (after.clone(), below.clone());
            let events =
                self.readers.read(move |connection| old_events(connection, &from, &bound, CHECKED_MAX)).await?;
            let (Some(first), Some(last)) = (events.first(), events.last()) else {
                self.purged_to().clear();
                if purged > 0 || passes_all {
                    return Ok(purged);
                }
                (after, passes_all) = (Id::new(), true);
                continue;
            };
            let due = self.due_events(first, last).await?;
            let mut rest = &events[..];
            while purged < max
                && let Some(last) = rest.len().min(CHUNK.min(max - purged) as usize).checked_sub(1)
            {
                let (chunk, others) = rest.split_at(last + 1);
                (after, rest) = (chunk[last].clone(), others);
                let ended: Vec<Id> = chunk.iter().filter(|event| !due.contains(*event)).cloned().collect();
                if !ended.is_empty() {
                    purged += self.writer.write(move |connection| delete_events(connection, &ended)).await?;
                }
                self.purged_to().clone_from(&after);
            }
        }
        Ok(purged)
    }

    fn purged_to(&self) -> MutexGuard<'_, Id> {
        self.purged_to.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events of the same time that have queued deliveries.
    async fn due_events(&self, first: &[u8], last: &[u8]) -> Result<HashSet<Id>, StoreError> {
        let (from, to) = ([&first[..6], &[0; 10]].concat(), [&last[..6], &[0xFF; 10]].concat());
        let (mut events, mut next) = (HashSet::new(), Some(Id::new()));
        while let Some(after) = next {
            let (from, to) = (from.clone(), to.clone());
            let (found, lane) = self.readers.read(move |connection| due_events(connection, after, &from, &to)).await?;
            events.extend(found);
            next = lane;
        }
        Ok(events)
    }

    async fn purge_subscriptions(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let forgotten = self.readers.read(move |connection| forgotten_subscriptions(connection, before, max)).await?;
        if forgotten.is_empty() {
            return Ok(0);
        }
        self.writer.write(move |connection| delete_subscriptions(connection, &forgotten)).await
    }

    /// Deletes the old rows of one subscription after the other.
    async fn purge_each(&self, below: &Id, max: u32, (search, delete): OldRows) -> Result<u32, StoreError> {
        let (mut purged, mut after) = (0, Id::new());
        while purged < max {
            let (from, bound) = (after.clone(), below.clone());
            let subscription = match self.readers.read(move |connection| search(connection, from, &bound)).await? {
                Search::Over => break,
                Search::UpTo(subscription) => {
                    after = subscription;
                    continue;
                }
                Search::Found(subscription) => subscription,
            };
            let mut is_whole = true;
            while purged < max && is_whole {
                let (of, below, chunk) = (subscription.clone(), below.clone(), CHUNK.min(max - purged));
                let (attempts, rows) =
                    self.writer.write(move |connection| delete(connection, &of, &below, chunk)).await?;
                purged += attempts + rows;
                is_whole = rows == chunk;
            }
            after = subscription;
        }
        Ok(purged)
    }
}

/// The next subscription after `after` with an oldest ended delivery below `below`. Reads one row for each
/// subscription.
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

/// The next subscription after `after` with events below `below` in its log. Takes two look-ups for each log.
pub(super) fn search_pulled(connection: &mut SqliteConnection, mut after: Id, below: &[u8]) -> Result<Search, Undo> {
    for _ in 0..LOOKED_AT_MAX {
        let behind = webhook_pulled::table.filter(webhook_pulled::subscription_id.gt(&after));
        let ids = behind.order(webhook_pulled::subscription_id).select(webhook_pulled::subscription_id);
        let Some(log) = ids.first::<Id>(connection).optional()? else { return Ok(Search::Over) };
        let of_log = webhook_pulled::table.filter(webhook_pulled::subscription_id.eq(&log));
        let old = of_log.filter(webhook_pulled::event_id.lt(below)).select(webhook_pulled::sequence);
        if old.first::<i64>(connection).optional()?.is_some() {
            return Ok(Search::Found(log));
        }
        after = log;
    }
    Ok(Search::UpTo(after))
}

/// Deletes up to `max` ended deliveries of the subscription with ids below `below`. Returns the number of attempts and
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

/// Deletes up to `max` events below `below` from the log of the subscription.
fn purge_pulled(
    connection: &mut SqliteConnection,
    subscription: &[u8],
    below: &[u8],
    max: u32,
) -> Result<(u32, u32), Undo> {
    Ok((0, delete_chunk(connection, PURGE_PULLED, subscription, below, max)?))
}

fn delete_chunk(
    connection: &mut SqliteConnection,
    sql: &str,
    subscription: &[u8],
    below: &[u8],
    max: u32,
) -> Result<u32, Undo> {
    let deletion =
        statement(sql).bind::<Binary, _>(subscription).bind::<Binary, _>(below).bind::<BigInt, i64>(max.into());
    Ok(u32::try_from(deletion.execute(connection)?).unwrap_or(u32::MAX))
}

/// At most `max` events with ids after `after` and below `below`, in their order.
pub(super) fn old_events(
    connection: &mut SqliteConnection,
    after: &[u8],
    below: &[u8],
    max: u32,
) -> Result<Vec<Id>, Undo> {
    let events = webhook_events::table
        .filter(webhook_events::id.gt(after))
        .filter(webhook_events::id.lt(below))
        .order(webhook_events::id)
        .limit(max.into())
        .select(webhook_events::id);
    Ok(events.load(connection)?)
}

/// Deletes events and their publication keys. Returns the number of rows.
pub(crate) fn delete_events(connection: &mut SqliteConnection, events: &[Id]) -> Result<u32, Undo> {
    let mut deleted = 0;
    for event in events {
        let publications = webhook_publications::table.filter(webhook_publications::event_id.eq(event));
        deleted += diesel::delete(publications).execute(connection)?;
        deleted += diesel::delete(webhook_events::table.find(event)).execute(connection)?;
    }
    Ok(u32::try_from(deleted).unwrap_or(u32::MAX))
}

/// The events of the queued deliveries with ids from `from` to `to`. Searches [`LOOKED_AT_MAX`] lanes that have a queue,
/// after the lane `after`, and returns the last one if there are more.
pub(super) fn due_events(
    connection: &mut SqliteConnection,
    mut after: Id,
    from: &[u8],
    to: &[u8],
) -> Result<(Vec<Id>, Option<Id>), Undo> {
    let mut events = Vec::new();
    for _ in 0..LOOKED_AT_MAX {
        let next: Option<Id> = webhook_due::table
            .filter(webhook_due::subscription_id.gt(&after))
            .order(webhook_due::subscription_id)
            .select(webhook_due::subscription_id)
            .first(connection)
            .optional()?;
        let Some(lane) = next else { return Ok((events, None)) };
        let due = webhook_due::table
            .filter(webhook_due::subscription_id.eq(&lane))
            .filter(webhook_due::delivery_id.between(from, to))
            .select(webhook_due::event_id);
        events.extend(due.load::<Id>(connection)?);
        after = lane;
    }
    Ok((events, Some(after)))
}

/// At most `max` subscriptions that were deleted before `before` and have no deliveries.
pub(super) fn forgotten_subscriptions(
    connection: &mut SqliteConnection,
    before: Timestamp,
    max: u32,
) -> Result<Vec<Id>, Undo> {
    let forgotten = statement(FORGOTTEN).bind::<Instant, StoredInstant>(before.into()).bind::<BigInt, i64>(max.into());
    Ok(IdRow::ids(forgotten.load(connection)?))
}

/// Deletes subscriptions and their lanes. Returns the number of subscriptions.
pub(crate) fn delete_subscriptions(connection: &mut SqliteConnection, subscriptions: &[Id]) -> Result<u32, Undo> {
    let mut deleted = 0;
    for id in subscriptions {
        diesel::delete(webhook_lanes::table.find(id)).execute(connection)?;
        let consumers = webhook_consumers::table.filter(webhook_consumers::subscription_id.eq(id));
        diesel::delete(consumers).execute(connection)?;
        let subscription = webhook_subscriptions::table.filter(webhook_subscriptions::id.eq(id));
        deleted += diesel::delete(subscription).execute(connection)?;
    }
    Ok(u32::try_from(deleted).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;
    use domain::ports::{Retained, Retention as _, Schema as _};

    use super::*;
    use crate::SqliteSettings;

    #[tokio::test]
    async fn a_purge_continues_behind_the_events_that_wait() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            SqliteStore::open(SqliteSettings { path: folder.path().join("test.db"), readers: 1 }).await.unwrap();
        store.migrate().await.unwrap();
        let event = |n: u32| format!("(x'{n:032x}', 'i', 's', 'a', 0, 1, x'')");
        let fill = format!(
            "INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, created_at, deliveries, payload)
                VALUES {};
            INSERT INTO webhook_due SELECT x'aa', id, id, 0, 0, NULL, 0, 0, 0, NULL FROM webhook_events WHERE id = x'{:032x}'",
            (1..5).map(event).collect::<Vec<_>>().join(", "),
            1
        );
        store.writer.write(move |connection| Ok(connection.batch_execute(&fill)?)).await.unwrap();
        let before = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        // An earlier purge has come to the third event.
        *store.purged_to() = [vec![0; 15], vec![3]].concat();
        let mut places = Vec::new();
        while store.purge(Retained::Webhooks, before, 1).await.unwrap() > 0 {
            places.push(store.purged_to().last().copied());
        }
        assert_eq!(places, [Some(4), Some(2), Some(3)]);
        assert_eq!(*store.purged_to(), Id::new(), "the next purge looks at all events again");
    }
}
