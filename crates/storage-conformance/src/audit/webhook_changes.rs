//! Changes of subscriptions and deliveries.

use std::sync::Arc;

use domain::audit::{AuditAction, AuditTarget, Cause};
use domain::ports::{
    CancelDeliveryRequest, ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, ForgetRequest,
    InsertSubscriptionRequest, PulledLog, RecoverRequest, RetryByHand, RetryDeliveryRequest, RetryRequest,
    RotateSecretRequest, SeekRequest, SeekTo, Sought, StoreError, SubscriptionInsertion, SubscriptionUpdate,
};
use domain::webhooks::{
    DisableReason, FailureReason, HealthTurn, Recoverable, SealedSecret, SealedSecrets, SigningKind, Subscription,
    SubscriptionChange, SubscriptionStatus, TargetUrl,
};
use domain::{DeliveryId, KeyId, OwnerId, SubscriptionId, Timestamp};

use super::AuditedStores;
use super::sample::{all_of, cause, expect_events, expect_no_more, second};
use crate::sample::{at, user};
use crate::webhooks::reader::{consumer_name, log_of};
use crate::webhooks::sample::{NO_MAX, description, publish_at, secret, signer_of, subscription, switched, url};
use crate::webhooks::work::{Held, claim, claim_one, complete, end_closed, settle};

const LEAKED: DisableReason = DisableReason::KeyLeaked;

/// Creation, change, a new secret, recovery, disabling because of a leak and deletion each leave the event of their
/// cause.
pub async fn changes_of_subscriptions_leave_their_events(stores: Arc<AuditedStores>) {
    let (alice, key) = (user("alice"), KeyId::from_bytes([1; 16]));
    let lane = Subscription { url_set_by: Some(key), ..subscription(&alice) };
    let mut expected = vec![create(&stores, &lane, second(1)).await.subscription_created(&lane)];
    let renamed = SubscriptionChange { description: Some(description("renamed")), ..switched(false) };
    let (by, changed) = change(&stores, &alice, lane.id, renamed, second(2)).await;
    let changed = changed.expect("it is stored");
    expected.extend(by.subscription_changed(&lane, &changed));
    let signing = SealedSecrets::of(signer_of(SigningKind::Ed25519));
    let by = rotate(&stores, &alice, lane.id, &signing.current, second(60), second(3)).await;
    let rotated = Subscription { signing: signing.signing(), ..changed.clone() };
    expected.push(by.secret_rotated(&rotated, second(60)));
    let (by, recovered) = recover(&stores, first(&alice, lane.id, 10, second(4))).await;
    assert_eq!(recovered, Some(0), "there is no delivery");
    let before = Subscription { updated_at: second(3), ..changed };
    let enabled = before.enabled_at(second(4));
    expected.push(by.subscription_recovered(&before, &enabled, 0));
    let status = SubscriptionStatus::DisabledByService(LEAKED);
    let (by, disabled) = disable_set_by(&stores, key, second(5)).await;
    assert_eq!(disabled, 1, "its URL was set by this key");
    expected.extend(by.subscriptions_disabled(status, [(lane.id, alice.clone())]));
    let other = KeyId::from_bytes([2; 16]);
    let off =
        Subscription { url_set_by: Some(other), status: SubscriptionStatus::DisabledByOwner, ..subscription(&alice) };
    expected.push(create(&stores, &off, second(5)).await.subscription_created(&off));
    let (by, marked) = disable_set_by(&stores, other, second(5)).await;
    assert_eq!(marked, 1, "its URL was set by this key, and it lacks the reason");
    expected.extend(by.subscriptions_disabled_from(status, [(off.id, alice.clone(), off.status)]));
    let (by, was_deleted) = delete(&stores, &alice, lane.id, second(6)).await;
    assert!(was_deleted, "it is stored");
    expected.push(by.subscription_deleted(lane.id, &alice));
    expect_events(&*stores.audit, expected, "each change of a subscription must leave its event").await;
}

/// Each part of a recovery that retries deliveries leaves its event.
pub async fn parts_of_a_recovery_leave_their_events(stores: Arc<AuditedStores>) {
    let (alice, webhooks) = (user("alice"), &stores.webhooks);
    let lane = subscription(&alice);
    let mut expected = vec![create(&stores, &lane, second(0)).await.subscription_created(&lane)];
    for _ in 0..2 {
        publish_at(&**webhooks, &alice, second(1)).await;
    }
    let (by, disabled) = change(&stores, &alice, lane.id, switched(false), second(2)).await;
    let disabled = disabled.expect("it is stored");
    expected.extend(by.subscription_changed(&lane, &disabled));
    end_closed(&**webhooks, 2_000).await;
    let (by, begun) = recover(&stores, first(&alice, lane.id, 1, second(3))).await;
    assert_eq!(begun, Some(1), "the first part");
    let enabled = disabled.enabled_at(second(3));
    expected.push(by.subscription_recovered(&disabled, &enabled, 1));
    for (at, count) in [(4, 1), (5, 0)] {
        let (by, rest) = recover(&stores, later(first(&alice, lane.id, 1, second(at)))).await;
        assert_eq!(rest, Some(count), "the rest");
        expected.extend((count > 0).then(|| by.subscription_recovered(&enabled, &enabled, count)));
    }
    expect_events(&*stores.audit, expected, "each part of a recovery must leave its event").await;
}

/// A call that is refused, finds no subscription, or has no effect leaves no event.
pub async fn calls_that_change_no_subscription_leave_no_event(stores: Arc<AuditedStores>) {
    let (alice, mallory) = (user("alice"), user("mallory"));
    let lane = subscription(&alice);
    create(&stores, &lane, second(1)).await;
    let full = try_create(&stores, &subscription(&alice), 1, &cause(second(2))).await;
    full.expect("an insertion beyond the maximum is refused as a value");
    let again = try_create(&stores, &lane, NO_MAX, &cause(second(2))).await;
    assert!(again.is_err(), "the id is stored");
    expect_no_more(&stores, 1, "an insertion that is refused").await;
    let same = SubscriptionChange { url: Some(lane.url.clone()), ..switched(true) };
    change(&stores, &alice, lane.id, same, second(3)).await;
    expect_no_more(&stores, 1, "an update to the same values").await;
    for (owner, id) in [(&mallory, lane.id), (&alice, subscription(&alice).id)] {
        call_in_vain(&stores, owner, id).await;
    }
    expect_no_more(&stores, 1, "a call for a subscription that is unknown or another user's").await;
    for (until, at) in [(60, 4), (90, 5)] {
        rotate(&stores, &alice, lane.id, &secret(), second(until), second(at)).await;
    }
    expect_no_more(&stores, 2, "a rotation in an overlap").await;
}

async fn call_in_vain(stores: &AuditedStores, owner: &OwnerId, id: SubscriptionId) {
    let elsewhere = SubscriptionChange { url: Some(url("https://other.example/")), ..switched(false) };
    assert_eq!(change(stores, owner, id, elsewhere, second(3)).await.1, None, "it does not exist");
    rotate(stores, owner, id, &secret(), second(9), second(3)).await;
    assert!(!delete(stores, owner, id, second(3)).await.1, "it does not exist");
    assert_eq!(recover(stores, first(owner, id, 10, second(3))).await.1, None, "it does not exist");
    assert_eq!(recover(stores, later(first(owner, id, 10, second(3)))).await.1, None, "it does not exist");
    let disabled = disable_set_by(stores, KeyId::from_bytes([9; 16]), second(3)).await.1;
    assert_eq!(disabled, 0, "no URL was set by this key");
}

/// A move and a deletion of a consumer leave the event of their cause. Calls without an effect leave none.
pub async fn moves_of_consumers_leave_their_events(stores: Arc<AuditedStores>) {
    let (alice, webhooks) = (user("alice"), &stores.webhooks);
    let lane = Subscription { url: TargetUrl::pull(), ..subscription(&alice) };
    let mut expected = vec![create(&stores, &lane, second(0)).await.subscription_created(&lane)];
    for _ in 0..2 {
        publish_at(&**webhooks, &alice, second(1)).await;
    }
    let (log, consumer) = (log_of(&lane), consumer_name("billing"));
    let by = cause(second(2));
    let seek = SeekRequest { log: log.clone(), consumer: consumer.clone(), to: SeekTo::End, cause: by.clone() };
    let sought = webhooks.seek(&seek).await;
    assert_eq!(sought.expect("a seek must succeed"), Sought::Done);
    expected.push(by.consumer_moved(&log, &consumer, 0, 2));
    let unknown = PulledLog { subscription: subscription(&alice).id, ..log.clone() };
    let sought = webhooks.seek(&SeekRequest { log: unknown.clone(), cause: cause(second(3)), ..seek }).await;
    assert_eq!(sought.expect("a seek must be refused as a value"), Sought::NotFound);
    for (log, was_there) in [(&unknown, false), (&log, true), (&log, false)] {
        let by = cause(second(4));
        let forget = ForgetRequest { log: log.clone(), consumer: consumer.clone(), cause: by.clone() };
        let forgotten = webhooks.forget(&forget).await.expect("a deletion must succeed");
        assert_eq!(forgotten, was_there, "whether there was one");
        expected.extend(was_there.then(|| by.consumer_deleted(log, &consumer)));
    }
    expect_events(&*stores.audit, expected, "each move and each deletion of a consumer must leave its event").await;
}

/// When an attempt makes the service disable a subscription, there is one event of the service.
pub async fn a_subscription_that_is_disabled_by_the_service_leaves_an_event(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let lane = subscription(&alice);
    let created = create(&stores, &lane, at(0)).await.subscription_created(&lane);
    publish_at(&*stores.webhooks, &alice, at(0)).await;
    publish_at(&*stores.webhooks, &alice, at(0)).await;
    let held = claim(&*stores.webhooks, 10).await;
    assert_eq!(held.len(), 2, "two deliveries are due");
    settle(&*stores.webhooks, held[0].gone(20)).await;
    settle(&*stores.webhooks, held[1].gone(30)).await;
    let status = SubscriptionStatus::DisabledByService(DisableReason::Gone);
    let mut expected = Cause::of_service(at(20), lane.id).subscriptions_disabled(status, [(lane.id, alice)]);
    expected.push(created);
    expect_events(&*stores.audit, expected, "the end of a subscription must leave one event of the service").await;
}

/// Five failures in a row leave an event of the service, and so does the success after them. More failures, and a success
/// before them, leave none; nor do failures of a subscription that is disabled.
pub async fn a_subscription_that_fails_and_recovers_leaves_its_events(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let lanes = [subscription(&alice), subscription(&alice)];
    let mut expected = Vec::new();
    for lane in &lanes {
        expected.push(create(&stores, lane, at(0)).await.subscription_created(lane));
    }
    for _ in 0..8 {
        publish_at(&*stores.webhooks, &alice, at(0)).await;
    }
    let held = claim_both_lanes(&stores, &lanes).await;
    let (by, disabled) = change(&stores, &alice, lanes[1].id, switched(false), at(10)).await;
    expected.extend(by.subscription_changed(&lanes[1], &disabled.expect("it is stored")));
    for (lane, held) in lanes.iter().zip(&held) {
        settle(&*stores.webhooks, held[0].delivered(20)).await;
        let failures: Vec<_> = held[1..6].iter().map(|one| one.failed(30, 900_000)).collect();
        assert_eq!(complete(&*stores.webhooks, &failures).await, [true; 5], "{}", lane.id);
        settle(&*stores.webhooks, held[6].failed(40, 900_000)).await;
        settle(&*stores.webhooks, held[7].delivered(50)).await;
    }
    let id = lanes[0].id;
    let failing = HealthTurn::Failing(Some(FailureReason::Timeout));
    expected.push(Cause::of_service(at(30), id).subscription_turned(id, &alice, failing));
    expected.push(Cause::of_service(at(50), id).subscription_turned(id, &alice, HealthTurn::Recovered));
    expect_events(&*stores.audit, expected, "the fifth failure and the next success must leave an event each").await;
}

/// Eight deliveries of each lane, in the order of the lanes.
async fn claim_both_lanes(stores: &AuditedStores, lanes: &[Subscription]) -> Vec<Vec<Held>> {
    let held = claim(&*stores.webhooks, 5).await;
    let of = |lane: &Subscription| held.iter().filter(|one| one.subscription == lane.id).cloned().collect::<Vec<_>>();
    let held: Vec<Vec<Held>> = lanes.iter().map(of).collect();
    assert!(held.iter().all(|held| held.len() == 8), "eight deliveries of each lane are due");
    held
}

/// A retry and a cancellation by hand leave their events, with the owner. Repetitions without effect leave none.
pub async fn changes_of_deliveries_leave_their_events(stores: Arc<AuditedStores>) {
    let (alice, mallory) = (user("alice"), user("mallory"));
    let lane = subscription(&alice);
    create(&stores, &lane, at(0)).await;
    publish_at(&*stores.webhooks, &alice, at(0)).await;
    let held = claim_one(&*stores.webhooks, 10).await;
    let (id, log) = (held.delivery.id, &*stores.audit);
    assert!(matches!(retry(&stores, &alice, id, 20).await, RetryByHand::Due(_)), "it is being sent");
    expect_no_more(&stores, 1, "a retry of what is being sent").await;
    settle(&*stores.webhooks, held.failed(30, 900_000)).await;
    assert_eq!(retry(&stores, &mallory, id, 40).await, RetryByHand::NotFound, "it is another user's");
    assert!(!cancel(&stores, &mallory, id, at(40)).await, "it is another user's");
    expect_no_more(&stores, 1, "a call for another user's delivery").await;
    assert!(matches!(retry(&stores, &alice, id, 1_000).await, RetryByHand::Due(_)), "it waits");
    for _ in 0..2 {
        assert!(cancel(&stores, &alice, id, second(2)).await, "it is stored");
    }
    let events = all_of(log, &alice).await;
    let shown: Vec<_> = events.iter().map(|event| (event.action, event.target, event.at())).collect();
    let expected = [
        (AuditAction::DeliveryCancelled, AuditTarget::Delivery(id), second(2)),
        (AuditAction::DeliveryRetried, AuditTarget::Delivery(id), second(1)),
        (AuditAction::SubscriptionCreated, AuditTarget::Subscription(lane.id), at(0)),
    ];
    assert_eq!(shown, expected, "a retry and the first cancellation must leave their events");
    assert!(events.iter().all(|event| event.origin == cause(at(0)).origin), "by whom");
}

async fn retry(stores: &AuditedStores, owner: &OwnerId, id: DeliveryId, millis: i64) -> RetryByHand {
    let retry = RetryRequest { at: at(millis), published_since: at(0) };
    let request = RetryDeliveryRequest { owner: owner.clone(), id, retry, cause: cause(at(millis)) };
    stores.webhooks.retry(&request).await.expect("a retry must succeed or be refused")
}

/// Whether the delivery was found.
async fn cancel(stores: &AuditedStores, owner: &OwnerId, id: DeliveryId, at: Timestamp) -> bool {
    let request = CancelDeliveryRequest { owner: owner.clone(), id, at, cause: cause(at) };
    stores.webhooks.cancel(&request).await.expect("a cancellation succeeds").is_some()
}

async fn create(stores: &AuditedStores, lane: &Subscription, at: Timestamp) -> Cause {
    let by = cause(at);
    try_create(stores, lane, NO_MAX, &by).await.expect("an insertion succeeds");
    by
}

async fn try_create(
    stores: &AuditedStores,
    lane: &Subscription,
    max: u32,
    by: &Cause,
) -> Result<SubscriptionInsertion, StoreError> {
    let (subscription, cause) = (lane.clone(), by.clone());
    let request = InsertSubscriptionRequest { subscription, secret: secret(), max, cause };
    stores.webhooks.insert_within(&request).await
}

async fn change(
    stores: &AuditedStores,
    owner: &OwnerId,
    id: SubscriptionId,
    change: SubscriptionChange,
    at: Timestamp,
) -> (Cause, Option<Subscription>) {
    let by = cause(at);
    let request = ChangeSubscriptionRequest { owner: owner.clone(), id, change, at, cause: by.clone() };
    match stores.webhooks.update(&request).await.expect("an update succeeds") {
        SubscriptionUpdate::Changed(changed) => (by, Some(changed.subscription)),
        SubscriptionUpdate::Refused(_) | SubscriptionUpdate::NotFound => (by, None),
    }
}

/// A rotation that succeeds, or is refused as a value.
async fn rotate(
    stores: &AuditedStores,
    owner: &OwnerId,
    id: SubscriptionId,
    secret: &SealedSecret,
    previous_until: Timestamp,
    at: Timestamp,
) -> Cause {
    let by = cause(at);
    let (owner, secret, cause) = (owner.clone(), secret.clone(), by.clone());
    let request = RotateSecretRequest { owner, id, of_kind: None, secret, previous_until, at, cause };
    stores.webhooks.rotate_secret(&request).await.expect("a rotation succeeds");
    by
}

/// A part of a recovery. The first part enables the subscription.
async fn recover(stores: &AuditedStores, request: RecoverRequest) -> (Cause, Option<u32>) {
    let recovered = stores.webhooks.recover(&request).await.expect("a recovery succeeds");
    (request.cause, recovered.map(|one| one.deliveries))
}

/// The first part.
fn first(owner: &OwnerId, subscription: SubscriptionId, max: u32, now: Timestamp) -> RecoverRequest {
    let retry = RetryRequest { at: now, published_since: at(0) };
    RecoverRequest {
        owner: owner.clone(),
        subscription,
        retry,
        filter: Recoverable::All.into(),
        after: None,
        max,
        cause: cause(now),
        enables: true,
    }
}

/// A later part.
fn later(first: RecoverRequest) -> RecoverRequest {
    RecoverRequest { enables: false, ..first }
}

async fn disable_set_by(stores: &AuditedStores, key: KeyId, at: Timestamp) -> (Cause, u32) {
    let by = cause(at);
    let request = DisableSetByRequest { keys: vec![key], reason: LEAKED, at, max: 10, cause: by.clone() };
    (by, stores.webhooks.disable_set_by(&request).await.expect("it succeeds"))
}

async fn delete(stores: &AuditedStores, owner: &OwnerId, id: SubscriptionId, at: Timestamp) -> (Cause, bool) {
    let by = cause(at);
    let request = DeleteSubscriptionRequest { owner: owner.clone(), id, at, cause: by.clone() };
    (by, stores.webhooks.delete(&request).await.expect("a deletion succeeds"))
}
