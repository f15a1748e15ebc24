use async_trait::async_trait;
use domain::ports::{
    EventPage, FailingPlace, FailingSubscription, ListEventsRequest, LoggedEvent, OperatorLog, StoreError,
};
use domain::webhooks::{EventFilter, Payload, Subscription};
use domain::{EventId, SubscriptionId};

use super::fault::Fault;
use super::store::Saboteur;

/// How many events a search looks at, if it ends early.
const SEARCHED_MAX: u32 = 1_000;

#[async_trait]
impl OperatorLog for Saboteur {
    async fn subscriptions(&self, after: Option<SubscriptionId>, max: u32) -> Result<Vec<Subscription>, StoreError> {
        self.enter().await;
        let after = after.filter(|_| !self.is(Fault::IgnoresPagesOfAll));
        self.inner.subscriptions(after, max).await
    }

    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        self.enter().await;
        let after = if self.is(Fault::RepeatsFailing) { None } else { after };
        let mut failing = self.inner.failing(after, max).await?;
        match self.fault {
            Fault::ListsTheLatestFailingFirst => failing.reverse(),
            Fault::HidesPausedFailing => failing.retain(|one| one.breaker.pause.is_none()),
            _ => {}
        }
        Ok(failing)
    }

    async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError> {
        self.enter().await;
        let mut page = match self.fault {
            Fault::IgnoresEventTypes => {
                let filter = EventFilter { event_type: None, ..request.filter.clone() };
                self.inner.list_events(&ListEventsRequest { filter, ..*request }).await?
            }
            Fault::EndsEventSearchesEarly => {
                let everything =
                    ListEventsRequest { filter: EventFilter::default(), max: SEARCHED_MAX, before: request.before };
                let mut page = self.inner.list_events(&everything).await?;
                page.events.retain(|one| request.filter.matches(&one.event));
                page.events.truncate(request.max as usize);
                EventPage { next: None, ..page }
            }
            _ => self.inner.list_events(request).await?,
        };
        for one in page.events.iter_mut().filter(|_| self.is(Fault::ShowsPayloadsInLists)) {
            let found = self.inner.find_event(one.event.id).await?;
            one.event.payload = found.map_or_else(|| one.event.payload.clone(), |found| found.event.payload);
        }
        Ok(page)
    }

    async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        self.enter().await;
        let mut found = self.inner.find_event(id).await?;
        if let (Fault::HidesEventPayloads, Some(found)) = (self.fault, &mut found) {
            found.event.payload = Payload::from_bytes(Vec::new());
        }
        Ok(found)
    }
}
