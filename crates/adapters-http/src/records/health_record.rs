use domain::webhooks::{FoundSubscription, HealthState, Pause};
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::attempt_record::AttemptRecord;

/// The health of a subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionHealth)]
pub(crate) struct HealthRecord {
    /// `healthy`: no attempt has failed since the last success, or since the subscription was enabled. `failing`: the
    /// last attempt failed; deliveries continue. `paused`: too many attempts failed in a row, or the receiver asked for
    /// a pause; the service sends nothing for a while. `disabled`: the subscription receives no events.
    #[schema(example = "failing")]
    state: &'static str,
    /// The reason for the state. Disabled: the `disabledReason` of the subscription. Paused: `retry_after` when the receiver asked for the
    /// pause. Otherwise the `error` of the last attempt. `null` when healthy, and when the reason is no longer known.
    #[schema(required, example = "timeout")]
    reason: Option<&'static str>,
    /// When the current run of failures began; `null` when the last attempt succeeded.
    #[schema(format = DateTime, required)]
    failing_since: Option<String>,
    /// When the pause ends, and a delivery is tried again; `null` unless paused.
    #[schema(format = DateTime, required)]
    paused_until: Option<String>,
    /// How many deliveries wait or are being sent, counted up to 10,000.
    waiting: u32,
    /// The attempt that ended last; `null` before the first attempt.
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
            paused_until: pause_of(found).map(|pause| pause.until.to_string()),
            waiting: health.waiting,
            last_attempt: health.last_attempt.as_ref().map(AttemptRecord::of),
        }
    }
}

/// The pause that has not ended.
fn pause_of(found: &FoundSubscription) -> Option<Pause> {
    found.health.breaker.pause.filter(|_| matches!(found.state, HealthState::Paused(_)))
}
