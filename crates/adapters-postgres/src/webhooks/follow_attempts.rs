use diesel::sql_types::{BigInt, Binary, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::LoggedAttemptRow;
use diesel_mapping::{Kept, StoredInstant, owner_statement, values_of};
use domain::ports::{ListAttemptsRequest, LoggedAttempt};

use crate::attempt::{Failure, Work};

const ATTEMPTS_AFTER: &str = "SELECT attempt.*
    FROM webhook_subscriptions AS subscription
    CROSS JOIN LATERAL (
        SELECT subscription_id, delivery_id, event_id, number, started_at, ended_at, failure, status
        FROM webhook_attempts
        WHERE subscription_id = subscription.id AND ended_at >= $4 AND (ended_at, delivery_id, number) > ($4, $5, $6)
        ORDER BY ended_at, delivery_id, number LIMIT $7
    ) AS attempt
    WHERE subscription.owner_issuer = $1 AND subscription.owner_subject = $2
        AND (subscription.id = $3 OR $3 IS NULL)
    ORDER BY attempt.ended_at, attempt.delivery_id, attempt.number LIMIT $7";

/// Attempts in the order in which they ended.
impl Work for ListAttemptsRequest {
    type Answer = Vec<LoggedAttempt>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<LoggedAttempt>, Failure> {
        let query = owner_statement(ATTEMPTS_AFTER, &self.owner)
            .bind::<Nullable<Binary>, _>(self.subscription.map(|id| id.as_bytes().to_vec()))
            .bind::<Instant, StoredInstant>(self.after.ended_at.into())
            .bind::<Binary, _>(self.after.delivery.as_bytes().as_slice())
            .bind::<BigInt, i64>(self.after.number.into())
            .bind::<BigInt, i64>(self.max.into());
        let rows: Vec<LoggedAttemptRow> = Kept(query).load(&mut &*connection).await?;
        Ok(values_of(rows)?)
    }
}
