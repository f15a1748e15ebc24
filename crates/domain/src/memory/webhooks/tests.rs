use crate::memory::unique_cause;
use std::time::Duration;

use pollster::block_on;

use super::MemoryWebhookStore;
use crate::memory::SeededEntropy;
use crate::ports::{
    ClaimId, ClaimRequest, Completion, DeleteSubscriptionRequest, DeliveryLog, DeliveryQueue, EventStore,
    InsertSubscriptionRequest, ListDeliveriesRequest, Publication, SubscriptionInsertion, SubscriptionStore,
};
use crate::webhooks::{
    AnswerHeaders, AttemptRecord, ClaimEnd, Delivery, DeliveryEnd, DeliveryFilter, DeliveryState, Description, Event,
    EventType, FairShares, NewEvent, Payload, SealedOptions, SealedSecret, Signing, SubscribedEvents, Subscription,
    SubscriptionStatus, TargetUrl,
};
use crate::{EventId, OwnerId, SubscriptionId, Timestamp};

const LEASE: Duration = Duration::from_mins(1);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120 + 1_000 * seconds).unwrap()
}

fn owner() -> OwnerId {
    OwnerId::new("https://id.example", "alice").unwrap()
}

/// A store with one subscription, and the subscription.
fn subscribed(entropy: &SeededEntropy) -> (MemoryWebhookStore, Subscription) {
    let store = MemoryWebhookStore::default();
    let subscription = Subscription {
        id: SubscriptionId::mint(at(0), entropy),
        owner: owner(),
        url: TargetUrl::from_stored("https://hooks.example/in").unwrap(),
        events: SubscribedEvents::parse(["invoice.*"]).unwrap(),
        filter: None,
        url_set_by: None,
        description: Description::default(),
        status: SubscriptionStatus::Enabled,
        created_at: at(0),
        updated_at: at(0),
        created_by: None,
        options: SealedOptions::default(),
        signing: Signing::default(),
    };
    let insertion = block_on(store.insert_within(&InsertSubscriptionRequest {
        subscription: subscription.clone(),
        secret: SealedSecret::from_bytes(vec![1]),
        max: 1,
        cause: unique_cause(),
    }))
    .unwrap();
    assert_eq!(insertion, SubscriptionInsertion::Stored);
    (store, subscription)
}

fn event(name: &str, entropy: &SeededEntropy) -> NewEvent {
    let event_type = EventType::parse(name).unwrap();
    let payload = Payload::compose(&event_type, at(0), "{}", 1_000).unwrap();
    let event = Event { id: EventId::mint(at(0), entropy), owner: owner(), event_type, payload, created_at: at(0) };
    NewEvent { event, publication: None, only: None, trace: None }
}

fn request(number: i64, at: Timestamp) -> ClaimRequest {
    let claim = ClaimId::from_number(number);
    ClaimRequest {
        claim,
        at,
        until: at.plus(LEASE),
        lanes_max: 1,
        room: 8,
        rooms: Vec::new(),
        shares: FairShares::new(1_000),
        payload_bytes_max: u64::MAX,
    }
}

fn only_delivery(store: &MemoryWebhookStore) -> Delivery {
    let (owner, filter) = (owner(), DeliveryFilter::default());
    let request = ListDeliveriesRequest { owner, filter, before: None, max: 10 };
    let mut page = block_on(DeliveryLog::list(store, &request)).unwrap();
    assert_eq!((page.deliveries.len(), page.next), (1, None));
    page.deliveries.remove(0).delivery
}

/// An event from publication to delivery, with a worker that loses its claim to another.
#[test]
fn an_event_is_published_claimed_and_delivered() {
    let entropy = SeededEntropy::new(1);
    let (store, subscription) = subscribed(&entropy);
    let events = [event("invoice.paid", &entropy), event("order.paid", &entropy)];
    let Ok(Publication::Accepted(accepted)) = block_on(store.publish(&events)) else { panic!("no conflict") };
    assert_eq!(accepted.iter().map(|one| one.deliveries).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(only_delivery(&store).state, DeliveryState::Waiting(at(0)));

    let lost = block_on(store.claim(&request(1, at(1)))).unwrap();
    assert_eq!(only_delivery(&store).state, DeliveryState::Sending(at(61)));
    assert!(block_on(store.claim(&request(2, at(60)))).unwrap().is_empty());
    let claimed = block_on(store.claim(&request(2, at(61)))).unwrap();
    let attempts: Vec<u32> = [&lost, &claimed].iter().map(|lanes| lanes[0].deliveries[0].attempt).collect();
    assert_eq!(attempts, [1, 2]);

    let completion = |claim, number| Completion {
        subscription: subscription.id,
        delivery: claimed[0].deliveries[0].id,
        claim: ClaimId::from_number(claim),
        end: ClaimEnd::Delivered(AttemptRecord {
            number,
            started_at: at(61),
            duration: Duration::from_secs(1),
            failure: None,
            status: Some(204),
            headers: AnswerHeaders::default(),
            excerpt: Vec::new(),
        }),
    };
    assert_eq!(block_on(store.complete(&[completion(1, 1), completion(2, 2)])).unwrap(), [false, true]);
    let delivery = only_delivery(&store);
    assert_eq!(delivery.state, DeliveryState::Ended { end: DeliveryEnd::Delivered, at: at(62) });
    let history = block_on(DeliveryLog::find(&store, &owner(), delivery.id)).unwrap().unwrap();
    assert_eq!(history.attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn what_waits_for_a_deleted_subscription_is_ended_with_it() {
    let entropy = SeededEntropy::new(1);
    let (store, subscription) = subscribed(&entropy);
    block_on(store.publish(&[event("invoice.paid", &entropy)])).unwrap();
    assert!(
        block_on(store.delete(&DeleteSubscriptionRequest {
            owner: owner(),
            id: subscription.id,
            at: at(1),
            cause: unique_cause()
        }))
        .unwrap()
    );
    let ended = DeliveryState::Ended { end: DeliveryEnd::SubscriptionDeleted, at: at(1) };
    assert_eq!(only_delivery(&store).state, ended);
    assert!(block_on(store.claim(&request(1, at(2)))).unwrap().is_empty());
}
