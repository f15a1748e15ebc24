use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryByHand, RetryRequest, StoreError};
use domain::webhooks::{Delivery, DeliveryEnd, DeliveryFilter, DeliveryHistory, DeliveryState, DeliveryStateKind};
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};
use tokio::task::yield_now;

use crate::fault::Fault;
use crate::store::Saboteur;

const MILLISECOND: Duration = Duration::from_millis(1);
/// How far a search looks, if it ends early.
const SEARCHED_MAX: u32 = 1_000;

impl Saboteur {
    fn asked_filter(&self, filter: &DeliveryFilter) -> DeliveryFilter {
        let mut asked = filter.clone();
        match self.fault {
            Fault::IgnoresStates => asked.state = None,
            Fault::IncludesUntil => asked.until = filter.until.map(|until| until.plus(MILLISECOND)),
            _ => {}
        }
        asked
    }

    fn shown_delivery(&self, delivery: &mut Delivery) {
        let is_deleted = self.is(Fault::RewritesEnds) && self.memo().deleted.contains(&delivery.subscription_id);
        if let (true, DeliveryState::Ended { end, .. }) = (is_deleted, &mut delivery.state) {
            *end = DeliveryEnd::SubscriptionDeleted;
        }
    }

    async fn found(&self, owner: &UserId, id: DeliveryId) -> Option<DeliveryHistory> {
        let owner = self.delivery_owner(owner, id).await;
        DeliveryLog::find(&self.inner, &owner, id).await.expect("the reference never fails")
    }

    /// Who is taken for the delivery's owner.
    async fn delivery_owner(&self, owner: &UserId, id: DeliveryId) -> UserId {
        for (_, other) in self.known().into_iter().filter(|_| self.is(Fault::ShowsOthersDeliveries)) {
            if DeliveryLog::find(&self.inner, &other, id).await.is_ok_and(|found| found.is_some()) {
                return other;
            }
        }
        owner.clone()
    }

    async fn end_what_waits(&self, at: Timestamp) {
        for (_, owner) in self.known() {
            let waiting = DeliveryFilter { state: Some(DeliveryStateKind::Waiting), ..DeliveryFilter::default() };
            let page = DeliveryLog::list(&self.inner, &owner, &waiting, None, u32::MAX).await.expect("never fails");
            for one in page.deliveries.iter().filter(|one| one.created_at < at) {
                self.inner.cancel(&owner, one.id, at).await.expect("never fails");
            }
        }
    }
}

#[async_trait]
impl DeliveryLog for Saboteur {
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        self.enter().await;
        let (owner, asked) = (self.as_known(owner), self.asked_filter(filter));
        let mut page = match self.fault {
            Fault::EndsSearchesEarly => {
                let everything = DeliveryFilter::default();
                let mut page = DeliveryLog::list(&self.inner, &owner, &everything, before, SEARCHED_MAX).await?;
                page.deliveries.retain(|one| filter.matches(one));
                page.deliveries.truncate(max as usize);
                DeliveryPage { next: None, ..page }
            }
            _ => DeliveryLog::list(&self.inner, &owner, &asked, before, max).await?,
        };
        page.deliveries.iter_mut().for_each(|one| self.shown_delivery(one));
        match self.fault {
            Fault::ListsOldestFirst => page.deliveries.reverse(),
            Fault::HidesDeleted => {
                let memo = self.memo();
                page.deliveries.retain(|one| !memo.deleted.contains(&one.subscription_id));
            }
            _ => {}
        }
        Ok(page)
    }

    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        self.enter().await;
        let mut found = self.found(owner, id).await;
        if let Some(found) = &mut found {
            self.shown_delivery(&mut found.delivery);
            if self.memo().attempts_are_gone {
                found.attempts.clear();
            }
        }
        Ok(found)
    }

    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
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
            self.inner.cancel(&owner, id, request.at).await?;
        }
        let answer = self.inner.retry(&owner, id, request).await?;
        if let Some(found) = &found {
            self.memo().asleep.remove(&found.subscription_id);
        }
        Ok(match (answer, found) {
            (RetryByHand::LaneClosed, Some(found)) if self.is(Fault::RetriesToClosed) => RetryByHand::Due(found),
            (answer, _) => answer,
        })
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        self.enter().await;
        let owner = self.delivery_owner(owner, id).await;
        if self.is(Fault::CancelsOnlyWhatWaits) {
            self.gap().await;
            let found = DeliveryLog::find(&self.inner, &owner, id).await?.map(|found| found.delivery);
            if found.as_ref().is_some_and(|found| found.state.kind() == DeliveryStateKind::Sending) {
                return Ok(found);
            }
        }
        self.inner.cancel(&owner, id, at).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        self.enter().await;
        let since = if self.is(Fault::RetriesOld) { Timestamp::MIN } else { request.published_since };
        let request = RetryRequest { published_since: since, ..request };
        let max = if self.is(Fault::IgnoresRecoverMax) { u32::MAX } else { max };
        self.inner.recover(owner, subscription, request, max).await
    }

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.enter().await;
        let mut after = after;
        if self.is(Fault::SkipsTies) && after.ended_at > Timestamp::MIN {
            after.ended_at = after.ended_at.plus(MILLISECOND);
            after.delivery = DeliveryId::from_bytes([0; 16]);
        }
        let mut attempts = self.inner.attempts_after(owner, subscription, after, max).await?;
        if self.is(Fault::ShowsOneAttemptEach) {
            let mut seen = HashSet::new();
            attempts.retain(|one| seen.insert(one.delivery));
        }
        Ok(attempts)
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.enter().await;
        match self.fault {
            Fault::PurgesTheBoundary => self.inner.purge_history(before.plus(MILLISECOND), max).await,
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
}
