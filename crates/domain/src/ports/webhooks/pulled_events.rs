use async_trait::async_trait;

use crate::audit::Cause;
use crate::ports::StoreError;
use crate::webhooks::{Consumer, ConsumerName, Event, LeaseId};
use crate::{EventId, OwnerId, SubscriptionId, Timestamp};

/// The most consumers of one subscription.
pub const CONSUMERS_MAX: u32 = 100;

/// The log of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PulledLog {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub subscription: SubscriptionId,
}

/// How much one read returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PulledMax {
    /// The most events.
    pub events: u32,
    /// The most bytes of payloads. The first event always fits.
    pub bytes: u64,
}

/// Asks for [`PulledEvents::receive`].
#[derive(Clone, Debug)]
pub struct ReceiveRequest {
    /// The log.
    pub log: PulledLog,
    /// The consumer.
    pub consumer: ConsumerName,
    /// How much it returns.
    pub max: PulledMax,
    /// The new lease.
    pub lease: LeaseId,
    /// The present time.
    pub at: Timestamp,
    /// When the lease ends.
    pub until: Timestamp,
}

/// An event in the log of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PulledEvent {
    /// Its number in the log, from 1, without a gap.
    pub sequence: u64,
    /// The event.
    pub event: Event,
}

/// The result of reading a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pulled {
    /// The next events, at least one.
    Events(Vec<PulledEvent>),
    /// There are no newer events. The log ends with this number.
    Nothing {
        /// The number of the last event; 0 before the first.
        last: u64,
    },
    /// The store has deleted the next events.
    Expired {
        /// The number of the first event that is stored, or will be.
        oldest: u64,
    },
    /// Another reader has the events.
    Leased {
        /// Until when.
        until: Timestamp,
    },
    /// The subscription has [`CONSUMERS_MAX`] other consumers.
    TooManyConsumers,
    /// The owner has no such subscription with a log.
    NotFound,
}

impl Pulled {
    /// The answer of a log that ends with the number `last`, to a read behind `after` that found these numbers, sorted, each with
    /// its event; `None` stands for a damaged event, which is passed over.
    ///
    /// # Errors
    ///
    /// If all events are damaged: the number of the last one, behind which the store reads again.
    pub fn of(after: u64, last: u64, found: Vec<(u64, Option<Event>)>) -> Result<Self, u64> {
        let first = found.first().map(|(number, _)| *number);
        let in_order = (after + 1..).zip(found).take_while(|(expected, (number, _))| expected == number);
        let in_order: Vec<(u64, Option<Event>)> = in_order.map(|(_, found)| found).collect();
        let examined = in_order.last().map(|(number, _)| *number);
        let readable =
            in_order.into_iter().filter_map(|(sequence, event)| Some(PulledEvent { sequence, event: event? }));
        let events: Vec<PulledEvent> = readable.collect();
        match (examined, first) {
            (Some(examined), _) if events.is_empty() => Err(examined),
            (Some(_), _) => Ok(Self::Events(events)),
            (None, Some(oldest)) => Ok(Self::Expired { oldest }),
            (None, None) if last > after => Ok(Self::Expired { oldest: last + 1 }),
            (None, None) => Ok(Self::Nothing { last }),
        }
    }

    /// The number of the last event in the answer.
    pub fn through(&self) -> Option<u64> {
        match self {
            Self::Events(events) => events.last().map(|last| last.sequence),
            _ => None,
        }
    }
}

/// Asks for [`PulledEvents::commit`].
#[derive(Clone, Debug)]
pub struct CommitRequest {
    /// The log.
    pub log: PulledLog,
    /// The consumer.
    pub consumer: ConsumerName,
    /// The lease.
    pub lease: LeaseId,
    /// The last event that was handled; `None` if none was.
    pub through: Option<EventId>,
}

/// The result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// It is stored.
    Done,
    /// The lease has ended. The call had no effect.
    LeaseLost,
    /// The lease does not cover the event. The call had no effect.
    NotReceived,
    /// The owner has no such subscription with a log.
    NotFound,
}

/// Where a seek moves a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekTo {
    /// Before the first event that is stored.
    Start,
    /// Behind the last event.
    End,
    /// Before the first event that was published at this time or later.
    Time(Timestamp),
}

/// Asks for [`PulledEvents::seek`].
#[derive(Clone, Debug)]
pub struct SeekRequest {
    /// The log.
    pub log: PulledLog,
    /// The consumer.
    pub consumer: ConsumerName,
    /// The place.
    pub to: SeekTo,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`PulledEvents::forget`].
#[derive(Clone, Debug)]
pub struct ForgetRequest {
    /// The log.
    pub log: PulledLog,
    /// The consumer.
    pub consumer: ConsumerName,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// The result of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The consumer has moved.
    Done,
    /// The subscription has [`CONSUMERS_MAX`] other consumers.
    TooManyConsumers,
    /// The owner has no such subscription with a log.
    NotFound,
}

/// A consumer, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedConsumer {
    /// Its name.
    pub name: ConsumerName,
    /// Its place.
    pub consumer: Consumer,
    /// The number of the last event in the log.
    pub last: u64,
}

/// The logs of the subscriptions whose events are pulled.
///
/// [`EventStore::publish`](super::EventStore::publish) adds an event to the log of each enabled subscription of this type that
/// receives it, in place of a delivery. It numbers them in the order of the commits and without a gap, as it numbers
/// [ordered deliveries](super::DeliveryQueue::claim). A disabled subscription of this type gets neither events nor
/// [missed](crate::webhooks::DeliveryEnd::Missed) deliveries.
///
/// - **None is passed over.** A read returns the events behind a number in the order of their numbers. If one of them is not in the
///   log any more, the answer ends before it, or is [`Pulled::Expired`]. Only an event that is damaged is passed over, so that it
///   stops no reader.
/// - **Events stay as long as all events do**, read or not: see [`Retained::Webhooks`](super::Retained::Webhooks).
/// - **One reader at a time.** [`Consumer`] decides. Of parallel calls for one consumer, one gets a lease.
/// - A consumer exists from its first call on, and stands before the first event that is stored then.
/// - A seek and a deletion are one with the events of their [`Cause`]: see [`AuditLog`](crate::ports::AuditLog).
#[async_trait]
pub trait PulledEvents: Send + Sync {
    /// Leases the next events of a consumer. Only an answer with events changes the lease.
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError>;

    /// Moves a consumer behind the last event that was handled, and ends the lease.
    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError>;

    /// Moves a consumer, and ends its lease.
    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError>;

    /// The events after this number, for a reader that stores its own position; `None` stands for the first stored event.
    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError>;

    /// The consumers of a subscription, sorted by name; `None` if the owner has no such subscription with a log.
    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError>;

    /// Deletes a consumer. Whether there was one.
    async fn forget(&self, request: &ForgetRequest) -> Result<bool, StoreError>;

    /// The number of the last event in each of these logs, in any order. Unknown logs are absent. It is one statement for all.
    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;
    use crate::webhooks::{EventType, Payload};

    fn event() -> Event {
        let (at, entropy) = (Timestamp::from_unix_millis(1).unwrap(), SeededEntropy::new(7));
        Event {
            id: EventId::mint(at, &entropy),
            owner: OwnerId::new("https://id.example", "alice").unwrap(),
            event_type: EventType::parse("a").unwrap(),
            payload: Payload::from_bytes(b"{}".to_vec()),
            created_at: at,
        }
    }

    #[test]
    fn a_gap_ends_the_answer_and_a_damaged_event_does_not() {
        let answer = |after, last, found: &[(u64, bool)]| {
            let found = found.iter().map(|(number, is_readable)| (*number, is_readable.then(event))).collect();
            Pulled::of(after, last, found).map(|pulled| match pulled {
                Pulled::Events(events) => events.iter().map(|one| one.sequence).collect(),
                Pulled::Expired { oldest } => vec![oldest, 0],
                _ => Vec::new(),
            })
        };
        assert_eq!(answer(2, 6, &[(3, true), (4, true), (6, true)]), Ok(vec![3, 4]));
        assert_eq!(answer(2, 5, &[(3, true), (4, false), (5, true)]), Ok(vec![3, 5]));
        assert_eq!(answer(2, 9, &[(3, false), (4, false)]), Err(4));
        assert_eq!(answer(2, 9, &[(3, false), (5, true)]), Err(3), "the gap is behind it");
        assert_eq!(answer(2, 9, &[(4, true)]), Ok(vec![4, 0]), "expired");
        assert_eq!(answer(2, 9, &[]), Ok(vec![10, 0]), "expired");
        assert_eq!(answer(9, 9, &[]), Ok(Vec::new()));
    }
}
