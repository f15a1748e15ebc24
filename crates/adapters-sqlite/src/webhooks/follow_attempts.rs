use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::LoggedAttemptRow;
use diesel_mapping::{StoredInstant, statement, values_of};
use domain::ports::{AttemptCursor, ListAttemptsRequest, LoggedAttempt};
use domain::{SubscriptionId, Timestamp};

use super::find_delivery::subscriptions_of;
use crate::undo::Undo;

/// One subscription's attempts after a cursor, none later than `?5`, in the order of the index.
const ATTEMPTS_AFTER: &str =
    "SELECT subscription_id, delivery_id, event_id, number, started_at, ended_at, failure, status
    FROM webhook_attempts
    WHERE subscription_id = ?1 AND (ended_at, delivery_id, number) > (?2, ?3, ?4) AND ended_at <= ?5
    ORDER BY ended_at, delivery_id, number LIMIT ?6";

/// See [`DeliveryLog::attempts_after`](domain::ports::DeliveryLog::attempts_after).
pub(super) fn follow_attempts(
    connection: &mut SqliteConnection,
    request: &ListAttemptsRequest,
) -> Result<Vec<LoggedAttempt>, Undo> {
    let &ListAttemptsRequest { ref owner, subscription, after, max } = request;
    let mut subscriptions = subscriptions_of(connection, owner)?;
    subscriptions.retain(|id| subscription.is_none_or(|wanted| wanted == *id));
    let length_max = usize::try_from(max).unwrap_or(usize::MAX);
    let (mut attempts, mut until): (Vec<LoggedAttempt>, _) = (Vec::new(), Timestamp::MAX);
    for subscription in subscriptions {
        attempts.append(&mut attempts_of(connection, subscription, after, until, max)?);
        attempts.sort_unstable_by_key(LoggedAttempt::cursor);
        attempts.truncate(length_max);
        // With enough attempts, later ones of the other subscriptions are not needed.
        if attempts.len() == length_max {
            until = attempts.last().map_or(until, |last| last.attempt.ended_at());
        }
    }
    Ok(attempts)
}

fn attempts_of(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    after: AttemptCursor,
    until: Timestamp,
    max: u32,
) -> Result<Vec<LoggedAttempt>, Undo> {
    let attempts = statement(ATTEMPTS_AFTER)
        .bind::<Binary, _>(subscription.as_bytes().as_slice())
        .bind::<Instant, StoredInstant>(after.ended_at.into())
        .bind::<Binary, _>(after.delivery.as_bytes().as_slice())
        .bind::<BigInt, i64>(after.number.into())
        .bind::<Instant, StoredInstant>(until.into())
        .bind::<BigInt, i64>(max.into());
    let rows: Vec<LoggedAttemptRow> = attempts.load(connection)?;
    Ok(values_of(rows)?)
}
