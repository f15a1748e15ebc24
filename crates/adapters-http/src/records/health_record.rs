use domain::webhooks::FoundSubscription;
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::attempt_record::AttemptRecord;

/// How a subscription fares.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionHealth)]
pub(crate) struct HealthRecord {
    /// `healthy`: no attempt has failed since the last success, or since it was enabled. `failing`: the last attempt
    /// failed; deliveries go on. `paused`: too many attempts failed in a row, or the receiver asked for a pause; nothing is sent for a while.
    /// `disabled`: it receives no events.
    #[schema(example = "failing")]
    state: &'static str,
    /// Why. Disabled: `owner` (by its owner), `gone` (the receiver answered 410) or `only_failures` (for five days).
    /// Paused: `retry_after`, when the receiver asked for it. Else the `error` of the last attempt; `null` when healthy,
    /// and when it is not known any more.
    #[schema(required, example = "timeout")]
    reason: Option<&'static str>,
    /// Since when there are nothing but failures; `null` when there are none.
    #[schema(format = DateTime, required)]
    failing_since: Option<String>,
    /// Deliveries that wait or are being sent, counted up to 100,000.
    waiting: u32,
    /// The attempt that ended last; `null` before the first.
    #[schema(required)]
    last_attempt: Option<AttemptRecord>,
}

impl HealthRecord {
    pub(crate) fn of(found: &FoundSubscription) -> Self {
        let health = &found.health;
        Self {
            state: found.state.as_str(),
            reason: found.state.reason(),
            failing_since: health.breaker.failing_since.map(|at| at.to_string()),
            waiting: health.waiting,
            last_attempt: health.last_attempt.as_ref().map(AttemptRecord::of),
        }
    }
}
