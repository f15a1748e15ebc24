use std::time::Duration;

use super::consumer::LeaseId;
use super::consumer_name::ConsumerName;
use crate::audit::Origin;
use crate::ports::{
    CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledLog, PulledMax, ReceiveRequest, SeekRequest,
    SeekTo, Sought, StoreError,
};
use crate::webhooks::Webhooks;
use crate::{EventId, SubscriptionId, Timestamp};

/// The most bytes of payloads in one answer, unless it has one event only.
pub const PULLED_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The request of a reader.
#[derive(Clone, Debug)]
pub struct Receive {
    /// The consumer.
    pub consumer: ConsumerName,
    /// The most events.
    pub events_max: u32,
    /// The length of the lease.
    pub lease: Duration,
}

/// The answer to a reader.
#[derive(Clone, Debug)]
pub struct Received {
    /// The events, or why there are none.
    pub pulled: Pulled,
    /// The lease of the events, if there are any.
    pub lease: LeaseId,
    /// When the lease ends.
    pub until: Timestamp,
}

/// A place in a log, which a reader stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlace {
    /// The number of the last event before it.
    pub number: u64,
    /// That event; `None` if the reader has not seen it.
    pub event: Option<EventId>,
}

impl Webhooks {
    /// Leases the next events of a consumer to the caller.
    ///
    /// # Errors
    ///
    /// If the store fails. The events may be leased anyway.
    pub async fn receive_events(&self, log: &PulledLog, wish: &Receive) -> Result<Received, StoreError> {
        let (at, lease) = (self.clock.now(), LeaseId::mint(&*self.entropy));
        let (until, max) = (at.plus(wish.lease), pulled_max(wish.events_max));
        let (log, consumer) = (log.clone(), wish.consumer.clone());
        let request = ReceiveRequest { log, consumer, max, lease, at, until };
        Ok(Received { pulled: self.stores.pulled.receive(&request).await?, lease, until })
    }

    /// Moves a consumer behind the last event that was handled.
    ///
    /// # Errors
    ///
    /// If the store fails. The commit may have been stored anyway, and can be repeated.
    pub async fn commit_events(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        self.stores.pulled.commit(request).await
    }

    /// Moves a consumer.
    ///
    /// # Errors
    ///
    /// If the store fails. The consumer may have been moved anyway.
    pub async fn seek_consumer(
        &self,
        log: &PulledLog,
        consumer: &ConsumerName,
        to: SeekTo,
        origin: &Origin,
    ) -> Result<Sought, StoreError> {
        let (log, consumer, cause) = (log.clone(), consumer.clone(), self.cause(origin, self.clock.now()));
        self.stores.pulled.seek(&SeekRequest { log, consumer, to, cause }).await
    }

    /// At most `events_max` events behind this place; `None` stands for the first event that is stored.
    ///
    /// A place that is not in this log is [`Pulled::Expired`]. A reader has one if the database was restored from a backup: the
    /// numbers that it has seen belong to other events now, or to none yet.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn read_events(
        &self,
        log: &PulledLog,
        place: Option<LogPlace>,
        events_max: u32,
    ) -> Result<Pulled, StoreError> {
        let Some(LogPlace { number, event }) = place else {
            return self.stores.pulled.read(log, None, pulled_max(events_max)).await;
        };
        if let Some(event) = event
            && let Pulled::Events(found) =
                self.stores.pulled.read(log, Some(number.saturating_sub(1)), pulled_max(1)).await?
            && found.iter().any(|found| found.sequence == number && found.event.id != event)
        {
            return self.restart(log).await;
        }
        match self.stores.pulled.read(log, Some(number), pulled_max(events_max)).await? {
            Pulled::Nothing { last } if last < number => self.restart(log).await,
            pulled => Ok(pulled),
        }
    }

    /// The answer to a place that is not in this log.
    async fn restart(&self, log: &PulledLog) -> Result<Pulled, StoreError> {
        Ok(match self.stores.pulled.read(log, None, pulled_max(1)).await? {
            Pulled::Events(found) => Pulled::Expired { oldest: found.first().map_or(1, |first| first.sequence) },
            Pulled::Nothing { last } => Pulled::Expired { oldest: last + 1 },
            other => other,
        })
    }

    /// The consumers of a subscription, sorted by name; `None` if the owner has no such subscription whose events are pulled.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        self.stores.pulled.consumers(log).await
    }

    /// The number of the last event in each of these logs. Unknown logs are absent.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        self.stores.pulled.last_numbers(logs).await
    }

    /// Deletes a consumer. Whether there was one.
    ///
    /// # Errors
    ///
    /// If the store fails. The consumer may be deleted anyway.
    pub async fn delete_consumer(
        &self,
        log: &PulledLog,
        consumer: &ConsumerName,
        origin: &Origin,
    ) -> Result<bool, StoreError> {
        let (log, consumer, cause) = (log.clone(), consumer.clone(), self.cause(origin, self.clock.now()));
        self.stores.pulled.forget(&ForgetRequest { log, consumer, cause }).await
    }
}

const fn pulled_max(events: u32) -> PulledMax {
    PulledMax { events, bytes: PULLED_BYTES_MAX }
}
