use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::schema::{webhook_attempts, webhook_subscriptions};
use diesel_mapping::webhooks::{LoggedAttemptRow, SubscriptionRow};
use diesel_mapping::{CountRow, statement, values_of};
use domain::ports::{ListSubscriptionsRequest, LoggedAttempt};
use domain::webhooks::{AttemptRecord, Subscription, SubscriptionHealth};
use domain::{OwnerId, SubscriptionId};

use super::lane::Lane;
use super::subscription_queries::of;
use crate::undo::Undo;

/// Counts up to a limit.
const COUNT_QUEUED: &str =
    "SELECT count(*) AS count FROM (SELECT 1 FROM webhook_due WHERE subscription_id = ?1 LIMIT ?2)";

/// See [`SubscriptionStore::find`](domain::ports::SubscriptionStore::find). One transaction, so that the subscription
/// and its health are from the same instant.
pub(super) fn find_with_health(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    id: SubscriptionId,
) -> Result<Option<(Subscription, SubscriptionHealth)>, Undo> {
    connection.transaction(|connection| {
        let Some(subscription) = find_subscription(connection, owner, id)? else { return Ok(None) };
        Ok(Some((subscription, health(connection, id)?)))
    })
}

/// The owner's subscription, unless it is deleted.
pub(super) fn find_subscription(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    id: SubscriptionId,
) -> Result<Option<Subscription>, Undo> {
    let row: Option<SubscriptionRow> =
        of(owner, &id).select(SubscriptionRow::as_select()).first(connection).optional()?;
    Ok(row.map(Subscription::try_from).transpose()?)
}

/// See [`SubscriptionStore::list_with_health`](domain::ports::SubscriptionStore::list_with_health). One transaction, like
/// [`find_with_health`].
pub(super) fn list_with_health(
    connection: &mut SqliteConnection,
    request: &ListSubscriptionsRequest,
) -> Result<Vec<(Subscription, SubscriptionHealth)>, Undo> {
    connection.transaction(|connection| {
        let page = list_subscriptions(connection, request)?.into_iter();
        page.map(|one| health(connection, one.id).map(|health| (one, health))).collect()
    })
}

/// See [`SubscriptionStore::list`](domain::ports::SubscriptionStore::list).
pub(super) fn list_subscriptions(
    connection: &mut SqliteConnection,
    request: &ListSubscriptionsRequest,
) -> Result<Vec<Subscription>, Undo> {
    let ListSubscriptionsRequest { owner, before, max } = request;
    let before = before.unwrap_or(SubscriptionId::from_bytes([0xFF; 16]));
    let rows: Vec<SubscriptionRow> = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(owner.subject()))
        .filter(webhook_subscriptions::id.lt(before.as_bytes().as_slice()))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .order(webhook_subscriptions::id.desc())
        .limit((*max).into())
        .select(SubscriptionRow::as_select())
        .load(connection)?;
    Ok(values_of(rows)?)
}

/// See [`OperatorLog::subscriptions`](domain::ports::OperatorLog::subscriptions).
pub(super) fn list_all(
    connection: &mut SqliteConnection,
    after: Option<SubscriptionId>,
    max: u32,
) -> Result<Vec<Subscription>, Undo> {
    let after = after.map(|id| id.as_bytes().to_vec()).unwrap_or_default();
    let rows: Vec<SubscriptionRow> = webhook_subscriptions::table
        .filter(webhook_subscriptions::id.gt(after))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .order(webhook_subscriptions::id)
        .limit(max.into())
        .select(SubscriptionRow::as_select())
        .load(connection)?;
    Ok(rows.into_iter().filter_map(|row| Subscription::try_from(row).ok()).collect())
}

/// The health of the subscription: its breaker, its queue, its last attempt.
fn health(connection: &mut SqliteConnection, id: SubscriptionId) -> Result<SubscriptionHealth, Undo> {
    let waiting: CountRow = statement(COUNT_QUEUED)
        .bind::<Binary, _>(id.as_bytes().as_slice())
        .bind::<BigInt, i64>(SubscriptionHealth::WAITING_COUNT_MAX.into())
        .get_result(connection)?;
    Ok(SubscriptionHealth {
        breaker: Lane::find(connection, id)?.map(|lane| lane.breaker).unwrap_or_default(),
        waiting: u32::try_from(waiting.count).unwrap_or(SubscriptionHealth::WAITING_COUNT_MAX),
        last_attempt: last_attempt(connection, id)?,
    })
}

/// The last ended attempt of the subscription.
pub(super) fn last_attempt(
    connection: &mut SqliteConnection,
    id: SubscriptionId,
) -> Result<Option<AttemptRecord>, Undo> {
    let last: Option<LoggedAttemptRow> = webhook_attempts::table
        .filter(webhook_attempts::subscription_id.eq(id.as_bytes().as_slice()))
        .order((
            webhook_attempts::ended_at.desc(),
            webhook_attempts::delivery_id.desc(),
            webhook_attempts::number.desc(),
        ))
        .select(LoggedAttemptRow::as_select())
        .first(connection)
        .optional()?;
    let last = last.map(LoggedAttempt::try_from).transpose()?;
    Ok(last.map(|logged| logged.attempt))
}
