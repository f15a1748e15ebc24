use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::schema::webhook_attempts;
use diesel_mapping::webhooks::LoggedAttemptRow;
use domain::SubscriptionId;
use domain::ports::LoggedAttempt;
use domain::webhooks::SubscriptionHealth;

use super::lane::Lane;
use crate::undo::Undo;

/// Stops counting at a limit.
const COUNT_QUEUED: &str =
    "SELECT count(*) AS count FROM (SELECT 1 FROM webhook_due WHERE subscription_id = ?1 LIMIT ?2)";

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How a subscription fares.
pub(super) fn health(connection: &mut SqliteConnection, id: SubscriptionId) -> Result<SubscriptionHealth, Undo> {
    let waiting: Counted = diesel::sql_query(COUNT_QUEUED)
        .bind::<Binary, _>(id.as_bytes().as_slice())
        .bind::<BigInt, i64>(SubscriptionHealth::WAITING_COUNT_MAX.into())
        .get_result(connection)?;
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
    Ok(SubscriptionHealth {
        breaker: Lane::find(connection, id)?.map(|lane| lane.breaker).unwrap_or_default(),
        waiting: u32::try_from(waiting.count).unwrap_or(SubscriptionHealth::WAITING_COUNT_MAX),
        last_attempt: last.map(|logged| logged.attempt),
    })
}
