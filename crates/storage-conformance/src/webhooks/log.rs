//! The log of deliveries and attempts.

use std::sync::Arc;

use domain::ports::{AttemptCursor, ClaimRequest, ListAttemptsRequest, LoggedAttempt};
use domain::webhooks::{AttemptRecord, Delivery, DeliveryFilter, DeliveryStateKind, NewEvent, SHOWN_ATTEMPTS_MAX};
use domain::{DeliveryId, OwnerId, SubscriptionId, Timestamp};

use super::WebhookStore;
use super::commands::{cancel, retry};
use super::sample::{
    delete, deliveries, event, event_at, event_of, event_type, filtered, history, page, publish, publish_at,
    publish_many, subscribed, subscriber,
};
use super::work::{Held, claim, claim_as, complete, end_closed, request, settle};
use crate::sample::{at, user};

/// More pages than a bounded search of two thousand deliveries should need.
const PAGES_MAX: usize = 200;

/// Deliveries come newest first, in pages that continue below the last one. Each comes once, in every state.
pub async fn deliveries_are_listed_newest_first_in_pages(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let mut expected = varied_log(&store, &owner).await;
    varied_log(&store, &user("bob")).await;
    expected.sort_by_key(|one| std::cmp::Reverse(one.id));
    for page_max in [1, 2, 7, 1_000] {
        let seen = filtered(&*store, &owner, &DeliveryFilter::default(), page_max).await;
        assert_eq!(seen, expected, "pages of {page_max} must hold each delivery once, the newest first");
    }
    assert_eq!(deliveries(&*store, &user("carol")).await, [], "who has none gets an empty list");
    let empty = page(&*store, &user("carol"), &DeliveryFilter::default(), None, 5).await;
    assert_eq!(empty.next, None, "and no next page");
}

/// Every filter, and all filters together, select the same as the reference: by subscription, type, state and time, to
/// the millisecond.
pub async fn filters_pick_what_the_reference_picks(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    varied_log(&store, &owner).await;
    varied_log(&store, &user("bob")).await;
    let all = deliveries(&*store, &owner).await;
    let none = DeliveryFilter::default();
    let foreign = deliveries(&*store, &user("bob")).await[0].subscription_id;
    let mut subscriptions: Vec<_> = all.iter().map(|one| one.subscription_id).collect();
    subscriptions.dedup();
    let mut filters = vec![none.clone(), DeliveryFilter { subscription: Some(foreign), ..none.clone() }];
    filters.extend(DeliveryStateKind::ALL.map(|state| DeliveryFilter { state: Some(state), ..none.clone() }));
    for name in ["invoice.paid", "order.paid", "never.published"] {
        filters.push(DeliveryFilter { event_type: Some(event_type(name)), ..none.clone() });
    }
    for millis in [0, 1, 2, 3, 10] {
        filters.push(DeliveryFilter { since: Some(at(millis)), ..none.clone() });
        filters.push(DeliveryFilter { until: Some(at(millis)), ..none.clone() });
        filters.push(DeliveryFilter { since: Some(at(millis - 1)), until: Some(at(millis + 1)), ..none.clone() });
    }
    for subscription in subscriptions.into_iter().map(Some) {
        filters.push(DeliveryFilter { subscription, ..none.clone() });
        for state in DeliveryStateKind::ALL.map(Some) {
            let event_type = Some(event_type("invoice.paid"));
            filters.push(DeliveryFilter { subscription, state, event_type, since: Some(at(1)), until: Some(at(3)) });
        }
    }
    for filter in filters {
        let expected: Vec<Delivery> = all.iter().filter(|one| filter.matches(one)).cloned().collect();
        for page_max in [2, 1_000] {
            let seen = filtered(&*store, &owner, &filter, page_max).await;
            assert_eq!(seen, expected, "{filter:?} must pick what the reference picks");
        }
    }
}

/// A search for rare deliveries finds them page by page, and ends, for any number of others between them.
pub async fn a_search_for_what_is_rare_comes_to_its_end(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let rare = event_of(&owner, "rare");
    publish(&*store, std::slice::from_ref(&rare)).await;
    for _ in 0..4 {
        publish_many(&*store, &owner, 500, 10).await;
    }
    let filter = DeliveryFilter { event_type: Some(event_type("rare")), ..DeliveryFilter::default() };
    let (mut found, mut before) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = page(&*store, &owner, &filter, before, 10).await;
        found.extend(page.deliveries.iter().map(|one| one.delivery.event_id));
        before = page.next;
        if before.is_none() {
            assert_eq!(found, [rare.event.id], "the rare one must be found, and once");
            return;
        }
    }
    panic!("a search must come to its end within {PAGES_MAX} pages");
}

/// Deliveries to a subscription that was deleted stay in the log, with their attempts.
pub async fn deliveries_to_deleted_subscriptions_stay(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish(&*store, &[event(&owner), event(&owner)]).await;
    let held = claim(&*store, 1).await;
    settle(&*store, held[0].delivered(10)).await;
    settle(&*store, held[1].failed(10, 20)).await;
    delete(&*store, &lane, at(30)).await;
    end_closed(&*store, 30).await;
    let filter = DeliveryFilter { subscription: Some(lane.id), ..DeliveryFilter::default() };
    assert_eq!(deliveries(&*store, &owner).await.len(), 2, "its deliveries must be listed");
    assert_eq!(filtered(&*store, &owner, &filter, 10).await.len(), 2, "by its id, too");
    for one in &held {
        assert_eq!(history(&*store, &owner, one.delivery.id).await.attempts.len(), 1, "with their attempts");
    }
    assert_eq!(attempts(&*store, &owner, None, START, 10).await.len(), 2, "also in the stream of attempts");
    assert_eq!(attempts(&*store, &owner, Some(lane.id), START, 10).await.len(), 2, "by its id, too");
}

/// Attempts come in the order in which they ended, then by delivery and number, and continue after the last one, for
/// one subscription or for all of the owner's. Excerpts are left out.
pub async fn attempts_come_in_the_order_of_their_ends(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    for _ in 0..3 {
        subscribed(&*store, &owner).await;
    }
    subscribed(&*store, &user("bob")).await;
    let events: Vec<_> = (0..4).map(|_| event(&owner)).chain([event(&user("bob"))]).collect();
    publish(&*store, &events).await;
    let held = claim(&*store, 1).await;
    let theirs = |one: &&Held| events[..4].iter().any(|new| new.event.id == one.delivery.event);
    // Ends at the same instant, and earlier ends that are recorded later.
    let endings: Vec<_> =
        held.iter().zip([50, 40, 30, 40].into_iter().cycle()).map(|(one, ms)| one.failed(ms, 60)).collect();
    complete(&*store, &endings).await;
    let mut expected: Vec<(AttemptCursor, LoggedAttempt)> = held
        .iter()
        .zip(&endings)
        .filter(|(one, _)| theirs(one))
        .map(|(one, ending)| {
            let attempt = ending.end.attempt().cloned().expect("the sample has a record");
            let attempt = attempt.brief();
            let (delivery, event) = (one.delivery.id, one.delivery.event);
            let cursor = AttemptCursor { ended_at: ending.end.ended_at(), delivery, number: 1 };
            (cursor, LoggedAttempt { subscription: one.subscription, delivery, event, attempt })
        })
        .collect();
    expected.sort_by_key(|(cursor, _)| *cursor);
    for subscription in [None, Some(held.iter().find(theirs).expect("the owner has some").subscription)] {
        let picked: Vec<_> =
            expected.iter().filter(|(_, one)| subscription.is_none_or(|wanted| wanted == one.subscription)).collect();
        for page_max in [1, 3, 100] {
            let (mut seen, mut after) = (Vec::new(), START);
            loop {
                let page = attempts(&*store, &owner, subscription, after, page_max).await;
                assert!(page.len() <= page_max as usize, "at most {page_max} attempts");
                let Some(last) = page.last() else { break };
                let (ended_at, number) = (last.attempt.ended_at(), last.attempt.number);
                after = AttemptCursor { ended_at, delivery: last.delivery, number };
                seen.extend(page);
            }
            let wanted: Vec<_> = picked.iter().map(|(_, one)| one.clone()).collect();
            assert_eq!(seen, wanted, "attempts must come in order, each once, in pages of {page_max}");
        }
    }
    assert!(attempts(&*store, &user("carol"), None, START, 10).await.is_empty(), "who has none gets none");
    let foreign = held.iter().find(|one| !theirs(one)).expect("the other owner has one").subscription;
    assert!(attempts(&*store, &owner, Some(foreign), START, 10).await.is_empty(), "others' are not shown");
}

/// All attempts at one delivery come, each with its number.
pub async fn attempts_at_one_delivery_all_come(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish_at(&*store, &owner, at(0)).await;
    for n in 0..4 {
        let held = claim(&*store, n * 10).await;
        settle(&*store, held[0].failed(35, (n + 1) * 10)).await;
    }
    let numbers: Vec<_> =
        attempts(&*store, &owner, None, START, 10).await.iter().map(|one| one.attempt.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4], "attempts that ended together come by their numbers");
}

/// A delivery that is retried without end is shown with its newest attempts only.
pub async fn a_delivery_is_shown_with_its_newest_attempts(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let event = publish_at(&*store, &owner, at(0)).await;
    let (id, made) = (DeliveryId::of(event, lane.id), SHOWN_ATTEMPTS_MAX + 2);
    for n in 0..i64::from(made) {
        retry(&*store, &owner, id, n * 10).await;
        let held = claim(&*store, n * 10).await;
        settle(&*store, held[0].delivered(n * 10 + 5)).await;
    }
    let shown = history(&*store, &owner, id).await;
    let numbers: Vec<_> = shown.attempts.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, (3..=made).collect::<Vec<_>>(), "the newest attempts must be shown, oldest first");
    assert_eq!(shown.delivery.attempts, made, "all of them count");
}

/// Each delivery of a list comes with its last attempt, without headers and excerpt: on every page, in every state, and
/// after the subscription is deleted. A delivery without an attempt comes with none.
pub async fn listed_deliveries_have_their_last_attempt(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    varied_log(&store, &owner).await;
    let lane = subscribed(&*store, &owner).await;
    publish(&*store, &[NewEvent { only: Some(lane.id), ..event_at(&owner, at(90_000)) }]).await;
    for n in 0..3 {
        let held = claim(&*store, 90_000 + n * 10).await;
        for one in &held {
            settle(&*store, one.failed(90_035 + n * 10, 90_000 + (n + 1) * 10)).await;
        }
    }
    delete(&*store, &lane, at(100_000)).await;
    let all = deliveries(&*store, &owner).await;
    let (mut counts, mut before) = (Vec::new(), None);
    loop {
        let page = page(&*store, &owner, &DeliveryFilter::default(), before, 5).await;
        for listed in page.deliveries {
            let last = history(&*store, &owner, listed.delivery.id).await.attempts.pop();
            assert_eq!(listed.last_attempt, last.map(AttemptRecord::brief), "{:?}", listed.delivery);
            counts.push(listed.last_attempt.map_or(0, |attempt| attempt.number));
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(counts.len(), all.len(), "each is listed");
    counts.sort_unstable();
    counts.dedup();
    assert!(counts.len() > 2 && counts[0] == 0, "the sample has deliveries with and without attempts: {counts:?}");
}

/// A cursor before every attempt.
const START: AttemptCursor =
    AttemptCursor { ended_at: Timestamp::MIN, delivery: DeliveryId::from_bytes([0; 16]), number: 0 };

async fn attempts(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    subscription: Option<SubscriptionId>,
    after: AttemptCursor,
    max: u32,
) -> Vec<LoggedAttempt> {
    let request = ListAttemptsRequest { owner: owner.clone(), subscription, after, max };
    store.attempts_after(&request).await.expect("a list of attempts must succeed")
}

/// Deliveries in every state, of two types, to two subscriptions, published over four milliseconds.
async fn varied_log(store: &Arc<dyn WebhookStore>, owner: &OwnerId) -> Vec<Delivery> {
    let lanes = [subscribed(&**store, owner).await, subscribed(&**store, owner).await];
    let mut ids = Vec::new();
    for (n, name) in (0..8).zip(["invoice.paid", "order.paid"].into_iter().cycle()) {
        let mut new = event_at(owner, at(n / 2));
        new.event.event_type = event_type(name);
        publish(&**store, std::slice::from_ref(&new)).await;
        ids.extend(lanes.iter().map(|lane| DeliveryId::of(new.event.id, lane.id)));
    }
    let rooms = lanes.iter().map(|lane| (lane.id, 100)).collect();
    let mut held = claim_as(&**store, &ClaimRequest { rooms, room: 0, ..request(10) }).await;
    held.sort_by_key(|one| (one.delivery.run_started_at, one.subscription, one.delivery.id));
    assert_eq!(held.len(), 16, "all that was published is due");
    for (n, one) in held.iter().enumerate() {
        match n % 5 {
            0 => settle(&**store, one.delivered(20)).await,
            1 => settle(&**store, one.failed(20, 90_000)).await,
            2 => settle(&**store, one.spent(20)).await,
            3 => drop(cancel(&**store, owner, one.delivery.id, 20).await),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for id in ids {
        all.push(history(&**store, owner, id).await.delivery);
    }
    all
}
