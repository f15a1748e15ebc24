//! Accepting events, and creating their deliveries.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::audit::AuditAction;
use domain::ports::{Accepted, ClaimRequest, PUBLISHED_EVENTS_MAX, StoreError};
use domain::webhooks::{Delivery, DeliveryState, EventType, NewEvent, Payload, Subscription, SubscriptionStatus};
use domain::{DeliveryId, Timestamp};

use super::WebhookStore;
use super::calls::calling;
use super::sample::{
    add, delete, deliveries, event, event_at, event_of, event_type, history, publish, put, subscribed, subscriber,
    subscription, subscription_to, switched, update,
};
use super::work::{claim_as, drain, request};
use crate::racing::all_at_once;
use crate::sample::{at, user};

/// An accepted event, its delivery and its payload come back equal in every field, to the byte and the millisecond.
pub async fn an_event_comes_back_with_every_field(store: Arc<dyn WebhookStore>) {
    let (owner, subscription) = subscriber(&*store, "alice").await;
    let longest_type = format!("v1/{}", "t".repeat(125));
    let payloads = [vec![], b"{}".to_vec(), (0..=255).collect(), vec![b'x'; Payload::SIZE_BYTES_MAX_DEFAULT]];
    for (n, bytes) in (0..).zip(payloads) {
        let name = if n == 0 { &longest_type } else { "invoice.paid" };
        let mut new = event_at(&owner, at(n));
        new.event.event_type = event_type(name);
        new.event.payload = Payload::from_bytes(bytes);
        let accepted = publish(&*store, std::slice::from_ref(&new)).await;
        assert_eq!(accepted[0].event, new.event, "the answer must hold the event as it was published");
        assert!(!accepted[0].is_duplicate, "a new event must not be a duplicate");

        let id = DeliveryId::of(new.event.id, subscription.id);
        let found = history(&*store, &owner, id).await;
        let delivery = Delivery {
            id,
            event_id: new.event.id,
            event_type: new.event.event_type.clone(),
            subscription_id: subscription.id,
            state: DeliveryState::Waiting(at(n)),
            attempts: 0,
            created_at: at(n),
        };
        assert_eq!((found.delivery, found.attempts), (delivery, vec![]), "its delivery must wait from then on");
        assert!(found.event == new.event, "an event of type {name} must come back as it was published");
    }
    for held in drain(&*store, 10).await {
        let payload = history(&*store, &owner, held.delivery.id).await.event.payload;
        assert!(held.delivery.payload == payload, "a claim must bring the payload byte for byte");
    }
}

/// Times of events come back to the millisecond, from 1970 on.
pub async fn times_of_events_keep_their_milliseconds(store: Arc<dyn WebhookStore>) {
    let (owner, subscription) = subscriber(&*store, "alice").await;
    let unix = |millis| Timestamp::from_unix_millis(millis).expect("within the range of timestamps");
    for time in [unix(1), unix(1_001), at(0), at(879), unix(4_102_444_800_999)] {
        let new = event_at(&owner, time);
        publish(&*store, std::slice::from_ref(&new)).await;
        let found = history(&*store, &owner, DeliveryId::of(new.event.id, subscription.id)).await;
        assert_eq!(found.event.created_at, time, "{time} must come back to the millisecond");
        assert_eq!(found.delivery.state, DeliveryState::Waiting(time), "{time} must come back to the millisecond");
    }
}

/// An event goes once to each subscription with a pattern that matches its type, level by level.
pub async fn an_event_goes_to_every_subscription_that_matches(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let wishes: [&[&str]; 12] = [
        &["*"],
        &["invoice.paid"],
        &["invoice.*"],
        &["invoice.*", "invoice.paid", "*"],
        &["invoice.paid.late"],
        &["invoice"],
        &["Invoice.paid"],
        &["order.paid", "order.*", "v1/*"],
        &["v1/invoice:*", "v1:*"],
        &["invoice.paid.*"],
        &["invoice_paid"],
        &["v1/invoice:paid"],
    ];
    let mut stored = Vec::new();
    for names in wishes {
        stored.push(add(&*store, subscription_to(&owner, names)).await);
    }
    let names = [
        "invoice.paid",
        "invoice",
        "invoice.paid.late",
        "invoices.paid",
        "Invoice.paid",
        "invoice_paid",
        "order.created",
        "v1/invoice:paid",
        "v1:invoice",
        "v1",
        "a",
    ];
    for name in names {
        let new = event_of(&owner, name);
        let accepted = publish(&*store, std::slice::from_ref(&new)).await;
        let wanted: Vec<_> = stored.iter().filter(|one| one.events.matches(&new.event.event_type)).collect();
        assert_eq!(accepted[0].deliveries as usize, wanted.len(), "{name} must be fanned out to those that match");
        let mut expected: Vec<_> = wanted.iter().map(|one| DeliveryId::of(new.event.id, one.id)).collect();
        expected.sort_unstable();
        let all = deliveries(&*store, &owner).await;
        let mut seen: Vec<_> = all.iter().filter(|one| one.event_id == new.event.id).map(|one| one.id).collect();
        seen.sort_unstable();
        assert_eq!(seen, expected, "{name} must be delivered to those that match, and to each once");
    }
}

/// Only the owner's enabled subscriptions get an event.
pub async fn closed_and_foreign_subscriptions_get_nothing(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    subscribed(&*store, &bob).await;
    let [disabled, deleted, open] =
        [subscribed(&*store, &alice).await, subscribed(&*store, &alice).await, subscribed(&*store, &alice).await];
    update(&*store, &disabled, &switched(false), at(1)).await;
    delete(&*store, &deleted, at(1)).await;
    let never_open = Subscription { status: SubscriptionStatus::DisabledByOwner, ..subscription(&alice) };
    put(&*store, &never_open).await;
    let accepted = publish(&*store, &[event(&alice)]).await;
    assert_eq!(accepted[0].deliveries, 1, "the owner has one enabled subscription");
    let all = deliveries(&*store, &alice).await;
    let has_ended = |one: &&Delivery| matches!(one.state, DeliveryState::Ended { .. });
    let (ended, waiting): (Vec<&Delivery>, Vec<&Delivery>) = all.iter().partition(has_ended);
    let to = |some: &[&Delivery]| some.iter().map(|one| one.subscription_id).collect::<BTreeSet<_>>();
    assert_eq!(to(&waiting), [open.id].into(), "the enabled subscription must get it alone");
    assert_eq!(to(&ended), [disabled.id, never_open.id].into(), "the disabled ones must miss it");
    let of_service = EventType::announcing(AuditAction::KeyCreated);
    publish(&*store, &[event_of(&alice, of_service.as_str())]).await;
    assert_eq!(deliveries(&*store, &alice).await.len(), all.len(), "nobody misses an event of the service");
    assert_eq!(deliveries(&*store, &bob).await, [], "another owner must get nothing");
    update(&*store, &disabled, &switched(true), at(2)).await;
    let accepted = publish(&*store, &[event(&alice)]).await;
    assert_eq!(accepted[0].deliveries, 2, "what is enabled again must get what is published from then on");
}

/// An event for one subscription goes only there, for any patterns, if the subscription is the owner's and enabled.
pub async fn an_event_for_one_subscription_goes_there_alone(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let wanted = add(&*store, subscription_to(&alice, &["something.else"])).await;
    let (disabled, deleted) = (subscribed(&*store, &alice).await, subscribed(&*store, &alice).await);
    let theirs = subscribed(&*store, &bob).await;
    update(&*store, &disabled, &switched(false), at(1)).await;
    delete(&*store, &deleted, at(1)).await;
    subscribed(&*store, &alice).await;
    let unknown = subscription(&alice);
    for (name, only, count) in [
        ("the owner's", &wanted, 1),
        ("a disabled one", &disabled, 0),
        ("a deleted one", &deleted, 0),
        ("another owner's", &theirs, 0),
        ("an unknown one", &unknown, 0),
    ] {
        let new = NewEvent { only: Some(only.id), ..event(&alice) };
        let accepted = publish(&*store, std::slice::from_ref(&new)).await;
        assert_eq!(accepted[0].deliveries, count, "an event for one subscription, {name}");
    }
    let seen: Vec<_> = deliveries(&*store, &alice).await.iter().map(|one| one.subscription_id).collect();
    assert_eq!(seen, [wanted.id], "it must go to the one subscription alone");
    assert_eq!(deliveries(&*store, &bob).await, [], "another owner must get nothing");
}

/// An event for one subscription that does not receive it is not stored.
pub async fn a_refused_event_for_one_subscription_leaves_nothing(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let only = subscribed(&*store, &owner).await;
    update(&*store, &only, &switched(false), at(1)).await;
    let new = NewEvent { only: Some(only.id), ..event(&owner) };
    let [refused, other] = [new.clone(), event(&owner)];
    let deliveries = |accepted: Vec<Accepted>| accepted.iter().map(|one| one.deliveries).collect::<Vec<_>>();
    assert_eq!(deliveries(publish(&*store, &[refused]).await), [0], "it is disabled");
    assert_eq!(deliveries(publish(&*store, &[new.clone(), other]).await), [0, 0], "the refused event is as new");
    update(&*store, &only, &switched(true), at(2)).await;
    assert_eq!(deliveries(publish(&*store, &[new]).await), [1], "it is as new when it is enabled");
}

/// One call takes the maximum number of events, and each is delivered once.
pub async fn the_most_events_at_once_are_taken(store: Arc<dyn WebhookStore>) {
    let (owner, subscription) = subscriber(&*store, "alice").await;
    let events: Vec<NewEvent> = (0..PUBLISHED_EVENTS_MAX).map(|_| event(&owner)).collect();
    let accepted = publish(&*store, &events).await;
    let answered: Vec<_> = accepted.iter().map(|one| one.event.id).collect();
    let published: Vec<_> = events.iter().map(|new| new.event.id).collect();
    assert_eq!(answered, published, "the answer must be in the order given");
    let everything = ClaimRequest {
        rooms: vec![(subscription.id, u32::try_from(PUBLISHED_EVENTS_MAX).expect("a few hundred"))],
        ..request(10)
    };
    let mut claimed: Vec<_> = claim_as(&*store, &everything).await.iter().map(|held| held.delivery.event).collect();
    claimed.sort_unstable();
    let mut expected = published;
    expected.sort_unstable();
    assert_eq!(claimed, expected, "each event must be delivered once");
    assert_eq!(publish(&*store, &[]).await, [], "a publication of nothing is one");
}

/// An event's id that is stored already is refused, and no event of the call is stored.
pub async fn a_stored_event_id_is_refused(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    let stored = event(&owner);
    publish(&*store, std::slice::from_ref(&stored)).await;
    let answer = store.publish(&[event(&owner), stored]).await;
    assert!(matches!(answer, Err(StoreError::Duplicate { .. })), "a stored id must be refused, got {answer:?}");
    assert_eq!(deliveries(&*store, &owner).await.len(), 1, "nothing of a refused publication may be stored");
}

/// Events of several owners in one call each go to their owner's subscriptions.
pub async fn events_of_several_owners_go_each_to_their_own(store: Arc<dyn WebhookStore>) {
    let owners: Vec<_> = (0..4).map(|n| user(&format!("user-{n}"))).collect();
    for owner in &owners[..3] {
        subscribed(&*store, owner).await;
    }
    let events: Vec<_> = owners.iter().chain(&owners).map(event).collect();
    let counts: Vec<u32> = publish(&*store, &events).await.iter().map(|one| one.deliveries).collect();
    assert_eq!(counts, [1, 1, 1, 0, 1, 1, 1, 0], "each event must go to its owner's subscription");
    for owner in &owners {
        let seen = deliveries(&*store, owner).await;
        let theirs = |event| events.iter().any(|new| new.event.id == event && new.event.owner == *owner);
        assert!(seen.iter().all(|one| theirs(one.event_id)), "{owner:?} must see the own events alone");
    }
}

/// Every event of parallel publications by many publishers is accepted and delivered once.
pub async fn parallel_publications_all_arrive(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    for _ in 0..3 {
        subscribed(&*store, &owner).await;
    }
    let calls = (0..24).map(|n| {
        let events: Vec<_> = (0..=n % 3).map(|_| event(&owner)).collect();
        calling(&store, |store| async move { publish(&*store, &events).await })
    });
    let accepted: u32 = all_at_once(calls.collect()).await.iter().flatten().map(|one| one.deliveries).sum();
    assert_eq!(accepted, 3 * 48, "each of 48 events must go to each of 3 subscriptions");
    assert_eq!(deliveries(&*store, &owner).await.len(), 144, "what was accepted must be stored");
    let mut delivered: Vec<_> = drain(&*store, 10).await.iter().map(|held| held.delivery.id).collect();
    delivered.sort_unstable();
    delivered.dedup();
    assert_eq!(delivered.len(), 144, "what was accepted must be delivered");
}
