use std::ops::RangeInclusive;

use super::failure_reason::FailureReason;
use crate::{DeliveryId, SubscriptionId};

/// Why a delivery failed: where it goes, and how its last attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FailureCause {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// Why the last attempt failed; `None` if the last attempt did not fail, or there was none: the subscription was
    /// disabled first.
    pub failure: Option<FailureReason>,
    /// The status of the answer to the last attempt. `None` without an answer, and without a failure.
    pub status: Option<u16>,
}

impl FailureCause {
    /// The status codes of answers: three digits (RFC 9110, section 15).
    pub const STATUSES: RangeInclusive<u16> = 100..=999;

    /// The cause with this end of the last attempt.
    pub fn new(subscription: SubscriptionId, failure: Option<FailureReason>, status: Option<u16>) -> Self {
        Self { subscription, failure, status: status.filter(|_| failure.is_some()) }
    }
}

/// A delivery that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedDelivery {
    /// The delivery.
    pub id: DeliveryId,
    /// The cause of the failure.
    pub cause: FailureCause,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_is_no_cause() {
        let id = SubscriptionId::from_bytes([1; 16]);
        assert_eq!(FailureCause::new(id, None, Some(204)), FailureCause::new(id, None, None));
    }
}
