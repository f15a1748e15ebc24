use std::time::Duration;

use async_trait::async_trait;
use domain::memory::unique_cause;
use domain::ports::{
    CancelDeliveryRequest, DeliveryCommands, DeliveryLog, RecoverRequest, Recovered, Retained, Retention, RetryByHand,
    RetryDeliveryRequest, RetryFailedRequest, RetryOfFailed, StoreError,
};
use domain::webhooks::{Delivery, DeliveryFilter, DeliveryStateKind, Recoverable};
use domain::{DeliveryId, OwnerId, Timestamp};
use tokio::task::yield_now;

use super::fault::Fault;
use super::store::Saboteur;

const DAY: Duration = Duration::from_hours(24);
const MILLISECOND: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_hours(1);

impl Saboteur {
    /// The waiting deliveries of events that were published before this time, with their owners.
    async fn waiting(&self, before: Timestamp) -> Vec<(OwnerId, DeliveryId)> {
        let mut waiting = Vec::new();
        for (_, owner) in self.known() {
            let filter = DeliveryFilter { state: Some(DeliveryStateKind::Waiting), ..DeliveryFilter::default() };
            let found = self.deliveries_of(&owner, filter).await;
            let old = found.iter().map(|one| &one.delivery).filter(|one| one.created_at < before);
            waiting.extend(old.map(|one| (owner.clone(), one.id)));
        }
        waiting
    }

    async fn end_what_waits(&self, at: Timestamp) {
        for (owner, id) in self.waiting(at).await {
            let request = CancelDeliveryRequest { owner, id, at, cause: unique_cause() };
            self.inner.cancel(&request).await.expect("never fails");
        }
    }
}

#[async_trait]
impl DeliveryCommands for Saboteur {
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        self.enter().await;
        let _alone = self.alone().await?;
        let owner = self.delivery_owner(&request.owner, request.id).await;
        let mut asked = RetryDeliveryRequest { owner, ..request.clone() };
        if self.is(Fault::RetriesOld) {
            asked.retry.published_since = Timestamp::MIN;
        }
        let found = DeliveryLog::find(&self.inner, &asked.owner, asked.id).await?.map(|found| found.delivery);
        let state = found.as_ref().map(|found| found.state.kind());
        if self.is(Fault::RetriesOnlyWhatWaits) && state != Some(DeliveryStateKind::Waiting) {
            return Ok(found.map_or(RetryByHand::NotFound, RetryByHand::Due));
        }
        if self.is(Fault::RetriesWhatIsSent) && state == Some(DeliveryStateKind::Sending) {
            let RetryDeliveryRequest { owner, id, retry, cause } = asked.clone();
            self.inner.cancel(&CancelDeliveryRequest { owner, id, at: retry.at, cause }).await?;
        }
        let answer = self.inner.retry(&asked).await?;
        if let Some(found) = &found {
            self.memo().asleep.remove(&found.subscription_id);
        }
        Ok(match (answer, found) {
            (RetryByHand::LaneClosed, Some(found)) if self.is(Fault::RetriesToClosed) => RetryByHand::Due(found),
            (answer, _) => answer,
        })
    }

    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        self.enter().await;
        let owner = self.delivery_owner(&request.owner, request.id).await;
        if self.is(Fault::CancelsOnlyWhatWaits) {
            self.gap().await;
            let found = DeliveryLog::find(&self.inner, &owner, request.id).await?.map(|found| found.delivery);
            if found.as_ref().is_some_and(|found| found.state.kind() == DeliveryStateKind::Sending) {
                return Ok(found);
            }
        }
        self.inner.cancel(&CancelDeliveryRequest { owner, ..request.clone() }).await
    }

    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        self.enter().await;
        let mut asked = request.clone();
        match self.fault {
            Fault::RetriesWhatIsNamed | Fault::RetriesOneByOne => {
                let mut due = 0;
                for &id in &request.ids {
                    let found = DeliveryLog::find(&self.inner, &request.owner, id).await?.map(|found| found.delivery);
                    let failed = found.is_some_and(|found| found.state.kind() == DeliveryStateKind::Failed);
                    self.gap().await;
                    if failed || self.is(Fault::RetriesWhatIsNamed) {
                        let (owner, cause) = (request.owner.clone(), request.cause.clone());
                        let one = RetryDeliveryRequest { owner, id, retry: request.retry, cause };
                        due += u32::from(matches!(self.inner.retry(&one).await?, RetryByHand::Due(_)));
                    }
                }
                return Ok(RetryOfFailed::Due(due));
            }
            Fault::RetriesForAnybody => {
                let real = self.memo().owners.get(&asked.subscription).cloned();
                asked.owner = real.unwrap_or(asked.owner);
            }
            _ => {}
        }
        self.inner.retry_failed(&asked).await
    }

    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        self.enter().await;
        let mut asked = request.clone();
        match self.fault {
            Fault::RetriesOld => asked.retry.published_since = Timestamp::MIN,
            Fault::IgnoresRecoverMax if request.enables => asked.max = u32::MAX,
            Fault::RecoversEverything => asked.filter.what = Recoverable::All,
            Fault::RecoversEveryType => asked.filter.events = None,
            Fault::RestEnables => asked.enables = true,
            _ => {}
        }
        self.inner.recover(&asked).await
    }
}

#[async_trait]
impl Retention for Saboteur {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let (before, max) = match (what, self.fault) {
            (Retained::Webhooks, Fault::PurgesTheBoundary) => (before.plus(MILLISECOND), max),
            (Retained::Webhooks, Fault::KeepsAnEndedDay) => (before.minus(DAY), max),
            (Retained::Outcomes, Fault::PurgesTheHourItself) => (before.plus(HOUR), max),
            (Retained::Webhooks, Fault::IgnoresPurgeMax) | (Retained::Outcomes, Fault::IgnoresCountsMax) => {
                (before, u32::MAX)
            }
            _ => (before, max),
        };
        if what != Retained::Webhooks {
            return self.inner.purge(what, before, max).await;
        }
        self.enter().await;
        if self.is(Fault::PurgesWhatWaits) {
            self.end_what_waits(before).await;
        }
        if self.is(Fault::KeepsWhatEndedBeside) && !self.waiting(before).await.is_empty() {
            return Ok(0);
        }
        if self.is(Fault::PurgesAttemptsFirst) {
            self.memo().attempts_are_gone = true;
            yield_now().await;
        }
        let purged = self.inner.purge(what, before, max).await;
        self.memo().attempts_are_gone = false;
        purged
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        if self.is(Fault::PreparingForgets) {
            self.inner.purge(Retained::Webhooks, at, days).await?;
        }
        self.inner.prepare_history(at, days).await
    }
}
