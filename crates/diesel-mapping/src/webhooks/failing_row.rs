use diesel::prelude::QueryableByName;
use domain::Timestamp;
use domain::ports::{FailingPlace, FailingSubscription, StoreError};
use domain::webhooks::Subscription;

use super::breaker_row::BreakerRow;
use super::subscription_row::SubscriptionRow;
use crate::StoredInstant;

/// Finds at most `$3` failing subscriptions behind `$1` and `$2`, by the index of failing lanes. The condition on
/// `is_open` is the one of the index, in the words of both databases.
pub const FIND_FAILING: &str = "SELECT subscription.id, subscription.owner_issuer, subscription.owner_subject,
        subscription.url, subscription.events, subscription.description, subscription.status, subscription.url_set_by,
        subscription.created_at, subscription.updated_at, subscription.created_by, subscription.options,
        subscription.filter, subscription.secret, subscription.previous_secret, subscription.previous_secret_until,
        lane.failures_in_a_row, lane.failing_since, lane.paused_until, lane.pause_millis
    FROM webhook_lanes AS lane
    JOIN webhook_subscriptions AS subscription ON subscription.id = lane.subscription_id
    WHERE lane.is_open AND lane.failing_since IS NOT NULL AND subscription.deleted_at IS NULL
        AND (lane.failing_since, lane.subscription_id) > ($1, $2)
    ORDER BY lane.failing_since, lane.subscription_id LIMIT $3";

/// A row of [`FIND_FAILING`]. Its values are not checked yet.
#[derive(Debug, QueryableByName)]
pub struct FailingRow {
    #[diesel(embed)]
    subscription: SubscriptionRow,
    #[diesel(embed)]
    breaker: BreakerRow,
}

/// The last attempt is left out.
impl TryFrom<FailingRow> for FailingSubscription {
    type Error = StoreError;

    fn try_from(row: FailingRow) -> Result<Self, StoreError> {
        let subscription = Subscription::try_from(row.subscription)?;
        Ok(Self { subscription, breaker: row.breaker.breaker(), last_attempt: None })
    }
}

/// The values of `$1` and `$2`.
pub fn failing_after(after: Option<FailingPlace>) -> (StoredInstant, Vec<u8>) {
    let since = after.map_or(Timestamp::MIN, |place| place.since);
    (since.into(), after.map(|place| place.subscription.as_bytes().to_vec()).unwrap_or_default())
}
