//! Subscriptions that their owner recovers.

use std::collections::HashSet;
use std::sync::Arc;

use domain::DeliveryId;
use domain::memory::unique_cause;
use domain::ports::RecoverRequest;
use domain::webhooks::{
    Breaker, DeliveryEnd, DeliveryState, Recoverable, RecoveryFilter, Subscription, SubscriptionStatus,
};

use super::WebhookStore;
use super::commands::{cancel, count_recoverable, recover, recover_as, recovery, retry_at};
use super::sample::{
    add, event_at, event_type, health, history, patterns, publish, publish_at, publish_many, publish_together, reread,
    subscriber, subscription_to, switched, update,
};
use super::work::{Held, claim, claim_one, complete, complete_all, end_closed, settle, switch_off};
use crate::sample::{at, user};

/// Recovering enables the subscription, resets its breaker, and retries failed deliveries: deliveries that the schedule
/// or the disabling ended, and deliveries that wait for a retry. It does not retry deliveries that were delivered or
/// cancelled, or whose event is too old.
pub async fn recovering_brings_back_what_failed(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish_together(&*store, &owner, [99, 100, 100, 100, 100]).await;
    let mut held = claim(&*store, 200).await;
    held.sort_by_key(|one| one.delivery.run_started_at);
    complete(&*store, &[held[0].spent(210), held[1].delivered(210), held[2].spent(210), held[3].gone(210)]).await;
    assert!(cancel(&*store, &owner, held[4].delivery.id, 220).await.is_some(), "a cancellation succeeds");
    end_closed(&*store, 220).await;
    let answer = recover(&*store, &lane, 300, 100, 10).await;
    assert_eq!(answer, Some(2), "two failed that are not too old");
    let enabled = Subscription { updated_at: at(300), ..lane.clone() };
    assert_eq!(reread(&*store, &lane).await, enabled, "it must be enabled");
    assert_eq!(health(&*store, &lane).await.breaker, Breaker::default(), "with a breaker as new");
    let again = claim(&*store, 300).await;
    let ids = |held: &[Held]| held.iter().map(|one| one.delivery.id).collect::<HashSet<_>>();
    assert_eq!(ids(&again), ids(&held[2..4]), "those that failed must be due now, and nothing else");
    for one in &again {
        let counted = (one.delivery.attempt, one.delivery.run_attempt, one.delivery.run_started_at);
        assert_eq!(counted, (2, 1, at(300)), "each as the first attempt of a new run");
    }
    // Retries that wait for later become due; a delivery that is being sent does not change.
    settle(&*store, again[0].failed(310, 1_000_000)).await;
    assert_eq!(recover(&*store, &lane, 400, 100, 10).await, Some(1), "one waits for a retry");
    assert_eq!(recover(&*store, &lane, 400, 100, 10).await, Some(0), "it is due now");
    assert_eq!(claim_one(&*store, 400).await.delivery.id, again[0].delivery.id, "the one that waited");
}

/// A disabled subscription misses published events: a delivery ends without an attempt, and its event keeps the payload. A
/// recovery sends missed deliveries, failed deliveries, or both.
pub async fn recovering_sends_what_was_missed(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let failing = event_at(&owner, at(1));
    publish(&*store, std::slice::from_ref(&failing)).await;
    let held = claim_one(&*store, 5).await;
    settle(&*store, held.spent(6)).await;
    switch_off(&*store, &lane, 10).await;
    let missed = event_at(&owner, at(20));
    publish(&*store, std::slice::from_ref(&missed)).await;
    let other = event_at(&user("bob"), at(20));
    publish(&*store, &[other]).await;
    assert!(claim(&*store, 30).await.is_empty(), "a disabled subscription gets nothing");
    let delivery = history(&*store, &owner, DeliveryId::of(missed.event.id, lane.id)).await.delivery;
    let ended = DeliveryState::Ended { end: DeliveryEnd::Missed, at: at(20) };
    assert_eq!((delivery.state, delivery.attempts), (ended, 0), "it has ended without an attempt");

    for (what, expected) in [(Recoverable::Missed, 1), (Recoverable::Failed, 1), (Recoverable::All, 2)] {
        let count = count_recoverable(&*store, &lane, retry_at(40, 0), what, 10).await;
        assert_eq!(count, Some(expected), "{what:?}");
    }
    let only = async |what: Recoverable| recover_as(&*store, &recovery(&lane, retry_at(40, 0), what, 10)).await;
    assert_eq!(only(Recoverable::Missed).await, Some(1), "what was missed");
    assert_eq!(only(Recoverable::Missed).await, Some(0), "once");
    let again = claim_one(&*store, 50).await;
    assert_eq!(again.delivery.event, missed.event.id, "the missed event is sent");
    assert_eq!(again.delivery.payload, missed.event.payload, "with its payload");
    settle(&*store, again.failed(55, 1_000_000)).await;
    assert_eq!(only(Recoverable::Failed).await, Some(2), "what failed and what waits for a retry");
}

/// A recovery with patterns retries and counts deliveries of matching events only, as [`EventPattern::matches`] says. A call
/// reads at most `max` deliveries, and its answer says where the next call continues.
///
/// [`EventPattern::matches`]: domain::webhooks::EventPattern::matches
pub async fn recovering_leaves_out_other_events(store: Arc<dyn WebhookStore>) {
    const TYPES: [&str; 8] = [
        "invoice",
        "invoice.paid",
        "invoice.line.added",
        "invoices.paid",
        "Invoice.paid",
        "v1/orders:shipped",
        "in_oice.paid",
        "gatepost.key.created",
    ];
    let owner = user("alice");
    let lane = add(&*store, subscription_to(&owner, &["*", "gatepost.*"])).await;
    let of = |millis, name| {
        let mut new = event_at(&owner, at(millis));
        new.event.event_type = event_type(name);
        new
    };
    let publish_each = async |from: i64| {
        let events: Vec<_> = (from..).zip(TYPES).map(|(millis, name)| of(millis, name)).collect();
        publish(&*store, &events).await;
        [events[2].event.id, events[5].event.id]
    };
    let mut meant = publish_each(0).await.to_vec();
    complete_all(&*store, &claim(&*store, 20).await, |one| one.spent(30)).await;
    meant.extend(publish_each(40).await);
    complete_all(&*store, &claim(&*store, 50).await, |one| one.failed(60, 1_000_000)).await;
    switch_off(&*store, &lane, 70).await;
    meant.extend(publish_each(80).await);
    // A disabled subscription does not miss operational events.
    for (names, types, missed) in [
        (vec!["*"], 7, 7),
        (vec!["*", "gatepost.key.*"], 8, 7),
        (vec!["invoice.*"], 2, 2),
        (vec!["invoice"], 1, 1),
        (vec!["in_oice.*"], 1, 1),
        (vec!["v1/*", "invoice.line.*", "invoice.line.added"], 2, 2),
        (vec!["v1:*", "invoice.paid.late"], 0, 0),
    ] {
        let failed = 2 * types;
        for (what, count) in
            [(Recoverable::Failed, failed), (Recoverable::Missed, missed), (Recoverable::All, failed + missed)]
        {
            let filter = RecoveryFilter { what, events: Some(patterns(&names)) };
            let counted = count_recoverable(&*store, &lane, retry_at(100, 0), filter, 100).await;
            assert_eq!(counted, Some(count), "{what:?} {names:?}");
        }
    }
    let only = RecoveryFilter { what: Recoverable::All, events: Some(patterns(&["invoice.line.*", "v1/*"])) };
    // Each call reads 10 of 23 deliveries: 8 failed, 8 waiting and 7 missed. Two of each kind match.
    let mut request = recovery(&lane, retry_at(100, 0), only, 10);
    let mut looks = Vec::new();
    loop {
        let recovered = store.recover(&request).await.expect("a recovery must succeed").expect("it is there");
        looks.push(recovered.deliveries);
        if recovered.rest.is_none() {
            break;
        }
        assert!(recovered.rest > request.after, "each call continues after the one before");
        request = RecoverRequest { after: recovered.rest, cause: unique_cause(), ..request };
    }
    assert_eq!(looks, [2, 3, 1], "of 10, 10 and 3 deliveries");
    let sent: HashSet<_> = claim(&*store, 100).await.iter().map(|one| one.delivery.event).collect();
    assert_eq!(sent, meant.into_iter().collect(), "no other event");
}

/// At most `max` deliveries are recovered, oldest first, and the next calls recover the rest.
pub async fn recovering_takes_the_oldest_first(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let events = publish_together(&*store, &owner, 0..7).await;
    switch_off(&*store, &lane, 50).await;
    let mut recovered = Vec::new();
    for (max, expected) in [(3, 3), (3, 3), (3, 1), (3, 0)] {
        assert_eq!(recover(&*store, &lane, 100, 0, max).await, Some(expected), "at most {max}");
        recovered.extend(claim(&*store, 100).await.iter().map(|one| one.delivery.event));
        let so_far: Vec<_> = events[..recovered.len()].iter().map(|new| new.event.id).collect();
        let seen: HashSet<_> = recovered.iter().copied().collect();
        assert_eq!(seen, so_far.into_iter().collect(), "the oldest must come first");
    }
    assert_eq!(recovered.len(), 7, "all of them in the end");
}

/// Recovering an enabled subscription ends the pause of its lane.
pub async fn recovering_ends_a_pause(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish_many(&*store, &owner, 6, 0).await;
    complete_all(&*store, &claim(&*store, 1).await, |one| one.failed(10, 1_000_000)).await;
    publish_at(&*store, &owner, at(0)).await;
    assert!(claim(&*store, 50).await.is_empty(), "the lane pauses");
    assert_eq!(recover(&*store, &lane, 50, 0, 100).await, Some(6), "six wait for a retry");
    assert_eq!(reread(&*store, &lane).await.status, SubscriptionStatus::Enabled, "it was enabled, and is");
    let held = claim(&*store, 50).await;
    assert_eq!(held.len(), 7, "everything may go at once, without a probe");
}

/// The rest of a recovery needs the owner's subscription to be enabled. It does not enable the subscription.
pub async fn recovering_the_rest_needs_an_enabled_subscription(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let events = publish_together(&*store, &owner, 0..3).await;
    switch_off(&*store, &lane, 50).await;
    assert_eq!(recover(&*store, &lane, 100, 0, 1).await, Some(1), "the first part");
    switch_off(&*store, &lane, 110).await;
    let off = reread(&*store, &lane).await;
    assert_eq!(recover_rest(&*store, &lane, 100, 10).await, None, "its owner has disabled it");
    assert_eq!(reread(&*store, &lane).await, off, "it must stay disabled");
    update(&*store, &lane, &switched(true), at(120)).await;
    let stranger = Subscription { owner: user("bob"), ..lane.clone() };
    assert_eq!(recover_rest(&*store, &stranger, 130, 10).await, None, "it is another user's");
    for expected in [2, 1, 0] {
        assert_eq!(recover_rest(&*store, &lane, 130, 2).await, Some(expected), "at most 2");
    }
    let held: HashSet<_> = claim(&*store, 130).await.iter().map(|one| one.delivery.event).collect();
    assert_eq!(held, events.iter().map(|new| new.event.id).collect(), "all of them must be due now");
}

/// The rest of a recovery is due when the pause of the lane ends.
pub async fn recovering_the_rest_leaves_the_pause(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    publish_many(&*store, &owner, 6, 0).await;
    complete_all(&*store, &claim(&*store, 1).await, |one| one.failed(10, 1_000_000)).await;
    let before = health(&*store, &lane).await.breaker;
    assert_eq!(recover_rest(&*store, &lane, 50, 100).await, Some(6), "six wait for a retry");
    assert_eq!(health(&*store, &lane).await.breaker, before, "the breaker must stay as it is");
    assert!(claim(&*store, 50).await.is_empty(), "the lane pauses");
    let until = before.pause.expect("the lane pauses").until.unix_millis() - at(0).unix_millis();
    assert_eq!(claim(&*store, until).await.len(), 1, "one is the probe");
}

async fn recover_rest(store: &dyn WebhookStore, lane: &Subscription, millis: i64, max: u32) -> Option<u32> {
    let first = recovery(lane, retry_at(millis, 0), Recoverable::All, max);
    recover_as(store, &RecoverRequest { enables: false, ..first }).await
}
