use std::collections::HashSet;

use async_trait::async_trait;
use domain::SubscriptionId;
use domain::ports::{Accepted, EventStore, Publication, StoreError};
use domain::webhooks::{ContentDigest, NewEvent, Payload, PublicationKey, PublisherId};
use tokio::task::yield_now;

use super::fault::Fault;
use super::store::{Saboteur, failure};

impl Saboteur {
    fn taken(&self, events: &[NewEvent]) -> Vec<NewEvent> {
        let mut taken = events.to_vec();
        for new in &mut taken {
            new.event.owner = self.as_known(&new.event.owner);
            new.event.created_at = self.as_written(new.event.created_at);
            match self.fault {
                Fault::StoresPayloadsAsText => {
                    let text = String::from_utf8_lossy(new.event.payload.bytes()).into_owned();
                    new.event.payload = Payload::from_bytes(text.into_bytes());
                }
                Fault::FiltersByTheFirstEvent => new.event.payload = events[0].event.payload.clone(),
                Fault::IgnoresOnly => new.only = None,
                Fault::StoresWhatItRefuses if new.only.is_some() => new.publication = Some(any_key(new)),
                Fault::ForgetsTraces => new.trace = None,
                Fault::TakesTheFirstOwner => new.event.owner = events[0].event.owner.clone(),
                Fault::ForgetsPublisherIds => new.publication = None,
                Fault::IgnoresContent | Fault::IgnoresCaseOfIds => new.publication = self.key(new.publication.take()),
                _ => {}
            }
        }
        taken
    }

    fn key(&self, key: Option<PublicationKey>) -> Option<PublicationKey> {
        let mut key = key?;
        if self.is(Fault::IgnoresContent) {
            key.content = ContentDigest::from_bytes([0; 32]);
        } else {
            key.id = PublisherId::parse(&key.id.as_str().to_lowercase()).expect("an id in lower case is one");
        }
        Some(key)
    }

    /// How many patterns of the owner's enabled subscriptions match the event, or how many subscriptions do.
    async fn matching(&self, new: &NewEvent, each_pattern: bool) -> u32 {
        let theirs = self.every_subscription_of(&new.event.owner).await;
        let open = theirs.iter().filter(|one| one.status.is_enabled());
        let counts = open.map(|one| {
            let matching = one.events.patterns().iter().filter(|pattern| pattern.matches(&new.event.event_type));
            if each_pattern { matching.count() } else { matching.count().min(1) }
        });
        u32::try_from(counts.sum::<usize>()).expect("a few patterns")
    }

    async fn publish_one_by_one(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let mut accepted = Vec::new();
        for (index, new) in events.iter().enumerate() {
            match self.inner.publish(std::slice::from_ref(new)).await? {
                Publication::Accepted(one) => accepted.extend(one),
                Publication::Conflict { .. } => return Ok(Publication::Conflict { index }),
            }
            yield_now().await;
            if events.len() > 3 {
                self.gap().await;
            }
        }
        Ok(Publication::Accepted(accepted))
    }

    async fn check_then_publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let mut accepted = Vec::new();
        for new in events {
            let key = new.publication.as_ref().map(|key| (new.event.owner.clone(), key.id.clone()));
            let known = key.as_ref().and_then(|key| self.memo().published.get(key).cloned());
            self.gap().await;
            let fresh = NewEvent { publication: None, ..new.clone() };
            let one = match known {
                Some(known) => Accepted { is_duplicate: true, ..known },
                None => match self.inner.publish(&[fresh]).await? {
                    Publication::Accepted(mut one) => one.remove(0),
                    conflict @ Publication::Conflict { .. } => return Ok(conflict),
                },
            };
            if let Some(key) = key {
                self.memo().published.entry(key).or_insert_with(|| one.clone());
            }
            accepted.push(one);
        }
        Ok(Publication::Accepted(accepted))
    }
}

/// A key makes the store keep the event.
fn any_key(new: &NewEvent) -> PublicationKey {
    let id = PublisherId::parse(&new.event.id.to_string()).expect("an id of an event is one of a publisher");
    PublicationKey { id, content: ContentDigest::from_bytes([0; 32]) }
}

#[async_trait]
impl EventStore for Saboteur {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        self.enter().await;
        let _alone = self.alone().await?;
        if self.is(Fault::RefusesLargePublications) && events.len() > 100 {
            return Err(failure());
        }
        self.ignore_options().await;
        let events = self.taken(events);
        let counting = [Fault::CountsEachPattern, Fault::MatchesThenStores, Fault::IgnoresFilters];
        let is_counted = counting.contains(&self.fault);
        let mut counts = Vec::new();
        for new in events.iter().filter(|_| is_counted) {
            counts.push(self.matching(new, self.is(Fault::CountsEachPattern)).await);
        }
        if self.is(Fault::MatchesThenStores) {
            self.gap().await;
        }
        let mut publication = match self.fault {
            Fault::PublishesOneByOne => self.publish_one_by_one(&events).await?,
            Fault::ChecksThenPublishes => self.check_then_publish(&events).await?,
            Fault::OverwritesStoredIds => match self.inner.publish(&events).await {
                Err(StoreError::Duplicate { .. }) => Publication::Accepted(Vec::new()),
                answer => answer?,
            },
            _ => self.inner.publish(&events).await?,
        };
        if let Publication::Accepted(accepted) = &mut publication {
            accepted.iter_mut().zip(counts).for_each(|(one, count)| one.deliveries = count);
            if self.is(Fault::KeepsUnheardPayloads) {
                for (one, new) in accepted.iter_mut().zip(&events).filter(|(one, _)| one.is_duplicate) {
                    one.event.payload = new.event.payload.clone();
                }
            }
        }
        let has_repetition =
            matches!(&publication, Publication::Accepted(all) if all.iter().any(|one| one.is_duplicate));
        self.published_again(has_repetition).await;
        let mut memo = self.memo();
        let theirs = |id: &SubscriptionId| {
            memo.owners.get(id).is_some_and(|owner| events.iter().any(|new| new.event.owner == *owner))
        };
        let asleep: HashSet<_> = memo.asleep.iter().copied().filter(|id| !theirs(id)).collect();
        memo.asleep = asleep;
        Ok(publication)
    }
}
