use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::unique_cause;
use domain::ports::{DeliveryCommands, DeliveryLog, RetryByHand, RetryOfFailed, RetryRequest, StoreError};
use domain::webhooks::{Delivery, DeliveryFilter, DeliveryStateKind};
use domain::{DeliveryId, Hour, SubscriptionId, Timestamp, UserId};
use tokio::task::yield_now;

use super::fault::Fault;
use super::store::Saboteur;

const DAY: Duration = Duration::from_hours(24);
const MILLISECOND: Duration = Duration::from_millis(1);

impl Saboteur {
    async fn end_what_waits(&self, at: Timestamp) {
        for (_, owner) in self.known() {
            let waiting = DeliveryFilter { state: Some(DeliveryStateKind::Waiting), ..DeliveryFilter::default() };
            let page = DeliveryLog::list(&self.inner, &owner, &waiting, None, u32::MAX).await.expect("never fails");
            for one in page.deliveries.iter().map(|one| &one.delivery).filter(|one| one.created_at < at) {
                self.inner.cancel(&owner, one.id, at, &unique_cause()).await.expect("never fails");
            }
        }
    }
}

#[async_trait]
impl DeliveryCommands for Saboteur {
    async fn retry(
        &self,
        owner: &UserId,
        id: DeliveryId,
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryByHand, StoreError> {
        self.enter().await;
        let _alone = self.alone().await?;
        let owner = self.delivery_owner(owner, id).await;
        let since = if self.is(Fault::RetriesOld) { Timestamp::MIN } else { request.published_since };
        let request = RetryRequest { published_since: since, ..request };
        let found = DeliveryLog::find(&self.inner, &owner, id).await?.map(|found| found.delivery);
        let state = found.as_ref().map(|found| found.state.kind());
        if self.is(Fault::RetriesOnlyWhatWaits) && state != Some(DeliveryStateKind::Waiting) {
            return Ok(found.map_or(RetryByHand::NotFound, RetryByHand::Due));
        }
        if self.is(Fault::RetriesWhatIsSent) && state == Some(DeliveryStateKind::Sending) {
            self.inner.cancel(&owner, id, request.at, cause).await?;
        }
        let answer = self.inner.retry(&owner, id, request, cause).await?;
        if let Some(found) = &found {
            self.memo().asleep.remove(&found.subscription_id);
        }
        Ok(match (answer, found) {
            (RetryByHand::LaneClosed, Some(found)) if self.is(Fault::RetriesToClosed) => RetryByHand::Due(found),
            (answer, _) => answer,
        })
    }

    async fn cancel(
        &self,
        owner: &UserId,
        id: DeliveryId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError> {
        self.enter().await;
        let owner = self.delivery_owner(owner, id).await;
        if self.is(Fault::CancelsOnlyWhatWaits) {
            self.gap().await;
            let found = DeliveryLog::find(&self.inner, &owner, id).await?.map(|found| found.delivery);
            if found.as_ref().is_some_and(|found| found.state.kind() == DeliveryStateKind::Sending) {
                return Ok(found);
            }
        }
        self.inner.cancel(&owner, id, at, cause).await
    }

    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError> {
        self.enter().await;
        match self.fault {
            Fault::RetriesWhatIsNamed | Fault::RetriesOneByOne => {
                let mut due = 0;
                for id in ids {
                    let found = DeliveryLog::find(&self.inner, owner, *id).await?.map(|found| found.delivery);
                    let failed = found.is_some_and(|found| found.state.kind() == DeliveryStateKind::Failed);
                    self.gap().await;
                    if failed || self.is(Fault::RetriesWhatIsNamed) {
                        let answer = self.inner.retry(owner, *id, request, cause).await?;
                        due += u32::from(matches!(answer, RetryByHand::Due(_)));
                    }
                }
                Ok(RetryOfFailed::Due(due))
            }
            Fault::RetriesForAnybody => {
                let real = self.memo().owners.get(&subscription).cloned().unwrap_or_else(|| owner.clone());
                self.inner.retry_failed(&real, subscription, ids, request, cause).await
            }
            _ => self.inner.retry_failed(owner, subscription, ids, request, cause).await,
        }
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<Option<u32>, StoreError> {
        self.enter().await;
        let since = if self.is(Fault::RetriesOld) { Timestamp::MIN } else { request.published_since };
        let request = RetryRequest { published_since: since, ..request };
        let max = if self.is(Fault::IgnoresRecoverMax) { u32::MAX } else { max };
        self.inner.recover(owner, subscription, request, max, cause).await
    }

    async fn recover_rest(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        self.enter().await;
        if self.is(Fault::RestEnables) {
            return Ok(self.inner.recover(owner, subscription, request, max, cause).await?.unwrap_or(0));
        }
        self.inner.recover_rest(owner, subscription, request, max, cause).await
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        if self.is(Fault::PreparingForgets) {
            self.inner.purge_history(at, days).await?;
        }
        self.inner.prepare_history(at, days).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.enter().await;
        match self.fault {
            Fault::PurgesTheBoundary => self.inner.purge_history(before.plus(MILLISECOND), max).await,
            Fault::KeepsAnEndedDay => self.inner.purge_history(before.minus(DAY), max).await,
            Fault::IgnoresPurgeMax => self.inner.purge_history(before, u32::MAX).await,
            Fault::PurgesWhatWaits => {
                self.end_what_waits(before).await;
                self.inner.purge_history(before, max).await
            }
            Fault::PurgesAttemptsFirst => {
                self.memo().attempts_are_gone = true;
                yield_now().await;
                let purged = self.inner.purge_history(before, max).await;
                self.memo().attempts_are_gone = false;
                purged
            }
            _ => self.inner.purge_history(before, max).await,
        }
    }

    async fn purge_outcomes(&self, before: Hour, max: u32) -> Result<u32, StoreError> {
        match self.fault {
            Fault::PurgesTheHourItself => self.inner.purge_outcomes(Hour::from_number(before.number() + 1), max).await,
            Fault::IgnoresCountsMax => self.inner.purge_outcomes(before, u32::MAX).await,
            _ => self.inner.purge_outcomes(before, max).await,
        }
    }
}
