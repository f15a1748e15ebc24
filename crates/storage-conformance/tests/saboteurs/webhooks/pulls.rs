use std::time::Duration;

use async_trait::async_trait;
use domain::memory::unique_cause;
use domain::ports::{
    CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, SeekTo, Sought, StoreError,
};
use domain::webhooks::ConsumerName;
use domain::{SubscriptionId, Timestamp};

use super::fault::Fault;
use super::store::Saboteur;

const MILLISECOND: Duration = Duration::from_millis(1);

/// Requests for logs and consumers, and the answers; some faults change them.
impl Saboteur {
    fn asked_log(&self, log: &PulledLog) -> PulledLog {
        let theirs = self.memo().owners.get(&log.subscription).cloned().filter(|_| self.is(Fault::ReadsAnybodysLog));
        PulledLog { owner: theirs.unwrap_or_else(|| log.owner.clone()), ..log.clone() }
    }

    fn asked_consumer(&self, name: &ConsumerName) -> ConsumerName {
        if !self.is(Fault::SharesOnePlace) {
            return name.clone();
        }
        ConsumerName::parse("everybody").expect("the name is valid")
    }

    fn asked_max(&self, max: PulledMax) -> PulledMax {
        if self.is(Fault::IgnoresPulledBytes) { PulledMax { bytes: u64::MAX, ..max } } else { max }
    }

    fn shown_events(&self, mut pulled: Pulled) -> Pulled {
        if let (Fault::PassesOverEvents, Pulled::Events(events)) = (self.fault, &mut pulled)
            && events.len() > 1
        {
            events.remove(1);
        }
        pulled
    }
}

#[async_trait]
impl PulledEvents for Saboteur {
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError> {
        self.enter().await;
        let (log, consumer) = (self.asked_log(&request.log), self.asked_consumer(&request.consumer));
        let mut asked = ReceiveRequest { log, consumer, max: self.asked_max(request.max), ..request.clone() };
        match self.fault {
            Fault::IgnoresLeases => asked.at = Timestamp::MAX,
            Fault::LeaseEndsLate => asked.until = request.until.plus(MILLISECOND),
            _ => {}
        }
        let pulled = match self.inner.receive(&asked).await? {
            Pulled::Expired { .. } if self.is(Fault::HidesExpired) => {
                let (log, consumer) = (asked.log.clone(), asked.consumer.clone());
                let seek = SeekRequest { log, consumer, to: SeekTo::Start, cause: unique_cause() };
                self.inner.seek(&seek).await?;
                self.inner.receive(&asked).await?
            }
            Pulled::TooManyConsumers if self.is(Fault::IgnoresConsumersMax) => {
                self.inner.read(&asked.log, None, asked.max).await?
            }
            pulled => pulled,
        };
        Ok(self.shown_events(pulled))
    }

    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        self.enter().await;
        let (log, consumer) = (self.asked_log(&request.log), self.asked_consumer(&request.consumer));
        let committed = self.inner.commit(&CommitRequest { log, consumer, ..request.clone() }).await?;
        Ok(match committed {
            Committed::LeaseLost | Committed::NotReceived if self.is(Fault::SaysCommitted) => Committed::Done,
            committed => committed,
        })
    }

    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError> {
        self.enter().await;
        let (log, consumer) = (self.asked_log(&request.log), self.asked_consumer(&request.consumer));
        if self.is(Fault::SeeksNowhere) {
            let known = self.inner.consumers(&log).await?;
            return Ok(if known.is_some() { Sought::Done } else { Sought::NotFound });
        }
        Ok(match self.inner.seek(&SeekRequest { log, consumer, ..request.clone() }).await? {
            Sought::TooManyConsumers if self.is(Fault::IgnoresConsumersMax) => Sought::Done,
            sought => sought,
        })
    }

    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError> {
        self.enter().await;
        let (log, max) = (self.asked_log(log), self.asked_max(max));
        let pulled = match self.inner.read(&log, after, max).await? {
            Pulled::Expired { oldest } if self.is(Fault::HidesExpired) => {
                self.inner.read(&log, Some(oldest - 1), max).await?
            }
            pulled => pulled,
        };
        Ok(self.shown_events(pulled))
    }

    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        self.enter().await;
        self.inner.consumers(&self.asked_log(log)).await
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<bool, StoreError> {
        self.enter().await;
        let (log, consumer) = (self.asked_log(&request.log), self.asked_consumer(&request.consumer));
        self.inner.forget(&ForgetRequest { log, consumer, ..request.clone() }).await
    }

    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        self.enter().await;
        let mut asked: Vec<_> = logs.iter().map(|log| self.asked_log(log)).collect();
        if self.is(Fault::CountsTheFirstLog) {
            asked.truncate(1);
        }
        self.inner.last_numbers(&asked).await
    }
}
