use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{
    AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, QueueFigures, RetryRequest, StoreError, StoreFigures,
};
use domain::webhooks::{
    AttemptRecord, Delivery, DeliveryEnd, DeliveryFilter, DeliveryHistory, DeliveryState, FailedDelivery, FailureCause,
    OutcomeCounts, SHOWN_ATTEMPTS_MAX,
};
use domain::{DeliveryId, Hour, HourRange, SubscriptionId, Timestamp, UserId};

use super::fault::Fault;
use super::store::Saboteur;

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
    pub(crate) async fn delivery_owner(&self, owner: &UserId, id: DeliveryId) -> UserId {
        for (_, other) in self.known().into_iter().filter(|_| self.is(Fault::ShowsOthersDeliveries)) {
            if DeliveryLog::find(&self.inner, &other, id).await.is_ok_and(|found| found.is_some()) {
                return other;
            }
        }
        owner.clone()
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
                page.deliveries.retain(|one| filter.matches(&one.delivery));
                page.deliveries.truncate(max as usize);
                DeliveryPage { next: None, ..page }
            }
            _ => DeliveryLog::list(&self.inner, &owner, &asked, before, max).await?,
        };
        page.deliveries.iter_mut().for_each(|one| self.shown_delivery(&mut one.delivery));
        match self.fault {
            Fault::ListsOldestFirst => page.deliveries.reverse(),
            Fault::HidesDeleted => {
                let memo = self.memo();
                page.deliveries.retain(|one| !memo.deleted.contains(&one.delivery.subscription_id));
            }
            Fault::ListsTheFirstAttempt => {
                for one in &mut page.deliveries {
                    let found = DeliveryLog::find(&self.inner, &owner, one.delivery.id).await?;
                    let first = found.and_then(|found| found.attempts.into_iter().next());
                    one.last_attempt = first.map(AttemptRecord::brief);
                }
            }
            Fault::ListsWholeAttempts => {
                for one in &mut page.deliveries {
                    let found = DeliveryLog::find(&self.inner, &owner, one.delivery.id).await?;
                    one.last_attempt = found.and_then(|mut found| found.attempts.pop());
                }
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
            if self.is(Fault::HidesTheLastOfMany) && found.attempts.len() == SHOWN_ATTEMPTS_MAX as usize {
                found.attempts.pop();
            }
            if self.memo().attempts_are_gone {
                found.attempts.clear();
            }
        }
        Ok(found)
    }

    async fn failed(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        published_since: Timestamp,
        max: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError> {
        self.enter().await;
        let since = if self.is(Fault::ShowsOldFailures) { Timestamp::MIN } else { published_since };
        let read_max = if self.is(Fault::ShowsTheOldestFailed) { u32::MAX } else { max };
        let mut failed = self.inner.failed(owner, subscription, since, read_max).await?;
        let left_out = failed.len().saturating_sub(max as usize);
        failed.drain(..left_out);
        if self.is(Fault::ShowsNoCauses) {
            for one in &mut failed {
                one.cause = FailureCause::new(one.cause.subscription, None, None);
            }
        }
        Ok(failed)
    }

    async fn count_recoverable(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        self.enter().await;
        let since = if self.is(Fault::CountsWhatIsTooOld) { Timestamp::MIN } else { request.published_since };
        let request = RetryRequest { published_since: since, ..request };
        self.inner.count_recoverable(owner, subscription, request, max).await
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

    async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        self.enter().await;
        let anybody = subscription.filter(|_| self.is(Fault::ShowsAnybodysOutcomes));
        let anybody = anybody.and_then(|id| self.memo().owners.get(&id).cloned());
        let mut shown = self.inner.outcomes(&anybody.unwrap_or_else(|| owner.clone()), subscription, hours).await?;
        if let Some(counts) = shown.as_mut().filter(|_| self.is(Fault::HidesTheLastHour)) {
            counts.remove(&hours.last);
        }
        Ok(shown)
    }
}

#[async_trait]
impl StoreFigures for Saboteur {
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError> {
        self.enter().await;
        let max = if self.is(Fault::CountsBeyondTheMax) { u32::MAX } else { max };
        let mut figures = self.inner.queue_figures(at, max).await?;
        match self.fault {
            Fault::FindsDueEarly => {
                figures.oldest_due = self.inner.queue_figures(at.plus(MILLISECOND), max).await?.oldest_due;
            }
            Fault::KeepsEndedPauses => {
                figures.lanes = self.inner.queue_figures(at.minus(Duration::from_secs(5)), max).await?.lanes;
            }
            _ => {}
        }
        Ok(figures)
    }
}
