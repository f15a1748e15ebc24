use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::{BreakerRow, SubscriptionRow};
use diesel_mapping::{Kept, owner_statement, values_of};
use domain::SubscriptionId;
use domain::ports::ListSubscriptionsRequest;
use domain::webhooks::{Subscription, SubscriptionHealth};

use super::operator_log::last_attempts;
use super::subscription_queries::owned_by;
use crate::attempt::{Failure, Work};

/// Sorts after every id.
const ID_END: [u8; 17] = [0xFF; 17];

/// The newest `$4` of the owner's subscriptions below `$3`, each with its breaker and with the number of deliveries in its
/// queue, counted up to `$5`.
const LIST_WITH_HEALTH: &str = "SELECT subscription.*,
        lane.failures_in_a_row, lane.failing_since, lane.paused_until, lane.pause_millis, queue.waiting
    FROM (
        SELECT id, owner_issuer, owner_subject, url, events, description, status, url_set_by, created_at, updated_at,
            created_by, options, filter, secret, previous_secret, previous_secret_until
        FROM webhook_subscriptions
        WHERE owner_issuer = $1 AND owner_subject = $2 AND deleted_at IS NULL AND id < $3
        ORDER BY id DESC LIMIT $4
    ) AS subscription
    CROSS JOIN LATERAL (
        SELECT failures_in_a_row, failing_since, paused_until, pause_millis
        FROM webhook_lanes WHERE subscription_id = subscription.id LIMIT 1 -- so that the plan cannot begin with all lanes
    ) AS lane
    CROSS JOIN LATERAL (
        SELECT count(*) AS waiting FROM (
            SELECT FROM webhook_due WHERE subscription_id = subscription.id LIMIT $5
        ) AS counted
    ) AS queue
    ORDER BY subscription.id DESC";

/// A page of an owner's subscriptions. One statement.
pub(super) struct List<'a>(pub(super) &'a ListSubscriptionsRequest);

impl Work for List<'_> {
    type Answer = Vec<Subscription>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<Subscription>, Failure> {
        let rows: Vec<SubscriptionRow> = webhook_subscriptions::table
            .filter(owned_by(&self.0.owner))
            .filter(webhook_subscriptions::id.lt(end_of_ids(self.0.before.as_ref())))
            .order(webhook_subscriptions::id.desc())
            .limit(self.0.max.into())
            .select(SubscriptionRow::as_select())
            .load(&mut &*connection)
            .await?;
        Ok(values_of(rows)?)
    }
}

/// A page of an owner's subscriptions, each with its health. Two statements that see different moments: the attempt may
/// be newer than the breaker.
pub(super) struct ListWithHealth<'a>(pub(super) &'a ListSubscriptionsRequest);

impl Work for ListWithHealth<'_> {
    type Answer = Vec<(Subscription, SubscriptionHealth)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let query = owner_statement(LIST_WITH_HEALTH, &self.0.owner)
            .bind::<Binary, _>(end_of_ids(self.0.before.as_ref()))
            .bind::<BigInt, i64>(self.0.max.into())
            .bind::<BigInt, i64>(SubscriptionHealth::WAITING_COUNT_MAX.into());
        let rows: Vec<RowWithHealth> = Kept(query).load(&mut &*connection).await?;
        let mut page = Vec::with_capacity(rows.len());
        for RowWithHealth { subscription, breaker, waiting } in rows {
            let waiting = u32::try_from(waiting).unwrap_or(SubscriptionHealth::WAITING_COUNT_MAX);
            let health = SubscriptionHealth { breaker: breaker.breaker(), waiting, last_attempt: None };
            page.push((Subscription::try_from(subscription)?, health));
        }
        let mut attempts = last_attempts(connection, page.iter().map(|(one, _)| &one.id)).await?;
        for (subscription, health) in &mut page {
            health.last_attempt = attempts.remove(&subscription.id);
        }
        Ok(page)
    }
}

fn end_of_ids(before: Option<&SubscriptionId>) -> &[u8] {
    before.map_or(&ID_END, |before| before.as_bytes())
}

#[derive(QueryableByName)]
struct RowWithHealth {
    #[diesel(embed)]
    subscription: SubscriptionRow,
    #[diesel(embed)]
    breaker: BreakerRow,
    #[diesel(sql_type = BigInt)]
    waiting: i64,
}
