use std::time::Duration;

use sha2::{Digest, Sha256};

use super::attempt_outcome::{AttemptOutcome, FailureReason};
use crate::webhooks::{Event, EventType};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp};

/// One event on its way to one subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, by which it is sorted: ids sort by the event's creation.
    pub id: DeliveryId,
    /// Which event.
    pub event_id: EventId,
    /// The event's type.
    pub event_type: EventType,
    /// Where to.
    pub subscription_id: SubscriptionId,
    /// How it stands.
    pub state: DeliveryState,
    /// Attempts that were begun, in all. One that a crash cut off counts; one that was no fault of the receiver's does not.
    pub attempts: u32,
    /// When the event was published.
    pub created_at: Timestamp,
}

/// How a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be attempted, not before then.
    Waiting(Timestamp),
    /// Being attempted. Should the instance die, it is due again then.
    Sending(Timestamp),
    /// Over.
    Ended {
        /// How.
        end: DeliveryEnd,
        /// When.
        at: Timestamp,
    },
}

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryEnd {
    /// The receiver has it.
    Delivered,
    /// The last attempt of the schedule failed.
    ScheduleSpent,
    /// The subscription was disabled while it waited.
    SubscriptionDisabled,
    /// Its owner cancelled it.
    Cancelled,
    /// The subscription was deleted while it waited.
    SubscriptionDeleted,
}

impl DeliveryEnd {
    /// Every end.
    pub const ALL: [Self; 5] =
        [Self::Delivered, Self::ScheduleSpent, Self::SubscriptionDisabled, Self::Cancelled, Self::SubscriptionDeleted];

    /// The code that the API and storage use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::ScheduleSpent => "schedule_spent",
            Self::SubscriptionDisabled => "subscription_disabled",
            Self::Cancelled => "cancelled",
            Self::SubscriptionDeleted => "subscription_deleted",
        }
    }

    /// The end of a code; `None` when there is none.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.code() == code)
    }

    /// What consumers are told in a word, beside the reason.
    pub const fn kind(self) -> DeliveryStateKind {
        match self {
            Self::Delivered => DeliveryStateKind::Delivered,
            Self::ScheduleSpent | Self::SubscriptionDisabled => DeliveryStateKind::Failed,
            Self::Cancelled | Self::SubscriptionDeleted => DeliveryStateKind::Cancelled,
        }
    }
}

/// The word for how a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryStateKind {
    /// To be attempted.
    Waiting,
    /// Being attempted.
    Sending,
    /// The receiver has it.
    Delivered,
    /// Given up by us. Recovering the subscription brings it back.
    Failed,
    /// Given up by its owner.
    Cancelled,
}

impl DeliveryStateKind {
    /// Every word.
    pub const ALL: [Self; 5] = [Self::Waiting, Self::Sending, Self::Delivered, Self::Failed, Self::Cancelled];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// What a word stands for; `None` when nothing.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl DeliveryState {
    /// The word for it.
    pub const fn kind(self) -> DeliveryStateKind {
        match self {
            Self::Waiting(_) => DeliveryStateKind::Waiting,
            Self::Sending(_) => DeliveryStateKind::Sending,
            Self::Ended { end, .. } => end.kind(),
        }
    }
}

impl DeliveryId {
    /// The id of the delivery of `event` to `subscription`: always the same, so that fanning an event out twice makes
    /// no second delivery. It sorts by the event's creation like the event's own id: a UUIDv7 with that time, and 74
    /// bits of a SHA-256 for the rest.
    pub fn of(event: EventId, subscription: SubscriptionId) -> Self {
        let digest = Sha256::new().chain_update(event.as_bytes()).chain_update(subscription.as_bytes()).finalize();
        let mut bytes: [u8; 16] = [0; 16];
        bytes[..6].copy_from_slice(&event.as_bytes()[..6]);
        bytes[6..].copy_from_slice(&digest[..10]);
        bytes[6] = bytes[6] & 0x0F | 0x70;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Self::from_bytes(bytes)
    }
}

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// Which attempt of the delivery, from 1.
    pub number: u32,
    /// When it started.
    pub started_at: Timestamp,
    /// How long it took, to the millisecond.
    pub duration: Duration,
    /// Why it failed; `None`: delivered.
    pub failure: Option<FailureReason>,
    /// The status of the receiver's answer, if there was one.
    pub status: Option<u16>,
    /// The start of the answer's body, [`crate::webhooks::Answer::EXCERPT_BYTES_MAX`] bytes at most; empty without an answer.
    pub excerpt: Vec<u8>,
}

impl AttemptRecord {
    /// The record of an attempt that ended so; `None` for a fault of ours, which is no attempt.
    pub fn of(number: u32, started_at: Timestamp, duration: Duration, outcome: &AttemptOutcome) -> Option<Self> {
        let (failure, answer) = match outcome {
            AttemptOutcome::Answered(answer) => (answer.failure(), Some(answer)),
            AttemptOutcome::Failed { reason, answer } => (Some(*reason), answer.as_ref()),
            AttemptOutcome::NotCharged(_) => return None,
        };
        let duration = Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
        let status = answer.map(|answer| answer.status);
        let excerpt = answer.map(|answer| answer.excerpt.clone()).unwrap_or_default();
        Some(Self { number, started_at, duration, failure, status, excerpt })
    }

    /// When it ended.
    pub fn ended_at(&self) -> Timestamp {
        self.started_at.plus(self.duration)
    }
}

/// All that is known of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryHistory {
    /// The delivery.
    pub delivery: Delivery,
    /// Its event.
    pub event: Event,
    /// Its attempts that have ended, the first first. Their numbers may have gaps: a crash leaves no record.
    pub attempts: Vec<AttemptRecord>,
}

/// Which deliveries to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Those of this subscription alone.
    pub subscription: Option<SubscriptionId>,
    /// Those of events of this type alone.
    pub event_type: Option<EventType>,
    /// Those that stand so.
    pub state: Option<DeliveryStateKind>,
    /// Those whose event was published then or later.
    pub since: Option<Timestamp>,
    /// Those whose event was published before then.
    pub until: Option<Timestamp>,
}

impl DeliveryFilter {
    /// Whether `delivery` passes.
    pub fn matches(&self, delivery: &Delivery) -> bool {
        self.subscription.is_none_or(|wanted| wanted == delivery.subscription_id)
            && self.event_type.as_ref().is_none_or(|wanted| *wanted == delivery.event_type)
            && self.state.is_none_or(|wanted| wanted == delivery.state.kind())
            && self.since.is_none_or(|since| delivery.created_at >= since)
            && self.until.is_none_or(|until| delivery.created_at < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;
    use crate::webhooks::Answer;

    fn at(unix_millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(unix_millis).unwrap()
    }

    #[test]
    fn a_delivery_id_follows_from_event_and_subscription() {
        let entropy = SeededEntropy::new(1);
        let now = at(1_795_225_323_120);
        let (event, other_event) = (EventId::mint(now, &entropy), EventId::mint(now, &entropy));
        let (subscription, other) = (SubscriptionId::mint(now, &entropy), SubscriptionId::mint(now, &entropy));
        let id = DeliveryId::of(event, subscription);
        assert_eq!(id, DeliveryId::of(event, subscription));
        assert_ne!(id, DeliveryId::of(other_event, subscription));
        assert_ne!(id, DeliveryId::of(event, other));
        let uuid = uuid::Uuid::from_bytes(*id.as_bytes());
        assert_eq!((uuid.get_version_num(), uuid.get_variant()), (7, uuid::Variant::RFC4122));
        assert_eq!(id.as_bytes()[..6], event.as_bytes()[..6]);
    }

    #[test]
    fn codes_and_words_read_back() {
        for end in DeliveryEnd::ALL {
            assert_eq!(DeliveryEnd::from_code(end.code()), Some(end));
        }
        for kind in DeliveryStateKind::ALL {
            assert_eq!(DeliveryStateKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!((DeliveryEnd::from_code(""), DeliveryStateKind::parse("ended")), (None, None));
    }

    #[test]
    fn a_record_says_what_the_verdict_says() {
        let record = |outcome: &AttemptOutcome| AttemptRecord::of(1, at(0), Duration::from_micros(1_999), outcome);
        for (status, failure) in [
            (204, None),
            (302, Some(FailureReason::Redirect)),
            (410, Some(FailureReason::Status)),
            (503, Some(FailureReason::Status)),
        ] {
            let answer = Answer { status, retry_after: None, excerpt: b"so".to_vec() };
            let record = record(&AttemptOutcome::Answered(answer)).unwrap();
            assert_eq!((record.failure, record.status, &record.excerpt[..]), (failure, Some(status), &b"so"[..]));
            assert_eq!(record.ended_at(), at(1));
        }
        let late = record(&AttemptOutcome::Failed { reason: FailureReason::Timeout, answer: None }).unwrap();
        assert_eq!((late.failure, late.status, late.excerpt.len()), (Some(FailureReason::Timeout), None, 0));
        assert_eq!(record(&AttemptOutcome::NotCharged(crate::webhooks::OurFault::Resolver)), None);
    }
}
