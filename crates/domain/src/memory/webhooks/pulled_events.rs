use std::collections::BTreeMap;
use std::ops::Bound;

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, Tables};
use crate::ports::{
    CONSUMERS_MAX, CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, SeekTo, Sought, StoreError,
};
use crate::webhooks::{Commit, Consumer, ConsumerName};
use crate::{EventId, SubscriptionId};

/// The log of a subscription, and the readers of it.
#[derive(Debug, Default)]
pub(super) struct StoredLog {
    pub(super) events: BTreeMap<u64, EventId>,
    consumers: BTreeMap<ConsumerName, Consumer>,
}

impl StoredLog {
    /// The number of the first event that is stored, or will be.
    fn oldest(&self, last: u64) -> u64 {
        self.events.first_key_value().map_or(last + 1, |(number, _)| *number)
    }

    /// The consumer, which begins at the oldest event; `None` if there are too many others.
    fn consumer(&mut self, name: &ConsumerName, last: u64) -> Option<&mut Consumer> {
        let start = Consumer::at(self.oldest(last) - 1);
        if !self.consumers.contains_key(name) && self.consumers.len() >= CONSUMERS_MAX as usize {
            return None;
        }
        Some(self.consumers.entry(name.clone()).or_insert(start))
    }
}

impl Tables {
    /// The log of the owner's subscription, and the number of its last event.
    fn log_of(&mut self, log: &PulledLog) -> Option<(&mut StoredLog, u64)> {
        let lane = self.lanes.get(&log.subscription).filter(|lane| lane.belongs_to(&log.owner) && lane.is_pulled())?;
        Some((self.logs.entry(log.subscription).or_default(), lane.last_sequence))
    }

    fn read(&self, log: SubscriptionId, (mut after, last): (u64, u64), max: PulledMax) -> Pulled {
        loop {
            let behind = self.logs.get(&log).map(|log| log.events.range((Bound::Excluded(after), Bound::Unbounded)));
            let stored = behind.into_iter().flatten().take(max.events as usize);
            let stored = stored.map(|(number, id)| (*number, self.events.get(id).map(|stored| stored.event.clone())));
            let mut bytes = 0;
            let fitting = stored.enumerate().take_while(|(index, (_, event))| {
                bytes += event.as_ref().map_or(0, |event| event.payload.bytes().len() as u64);
                *index == 0 || bytes <= max.bytes
            });
            match Pulled::of(after, last, fitting.map(|(_, found)| found).collect()) {
                Ok(pulled) => return pulled,
                Err(examined) => after = examined,
            }
        }
    }
}

impl Lane {
    /// Whether its events are pulled.
    pub(super) fn is_pulled(&self) -> bool {
        self.subscription.url.is_pull()
    }
}

#[async_trait]
impl PulledEvents for MemoryWebhookStore {
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError> {
        let mut tables = self.tables();
        let Some((log, last)) = tables.log_of(&request.log) else { return Ok(Pulled::NotFound) };
        let Some(consumer) = log.consumer(&request.consumer, last).copied() else {
            return Ok(Pulled::TooManyConsumers);
        };
        if let Some(until) = consumer.leased_until(request.at) {
            return Ok(Pulled::Leased { until });
        }
        let pulled = tables.read(request.log.subscription, (consumer.position, last), request.max);
        if let (Some(through), Some((log, _))) = (pulled.through(), tables.log_of(&request.log)) {
            let leased = consumer.received(request.lease, through, request.until);
            log.consumers.insert(request.consumer.clone(), leased);
        }
        Ok(pulled)
    }

    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        let mut tables = self.tables();
        let Some((log, _)) = tables.log_of(&request.log) else { return Ok(Committed::NotFound) };
        let number = |event| log.events.iter().find(|(_, id)| **id == event).map_or(0, |(number, _)| *number);
        let through = request.through.map(number);
        let Some(consumer) = log.consumers.get_mut(&request.consumer) else { return Ok(Committed::LeaseLost) };
        Ok(match consumer.committed(request.lease, through) {
            Commit::Done(committed) => {
                *consumer = committed;
                Committed::Done
            }
            Commit::LeaseLost => Committed::LeaseLost,
            Commit::NotReceived => Committed::NotReceived,
        })
    }

    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError> {
        let mut tables = self.tables();
        let Some((log, last)) = tables.log_of(&request.log) else { return Ok(Sought::NotFound) };
        let next = match request.to {
            SeekTo::Start => log.oldest(last),
            SeekTo::End => last + 1,
            SeekTo::Time(at) => {
                let first = EventId::first_at(at);
                log.events.iter().find(|(_, id)| **id >= first).map_or(last + 1, |(number, _)| *number)
            }
        };
        let Some(consumer) = log.consumer(&request.consumer, last) else { return Ok(Sought::TooManyConsumers) };
        let before = std::mem::replace(consumer, Consumer::at(next - 1)).position;
        self.audit.write([request.cause.consumer_moved(&request.log, &request.consumer, before, next - 1)]);
        Ok(Sought::Done)
    }

    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError> {
        let mut tables = self.tables();
        let Some((stored, last)) = tables.log_of(log) else { return Ok(Pulled::NotFound) };
        let after = after.unwrap_or_else(|| stored.oldest(last) - 1);
        Ok(tables.read(log.subscription, (after, last), max))
    }

    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        let mut tables = self.tables();
        let found = tables.log_of(log);
        Ok(found.map(|(log, last)| {
            let stored = log.consumers.iter();
            stored.map(|(name, consumer)| ListedConsumer { name: name.clone(), consumer: *consumer, last }).collect()
        }))
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<bool, StoreError> {
        let ForgetRequest { log, consumer, cause } = request;
        let mut tables = self.tables();
        let is_deleted = tables.log_of(log).is_some_and(|(log, _)| log.consumers.remove(consumer).is_some());
        if is_deleted {
            self.audit.write([cause.consumer_deleted(log, consumer)]);
        }
        Ok(is_deleted)
    }

    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        let mut tables = self.tables();
        let last = logs.iter().filter_map(|log| Some((log.subscription, tables.log_of(log)?.1)));
        Ok(last.collect())
    }
}
