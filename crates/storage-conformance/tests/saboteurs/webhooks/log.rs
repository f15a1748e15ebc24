use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{
    CountRecoverableRequest, DeliveryLog, DeliveryPage, ListAttemptsRequest, ListDeliveriesRequest, ListFailedRequest,
    LoggedAttempt, OutcomesRequest, QueueFigures, StoreError, StoreFigures,
};
use domain::webhooks::{
    AttemptRecord, Delivery, DeliveryEnd, DeliveryFilter, DeliveryHistory, DeliveryState, FailedDelivery, FailureCause,
    OutcomeCounts, SHOWN_ATTEMPTS_MAX,
};
use domain::{DeliveryId, Hour, OwnerId, Timestamp};

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

    async fn found(&self, owner: &OwnerId, id: DeliveryId) -> Option<DeliveryHistory> {
        let owner = self.delivery_owner(owner, id).await;
        DeliveryLog::find(&self.inner, &owner, id).await.expect("the reference never fails")
    }

    /// The owner that the store takes for the delivery's.
    pub(crate) async fn delivery_owner(&self, owner: &OwnerId, id: DeliveryId) -> OwnerId {
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
    async fn list(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        self.enter().await;
        let &ListDeliveriesRequest { ref owner, ref filter, before, max } = request;
        let (owner, asked) = (self.as_known(owner), self.asked_filter(filter));
        let list = async |filter: DeliveryFilter, max| {
            let request = ListDeliveriesRequest { owner: owner.clone(), filter, before, max };
            DeliveryLog::list(&self.inner, &request).await
        };
        let mut page = match self.fault {
            Fault::EndsSearchesEarly => {
                let mut page = list(DeliveryFilter::default(), SEARCHED_MAX).await?;
                page.deliveries.retain(|one| filter.matches(&one.delivery));
                page.deliveries.truncate(max as usize);
                DeliveryPage { next: None, ..page }
            }
            _ => list(asked, max).await?,
        };
        page.deliveries.iter_mut().for_each(|one| self.shown_delivery(&mut one.delivery));
        match self.fault {
            Fault::ListsOldestFirst => page.deliveries.reverse(),
            Fault::HidesDeleted => {
                let memo = self.memo();
                page.deliveries.retain(|one| !memo.deleted.contains(&one.delivery.subscription_id));
            }
            Fault::ListsTheFirstAttempt | Fault::ListsWholeAttempts => {
                for one in &mut page.deliveries {
                    let found = DeliveryLog::find(&self.inner, &owner, one.delivery.id).await?;
                    let mut attempts = found.map(|found| found.attempts).unwrap_or_default();
                    one.last_attempt = match self.fault {
                        Fault::ListsWholeAttempts => attempts.pop(),
                        _ => attempts.into_iter().next().map(AttemptRecord::brief),
                    };
                }
            }
            _ => {}
        }
        Ok(page)
    }

    async fn find(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
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

    async fn failed(&self, request: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError> {
        self.enter().await;
        let mut asked = request.clone();
        match self.fault {
            Fault::ShowsOldFailures => asked.published_since = Timestamp::MIN,
            Fault::ShowsTheOldestFailed => asked.max = u32::MAX,
            _ => {}
        }
        let mut failed = self.inner.failed(&asked).await?;
        let left_out = failed.len().saturating_sub(request.max as usize);
        failed.drain(..left_out);
        if self.is(Fault::ShowsNoCauses) {
            for one in &mut failed {
                one.cause = FailureCause::new(one.cause.subscription, None, None);
            }
        }
        Ok(failed)
    }

    async fn count_recoverable(&self, request: &CountRecoverableRequest) -> Result<Option<u32>, StoreError> {
        self.enter().await;
        let mut asked = request.clone();
        match self.fault {
            Fault::CountsWhatIsTooOld => asked.retry.published_since = Timestamp::MIN,
            Fault::CountsEveryType => asked.filter.events = None,
            _ => {}
        }
        self.inner.count_recoverable(&asked).await
    }

    async fn attempts_after(&self, request: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.enter().await;
        let mut request = request.clone();
        let after = &mut request.after;
        if self.is(Fault::SkipsTies) && after.ended_at > Timestamp::MIN {
            after.ended_at = after.ended_at.plus(MILLISECOND);
            after.delivery = DeliveryId::from_bytes([0; 16]);
        }
        let mut attempts = self.inner.attempts_after(&request).await?;
        if self.is(Fault::ShowsOneAttemptEach) {
            let mut seen = HashSet::new();
            attempts.retain(|one| seen.insert(one.delivery));
        }
        Ok(attempts)
    }

    async fn outcomes(&self, request: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        self.enter().await;
        let mut asked = request.clone();
        let anybody = request.subscription.filter(|_| self.is(Fault::ShowsAnybodysOutcomes));
        if let Some(owner) = anybody.and_then(|id| self.memo().owners.get(&id).cloned()) {
            asked.owner = owner;
        }
        let mut shown = self.inner.outcomes(&asked).await?;
        if let Some(counts) = shown.as_mut().filter(|_| self.is(Fault::HidesTheLastHour)) {
            counts.remove(&request.hours.last);
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
