//! Deliveries that publications claim for a dispatcher with an offer. A store may ignore offers: then claims find
//! all deliveries.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;

use domain::DeliveryId;
use domain::ports::{ClaimRequest, HandedOver};
use domain::webhooks::{
    Breaker, ClaimEnd, DeliveryState, FairShares, NewEvent, OwnerNumber, Payload, SealedSecrets, Subscription,
};

use super::WebhookStore;
use super::sample::{
    event, event_at, history, named, only_secret, options, publish, publish_together, put, subscribed, subscription,
    switched, try_publish, update,
};
use super::work::{Held, LEASE_MILLIS, claim, claim_as, complete, complete_all, request, settle};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// The deliveries that publications have handed over so far. Payloads that may not be stored are given back, as by a
/// dispatcher.
async fn handed_over(store: &dyn WebhookStore) -> Vec<HandedOver> {
    let claims = tokio::select! {
        biased;
        claims = store.handed_over() => claims,
        () = ready(()) => Vec::new(),
    };
    let (stored, unsure): (Vec<_>, Vec<_>) = claims.into_iter().partition(|claim| claim.is_stored);
    for claim in unsure {
        let back = ClaimEnd::GivenBack { at: claim.at, due_at: claim.at };
        let back: Vec<_> = Held::of(&claim.lanes, claim.claim).iter().map(|one| one.ended(back.clone())).collect();
        complete(store, &back).await;
    }
    stored
}

/// The same as a list of deliveries.
async fn held_directly(store: &dyn WebhookStore) -> Vec<Held> {
    handed_over(store).await.iter().flat_map(|claim| Held::of(&claim.lanes, claim.claim)).collect()
}

/// Fails a store that ignores offers. Not a promise: for the tests of a store that does not.
pub async fn publications_claim_for_the_dispatcher(store: Arc<dyn WebhookStore>) {
    let lane = subscribed(&*store, &user("alice")).await;
    store.offer_claims(Some(&request(0)));
    publish(&*store, &[event(&lane.owner), event(&lane.owner)]).await;
    assert_eq!(held_directly(&*store).await.len(), 2, "there is room for both");
    assert_eq!(store.offer_claims(None), 0, "both came out");
    publish(&*store, &[event(&lane.owner)]).await;
    assert_eq!(held_directly(&*store).await.len(), 0, "the offer was taken back");
}

/// Fails a store that keeps parts of an offer for some owners. Not a promise: a store may take less than it is offered.
pub async fn an_offer_is_used_up_by_any_owners(store: Arc<dyn WebhookStore>) {
    let owners: Vec<_> = (0..16).map(|number| user(&format!("owner-{number}"))).collect();
    for owner in &owners {
        subscribed(&*store, owner).await;
    }
    let events_of_one: Vec<_> = (0..8).map(|_| event(&owners[0])).collect();
    let events_of_all: Vec<_> = owners.iter().map(event).collect();
    for events in [events_of_one, events_of_all] {
        store.offer_claims(Some(&ClaimRequest { lanes_max: 8, ..request(0) }));
        publish(&*store, &events).await;
        assert_eq!(held_directly(&*store).await.len(), 8, "of {} events", events.len());
    }
}

/// A delivery that is handed over has all data for sending it, and is under a claim like any other: no other call
/// claims it before the claim ends, its completion holds, and the attempt is counted.
pub async fn what_is_handed_over_is_claimed(store: Arc<dyn WebhookStore>) {
    let stored = Subscription { options: options(), ..subscription(&user("alice")) };
    let secrets = SealedSecrets { options: stored.options.clone(), ..only_secret(&put(&*store, &stored).await) };
    let owner = &stored.owner;
    store.offer_claims(Some(&request(50)));
    let events = publish_together(&*store, owner, [100, 100, 101]).await;
    let claims = handed_over(&*store).await;
    for lane in claims.iter().flat_map(|claim| &claim.lanes) {
        assert_eq!((lane.subscription, &lane.url), (stored.id, &stored.url), "the claim must say where to");
        assert_eq!(lane.owner, OwnerNumber::of(owner), "the claim must say whose share the deliveries take");
        assert_eq!((&lane.secrets, lane.breaker), (&secrets, Breaker::default()), "what to sign with");
    }
    let held: Vec<Held> = claims.iter().flat_map(|claim| Held::of(&claim.lanes, claim.claim)).collect();
    for one in &held {
        let new = events.iter().find(|new| new.event.id == one.delivery.event).expect("it was published");
        assert_eq!(one.delivery.payload, new.event.payload, "the claim must say what to send");
        let (attempt, run_attempt) = (one.delivery.attempt, one.delivery.run_attempt);
        assert_eq!((attempt, run_attempt, one.delivery.run_started_at), (1, 1, new.event.created_at));
        let state = history(&*store, owner, one.delivery.id).await.delivery.state;
        let until = at(100 + LEASE_MILLIS);
        assert_eq!(state, DeliveryState::Sending(until), "from the first event on, as long as a claim");
    }
    let others = claim(&*store, 200).await;
    assert_eq!(count(held.iter().chain(&others)), [1; 3], "each delivery is claimed once");
    let Some((first, rest)) = held.split_first() else { return };
    settle(&*store, first.delivered(300)).await;
    let again = claim(&*store, 100 + LEASE_MILLIS).await;
    let again: Vec<&Held> =
        again.iter().filter(|one| rest.iter().any(|rest| rest.delivery.id == one.delivery.id)).collect();
    assert_eq!(again.len(), rest.len(), "what was not completed is due again when the claim ends");
    assert!(again.iter().all(|one| one.delivery.attempt == 2), "the first claim counted an attempt");
}

/// The limits of an offer hold for all publications together.
pub async fn an_offer_keeps_its_limits(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let [small, large] = [subscribed(&*store, &alice).await, subscribed(&*store, &alice).await];
    let lane_of_bob = subscribed(&*store, &bob).await;
    let offer = ClaimRequest { rooms: vec![(small.id, 2)], room: 5, ..request(0) };
    let mut published = 0;
    for (limits, [most_small, most_large, most_bob]) in [
        (offer.clone(), [2, 5, 5]),
        (ClaimRequest { lanes_max: 3, ..offer.clone() }, [2, 3, 3]),
        (
            ClaimRequest { shares: FairShares::with_taken(4, [(OwnerNumber::of(&alice), 12)]), ..offer.clone() },
            [0, 0, 3],
        ),
        (ClaimRequest { payload_bytes_max: 2_500, ..offer }, [2, 2, 2]),
    ] {
        store.offer_claims(Some(&limits));
        for _ in 0..4 {
            for owner in [&alice, &bob] {
                publish(&*store, &[large_event(owner), large_event(owner)]).await;
                published += 2;
            }
        }
        let held = held_directly(&*store).await;
        let of = |lane: &Subscription| held.iter().filter(|one| one.subscription == lane.id).count();
        let [of_small, of_large, of_bob] = [&small, &large, &lane_of_bob].map(of);
        assert!(of_small <= most_small, "the named lane has room for {most_small}, got {of_small}");
        assert!(of_large <= most_large && of_bob <= most_bob, "lanes have room for 5: {of_large}, {of_bob}");
        assert!(of_small + of_large + of_bob <= limits.lanes_max as usize, "more than the offer has");
        let bytes: usize = held.iter().map(|one| one.delivery.payload.bytes().len()).sum();
        assert!(bytes as u64 <= limits.payload_bytes_max, "{bytes} bytes of payloads");
        let all_room = ClaimRequest { room: 1_000, ..request(10) };
        let rest = claim_as(&*store, &all_room).await;
        assert_eq!(held.len() + rest.len(), 3 * 8, "what there is no room for waits");
    }
    assert_eq!(published, 4 * 16);
}

/// 1,000 bytes of payload.
fn large_event(owner: &domain::OwnerId) -> NewEvent {
    let mut new = event(owner);
    new.event.payload = Payload::from_bytes(vec![b' '; 1_000]);
    new
}

/// Deliveries that a claim would not take are not handed over: those of a paused lane, of a lane that may only probe,
/// and of a closed lane.
pub async fn an_offer_takes_what_a_claim_would(store: Arc<dyn WebhookStore>) {
    let [paused, closed] = [subscribed(&*store, &user("paused")).await, subscribed(&*store, &user("closed")).await];
    publish(&*store, &[0; 5].map(|_| event(&paused.owner))).await;
    complete_all(&*store, &claim(&*store, 0).await, |one| one.failed(10, 1_000_000)).await;
    update(&*store, &closed, &switched(false), at(10)).await;
    for millis in [20, 40_000] {
        store.offer_claims(Some(&request(millis)));
        publish(&*store, &[event_at(&paused.owner, at(millis)), event_at(&closed.owner, at(millis))]).await;
        let held = held_directly(&*store).await;
        assert!(held.is_empty(), "nothing may be handed over after {millis} ms, got {held:?}");
    }
    assert_eq!(claim(&*store, 40_000).await.len(), 1, "one delivery probes");
}

/// An offer counts until it is taken back, replaced, or three seconds old.
pub async fn an_offer_ends(store: Arc<dyn WebhookStore>) {
    let lane = subscribed(&*store, &user("alice")).await;
    let nothing = ClaimRequest { room: 0, ..request(0) };
    for (offers, millis) in
        [(&[Some(&request(0)), None][..], 1), (&[Some(&request(0)), Some(&nothing)], 1), (&[Some(&request(0))], 3_000)]
    {
        for offer in offers {
            store.offer_claims(*offer);
        }
        publish(&*store, &[event_at(&lane.owner, at(millis))]).await;
        assert!(held_directly(&*store).await.is_empty(), "the offer is over after {millis} ms");
        assert_eq!(claim(&*store, millis).await.len(), 1, "a claim finds what was published");
    }
}

/// A publication that stores no event hands no delivery over.
pub async fn repetitions_hand_nothing_over(store: Arc<dyn WebhookStore>) {
    let lane = subscribed(&*store, &user("alice")).await;
    store.offer_claims(Some(&request(0)));
    let first = named(event(&lane.owner), "id", "content");
    publish(&*store, std::slice::from_ref(&first)).await;
    let held = held_directly(&*store).await.len() + claim(&*store, 1).await.len();
    assert_eq!(held, 1, "the event has one delivery");
    store.offer_claims(Some(&request(2)));
    let conflict = [event(&lane.owner), named(event(&lane.owner), "id", "other")];
    publish(&*store, &[named(event(&lane.owner), "id", "content")]).await;
    try_publish(&*store, &conflict).await;
    assert!(handed_over(&*store).await.is_empty(), "nothing was stored");
    assert!(claim(&*store, 3).await.is_empty(), "nothing was stored");
}

/// In parallel with claims, each delivery of parallel publications is claimed once.
pub async fn parallel_publications_and_claims_share_out(store: Arc<dyn WebhookStore>) {
    let lane = subscribed(&*store, &user("alice")).await;
    let mut held = Vec::new();
    for round in 0..5 {
        store.offer_claims(Some(&ClaimRequest { room: 20, ..request(round) }));
        let calls = (0..16).map(|n| {
            let (store, owner) = (Arc::clone(&store), lane.owner.clone());
            Box::pin(async move {
                if n % 4 == 0 {
                    return claim(&*store, round).await;
                }
                publish(&*store, &[event(&owner), event(&owner)]).await;
                held_directly(&*store).await
            }) as Call<Vec<Held>>
        });
        held.extend(all_at_once(calls.collect()).await.into_iter().flatten());
    }
    held.extend(held_directly(&*store).await);
    while let Some(more) = Some(claim(&*store, 100).await).filter(|more| !more.is_empty()) {
        held.extend(more);
    }
    assert_eq!(count(&held), vec![1; 5 * 12 * 2], "each delivery must be claimed once");
}

/// The number of occurrences of each delivery.
fn count<'a>(held: impl IntoIterator<Item = &'a Held>) -> Vec<usize> {
    let mut counts: BTreeMap<DeliveryId, usize> = BTreeMap::new();
    held.into_iter().for_each(|one| *counts.entry(one.delivery.id).or_default() += 1);
    counts.into_values().collect()
}
