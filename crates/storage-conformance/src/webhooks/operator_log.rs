//! Lists of all owners for operators: failing subscriptions and events.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{FailingPlace, FailingSubscription, ListEventsRequest, LoggedEvent};
use domain::webhooks::{Event, EventFilter, FailureReason, NewEvent, Payload, Subscription};
use domain::{EventId, Timestamp};

use super::WebhookStore;
use super::sample::{
    delete, event, event_at, event_of, event_type, find, publish, reread, subscribed, switched, update,
};
use super::work::{claim, claim_one, publish_and_claim, settle};
use crate::sample::{at, user};

/// More pages than a bounded search of two thousand events should need.
const PAGES_MAX: usize = 500;
/// More events than a search looks at for one page.
const MANY: usize = 2_100;

/// Subscriptions of all owners whose last attempt failed are listed with breaker and last attempt, the longest failing
/// first, in pages. A success removes a subscription from the list.
pub async fn failing_subscriptions_come_the_longest_first(store: Arc<dyn WebhookStore>) {
    assert_eq!(failing(&*store, 5).await, [], "nothing fails");
    let (first, second) = (failed(&*store, "alice", 100).await, failed(&*store, "bob", 100).await);
    let (third, healthy) = (failed(&*store, "alice", 50).await, subscribed(&*store, &user("carol")).await);
    let mut expected = vec![first, second, third];
    expected.sort_by_key(FailingSubscription::place);
    assert_eq!(expected[0].breaker.failing_since, Some(at(50)), "the sample has an order");
    for max in [1, 2, 10] {
        assert_eq!(failing(&*store, max).await, expected, "pages of {max}");
    }
    settle(&*store, publish_and_claim(&*store, &healthy.owner, 200).await.delivered(201)).await;
    let healed = expected.remove(0).subscription;
    let retries = claim(&*store, RETRY_MILLIS).await;
    let retry = retries.iter().find(|held| held.subscription == healed.id).expect("a retry of each is due");
    settle(&*store, retry.delivered(RETRY_MILLIS)).await;
    let left = failing(&*store, 10).await;
    let names = |all: &[FailingSubscription]| all.iter().map(|one| one.subscription.id).collect::<Vec<_>>();
    assert!(!names(&left).contains(&healed.id) && left.len() == 2, "a success ends the failures: {left:?}");
    assert_eq!(names(&left), names(&expected), "and the others stay");
}

/// A lane that pauses is failing. A disabled subscription is not, for any reason, and neither is a deleted one. One
/// that is enabled again has no failures.
pub async fn only_enabled_subscriptions_are_failing(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let paused = subscribed(&*store, &owner).await;
    settle(&*store, publish_and_claim(&*store, &owner, 0).await.held_off(1, Duration::from_mins(1))).await;
    let gone = subscribed(&*store, &user("bob")).await;
    settle(&*store, publish_and_claim(&*store, &gone.owner, 2).await.gone(3)).await;
    let off = failed(&*store, "carol", 100).await.subscription;
    let deleted = failed(&*store, "dave", 100).await.subscription;
    update(&*store, &off, &switched(false), at(200)).await;
    delete(&*store, &deleted, at(200)).await;
    let names = async || failing(&*store, 10).await.into_iter().map(|one| one.subscription.id).collect::<Vec<_>>();
    assert_eq!(names().await, [paused.id], "the one that pauses, and no disabled or deleted one");
    update(&*store, &off, &switched(true), at(300)).await;
    assert_eq!(names().await, [paused.id], "enabling starts with a new breaker");
}

/// Events of all owners come newest first, in pages, each once, without payloads and with the number of deliveries.
pub async fn events_are_listed_newest_first_in_pages(store: Arc<dyn WebhookStore>) {
    let mut expected = varied_events(&*store).await;
    expected.sort_by_key(|logged| std::cmp::Reverse(logged.event.id));
    for max in [1, 2, 7, 1_000] {
        assert_eq!(listed(&*store, &EventFilter::default(), max).await, expected, "pages of {max}");
    }
}

/// Each filter of events, and all together, select the same as the reference: by owner, type and time, to the
/// millisecond.
pub async fn filters_of_events_pick_what_the_reference_picks(store: Arc<dyn WebhookStore>) {
    let mut all = varied_events(&*store).await;
    all.sort_by_key(|logged| std::cmp::Reverse(logged.event.id));
    let owners = [None, Some(user("alice")), Some(user("ALICE")), Some(user("nobody"))];
    let types = [None, Some(event_type("invoice.paid")), Some(event_type("never.published"))];
    let times: [(Option<Timestamp>, Option<Timestamp>); 4] =
        [(None, None), (Some(at(1)), None), (None, Some(at(1))), (Some(at(1)), Some(at(2)))];
    for owner in owners {
        for event_type in types.clone() {
            for (since, until) in times {
                let filter = EventFilter { owner: owner.clone(), event_type: event_type.clone(), since, until };
                let expected: Vec<_> = all.iter().filter(|one| filter.matches(&one.event)).cloned().collect();
                assert_eq!(listed(&*store, &filter, 3).await, expected, "{filter:?}");
            }
        }
    }
}

/// A search for rare events ends and finds them all, for any number of others.
pub async fn a_search_for_rare_events_comes_to_its_end(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let rare = event_of(&owner, "rare.one");
    publish(&*store, std::slice::from_ref(&rare)).await;
    let others: Vec<NewEvent> = (0..MANY).map(|_| event_at(&owner, at(1))).collect();
    for chunk in others.chunks(300) {
        publish(&*store, chunk).await;
    }
    let filter = EventFilter { event_type: Some(event_type("rare.one")), ..EventFilter::default() };
    for owner in [None, Some(owner)] {
        let found = listed(&*store, &EventFilter { owner, ..filter.clone() }, 5).await;
        let ids: Vec<EventId> = found.iter().map(|one| one.event.id).collect();
        assert_eq!(ids, [rare.event.id]);
    }
}

/// An event is found with every field and its payload, byte for byte, or with an empty payload if it has no deliveries.
pub async fn an_event_is_found_with_its_payload(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    subscribed(&*store, &alice).await;
    let mut heard = event_at(&alice, at(7));
    heard.event.payload = Payload::from_bytes(b"{\"caf\\u00e9\":\"\xC3\xA9\"}".to_vec());
    let unheard = event(&bob);
    publish(&*store, &[heard.clone(), unheard.clone()]).await;
    let found = async |id| store.find_event(id).await.expect("a look-up of an event must succeed");
    assert_eq!(found(heard.event.id).await, Some(LoggedEvent { event: heard.event, deliveries: 1 }));
    let expected = LoggedEvent { event: without_payload(unheard.event), deliveries: 0 };
    assert_eq!(found(expected.event.id).await, Some(expected));
    assert_eq!(found(EventId::from_bytes([9; 16])).await, None, "an unknown event is none");
}

/// The time of the retries of [`failed`], in milliseconds.
const RETRY_MILLIS: i64 = 10_000;

/// A new subscription of this owner. Its only attempt failed this many milliseconds after the start.
async fn failed(store: &dyn WebhookStore, owner: &str, millis: i64) -> FailingSubscription {
    let subscription = reread(store, &subscribed(store, &user(owner)).await).await;
    let mut new = event_at(&subscription.owner, at(millis - 1));
    new.only = Some(subscription.id);
    publish(store, &[new]).await;
    let held = claim_one(store, millis).await;
    settle(store, held.failed(millis, RETRY_MILLIS)).await;
    let attempt = held.attempt(at(millis), Some(FailureReason::Timeout));
    let last_attempt = Some(attempt.brief());
    let breaker = breaker_of(store, &subscription).await;
    FailingSubscription { subscription, breaker, last_attempt }
}

async fn breaker_of(store: &dyn WebhookStore, subscription: &Subscription) -> domain::webhooks::Breaker {
    let found = find(store, &subscription.owner, subscription.id).await;
    found.expect("a stored subscription must be found").1.breaker
}

/// All failing subscriptions, page by page.
async fn failing(store: &dyn WebhookStore, max: u32) -> Vec<FailingSubscription> {
    let (mut found, mut after): (Vec<FailingSubscription>, Option<FailingPlace>) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = store.failing(after, max).await.expect("a list of failing subscriptions must succeed");
        assert!(page.len() <= max as usize, "a page must have at most {max} subscriptions");
        after = page.last().and_then(FailingSubscription::place);
        let is_last = page.len() < max as usize;
        found.extend(page);
        if is_last {
            return found;
        }
    }
    panic!("the list must come to its end, got {} subscriptions", found.len());
}

/// All events that pass the filter, page by page.
async fn listed(store: &dyn WebhookStore, filter: &EventFilter, max: u32) -> Vec<LoggedEvent> {
    let (mut found, mut before) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let request = ListEventsRequest { filter: filter.clone(), before, max };
        let page = store.list_events(&request).await.expect("a list of events must succeed");
        assert!(page.events.len() <= max as usize, "a page must have at most {max} events");
        found.extend(page.events);
        before = page.next;
        if before.is_none() {
            return found;
        }
    }
    panic!("a list must come to its end, got {} events in {PAGES_MAX} pages", found.len());
}

/// Publishes events of several owners, types and times, some of them with deliveries, and returns the expected list.
async fn varied_events(store: &dyn WebhookStore) -> Vec<LoggedEvent> {
    let alice = user("alice");
    subscribed(store, &alice).await;
    subscribed(store, &alice).await;
    let mut new = Vec::new();
    for owner in [alice, user("ALICE"), user("bob")] {
        for millis in 0..3 {
            new.push(event_at(&owner, at(millis)));
        }
        new.push(event_of(&owner, "order.paid"));
    }
    let accepted = publish(store, &new).await;
    let shown = |new: &NewEvent, deliveries| LoggedEvent { event: without_payload(new.event.clone()), deliveries };
    new.iter().zip(accepted).map(|(new, accepted)| shown(new, accepted.deliveries)).collect()
}

fn without_payload(event: Event) -> Event {
    Event { payload: Payload::from_bytes(Vec::new()), ..event }
}
