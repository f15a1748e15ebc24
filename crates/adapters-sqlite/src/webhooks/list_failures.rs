use std::cmp::Reverse;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel::sqlite::Sqlite;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{FailedRow, LostCountRow, counted, delivery_id, subscription_id};
use diesel_mapping::{IdRow, StoredInstant, statement, values_of};
use domain::ports::{CountRecoverableRequest, ListFailedRequest};
use domain::webhooks::{FailedDelivery, Recoverable};
use domain::{DeliveryId, OwnerId, SubscriptionId};

use super::recover_subscription::{FAILED, MISSED};
use crate::undo::Undo;

/// The newest failed deliveries of one subscription. SQLite would read them by the primary key, with every delivery that
/// has not failed.
fn newest_failed() -> String {
    format!(
        "SELECT id FROM webhook_deliveries INDEXED BY webhook_deliveries_failed
        WHERE subscription_id = ?1 AND id >= ?2 AND {FAILED} ORDER BY id DESC LIMIT ?3"
    )
}

/// The same with the last attempt of each.
fn newest_failed_with_attempts() -> String {
    format!(
        "SELECT ?1 AS subscription_id, failed.id AS delivery_id, attempt.failure, attempt.status
        FROM ({}) AS failed
        LEFT JOIN webhook_attempts AS attempt
            ON attempt.subscription_id = ?1 AND attempt.delivery_id = failed.id AND attempt.number = (
                SELECT max(number) FROM webhook_attempts
                WHERE subscription_id = ?1 AND delivery_id = failed.id
            )",
        newest_failed()
    )
}

/// Counts, by event type, the deliveries that a recovery would read. Names every phase, so that the order of the
/// lane finds the deliveries with a later due time behind all due ones.
fn count_lost(what: Recoverable) -> String {
    let most = |is_wanted| if is_wanted { "?4" } else { "0" };
    let (failed_max, missed_max) = (most(what.has_failed()), most(what.has_missed()));
    format!(
        "SELECT event_type, count(*) AS count FROM (
            SELECT * FROM (
                SELECT event_type FROM webhook_deliveries INDEXED BY webhook_deliveries_failed
                WHERE subscription_id = ?1 AND id >= ?2 AND {FAILED} LIMIT {failed_max}
            )
            UNION ALL SELECT * FROM (
                SELECT event_type FROM webhook_deliveries INDEXED BY webhook_deliveries_missed
                WHERE subscription_id = ?1 AND id >= ?2 AND {MISSED} LIMIT {missed_max}
            )
            UNION ALL SELECT * FROM (
                SELECT event.event_type FROM webhook_due AS due INDEXED BY webhook_due_order
                JOIN webhook_events AS event ON event.id = due.event_id
                WHERE subscription_id = ?1 AND phase IN (0, 1, 2, 3) AND due_at > ?3 AND claim IS NULL
                    AND delivery_id >= ?2
                LIMIT {failed_max}
            )
        ) GROUP BY event_type"
    )
}

/// See [`DeliveryLog::failed`](domain::ports::DeliveryLog::failed). Finds the newest deliveries of all subscriptions first,
/// and reads attempts of no others.
pub(super) fn list_failed(
    connection: &mut SqliteConnection,
    request: &ListFailedRequest,
) -> Result<Vec<FailedDelivery>, Undo> {
    let &ListFailedRequest { ref owner, subscription, published_since, max } = request;
    let subscriptions = stored_subscriptions(connection, owner, subscription)?;
    let from = oldest_shown(connection, &subscriptions, DeliveryId::first_at(published_since), max)?;
    let mut failed: Vec<FailedDelivery> = Vec::new();
    for id in subscriptions {
        let rows: Vec<FailedRow> = rows_of(connection, newest_failed_with_attempts(), id, from, max)?;
        failed.append(&mut values_of(rows)?);
    }
    failed.sort_unstable_by_key(|one| Reverse(one.id));
    failed.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok(failed)
}

/// The oldest of the newest `max` failed deliveries to these subscriptions, or `from` if there are fewer.
fn oldest_shown(
    connection: &mut SqliteConnection,
    subscriptions: &[SubscriptionId],
    mut from: DeliveryId,
    max: u32,
) -> Result<DeliveryId, Undo> {
    let length_max = usize::try_from(max).unwrap_or(usize::MAX);
    let mut newest: Vec<DeliveryId> = Vec::new();
    for id in subscriptions {
        let rows: Vec<IdRow> = rows_of(connection, newest_failed(), *id, from, max)?;
        let ids = rows.iter().map(|row| delivery_id("webhook_deliveries", "id", &row.id));
        newest.extend(ids.collect::<Result<Vec<DeliveryId>, _>>()?);
        newest.sort_unstable_by_key(|id| Reverse(*id));
        newest.truncate(length_max);
        if newest.len() == length_max {
            from = newest.last().copied().unwrap_or(from);
        }
    }
    Ok(from)
}

fn rows_of<Row: QueryableByName<Sqlite> + 'static>(
    connection: &mut SqliteConnection,
    sql: String,
    subscription: SubscriptionId,
    from: DeliveryId,
    max: u32,
) -> QueryResult<Vec<Row>> {
    statement(sql)
        .bind::<Binary, _>(subscription.as_bytes().as_slice())
        .bind::<Binary, _>(from.as_bytes().as_slice())
        .bind::<BigInt, i64>(max.into())
        .load(connection)
}

/// See [`DeliveryLog::count_recoverable`](domain::ports::DeliveryLog::count_recoverable).
pub(super) fn count_recoverable(
    connection: &mut SqliteConnection,
    request: &CountRecoverableRequest,
) -> Result<Option<u32>, Undo> {
    let &CountRecoverableRequest { ref owner, subscription, retry, ref filter, .. } = request;
    if stored_subscriptions(connection, owner, Some(subscription))?.is_empty() {
        return Ok(None);
    }
    let query = statement(count_lost(filter.what))
        .bind::<Binary, _>(subscription.as_bytes().as_slice())
        .bind::<Binary, _>(DeliveryId::first_at(retry.published_since).as_bytes().to_vec())
        .bind::<Instant, StoredInstant>(retry.at.into())
        .bind::<BigInt, i64>(request.read_max().into());
    let rows: Vec<LostCountRow> = query.load(connection)?;
    Ok(Some(counted(request, &rows)))
}

/// The ids of the owner's subscriptions that are not deleted, or of the one in the request.
fn stored_subscriptions(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    meant: Option<SubscriptionId>,
) -> Result<Vec<SubscriptionId>, Undo> {
    let ids: Vec<Vec<u8>> = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(owner.subject()))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .order(webhook_subscriptions::id.desc())
        .select(webhook_subscriptions::id)
        .load(connection)?;
    let ids = ids.iter().map(|id| subscription_id("webhook_subscriptions", "id", id));
    let mut ids: Vec<SubscriptionId> = ids.collect::<Result<_, _>>()?;
    ids.retain(|id| meant.is_none_or(|meant| meant == *id));
    Ok(ids)
}
