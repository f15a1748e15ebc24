//! Sample subscriptions and events with unique ids, and calls of the store.

use std::iter::repeat_n;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::memory::{SeededEntropy, unique_cause};
use domain::ports::{
    Accepted, ChangeSubscriptionRequest, DeleteSubscriptionRequest, DeliveryPage, Entropy, InsertSubscriptionRequest,
    ListDeliveriesRequest, ListSubscriptionsRequest, Publication, ReplaceSecretsRequest, RotateSecretRequest,
    SecretRotation, SubscriptionInsertion, SubscriptionUpdate,
};
use domain::webhooks::{
    AuthKind, CertificateFacts, ContentDigest, Delivery, DeliveryFilter, DeliveryHistory, Description, Event,
    EventType, HeaderName, NewEvent, Payload, PublicationKey, PublisherId, SealedAuth, SealedCertificate,
    SealedOptions, SealedSecret, SealedSecrets, SealedValue, Signer, Signing, SigningKeyPair, SigningKind,
    SigningSecret, SubscribedEvents, Subscription, SubscriptionChange, SubscriptionHealth, SubscriptionStatus,
    TargetUrl,
};
use domain::{DeliveryId, EventId, OwnerId, Placement, SealingKeys, SubscriptionId, Timestamp};

use super::WebhookStore;
use crate::sample::{at, user};

/// A maximum that is never reached.
pub(crate) const NO_MAX: u32 = 1_000_000;
/// The most pages that a list may have.
const PAGES_MAX: usize = 10_000;
/// The usual type of events.
pub(crate) const USUAL_TYPE: &str = "invoice.paid";

/// Bytes that no other sample has.
fn entropy() -> SeededEntropy {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    SeededEntropy::new(NEXT.fetch_add(1, Ordering::Relaxed) << 32 | 0xFFFF)
}

/// A subscription to everything, enabled, created at the start.
pub(crate) fn subscription(owner: &OwnerId) -> Subscription {
    Subscription {
        id: SubscriptionId::mint_for(owner, Placement::Shards(16), at(0), &entropy()),
        owner: owner.clone(),
        url: url("https://hooks.example/in"),
        events: patterns(&["*"]),
        filter: None,
        url_set_by: None,
        description: description("Billing"),
        status: SubscriptionStatus::Enabled,
        created_at: at(0),
        updated_at: at(0),
        created_by: None,
        options: SealedOptions::default(),
        signing: Signing::default(),
    }
}

/// A subscription to these patterns.
pub(crate) fn subscription_to(owner: &OwnerId, names: &[&str]) -> Subscription {
    Subscription { events: patterns(names), ..subscription(owner) }
}

pub(crate) fn url(text: &str) -> TargetUrl {
    TargetUrl::from_stored(text).expect("the sample's URL is valid")
}

pub(crate) fn patterns(names: &[&str]) -> SubscribedEvents {
    SubscribedEvents::parse(names.iter().copied()).expect("the sample's patterns are valid")
}

pub(crate) fn description(text: &str) -> Description {
    Description::parse(text).expect("the sample's description is valid")
}

pub(crate) fn event_type(name: &str) -> EventType {
    EventType::parse(name).expect("the sample's event type is valid")
}

/// A secret that no other sample has, without a public key.
pub(crate) fn secret() -> SealedSecret {
    let mut bytes = vec![0; 61];
    entropy().fill(&mut bytes);
    bytes[0] = 1;
    SealedSecret::from_bytes(bytes)
}

/// A sealed signer of this kind that no other sample has.
pub(crate) fn signer_of(kind: SigningKind) -> SealedSecret {
    let entropy = entropy();
    let (secret, pair) = (SigningSecret::generate(&entropy), SigningKeyPair::generate(&entropy));
    let signer = match kind {
        SigningKind::Hmac => Signer::Hmac(secret),
        SigningKind::Ed25519 => Signer::Ed25519(pair),
        SigningKind::Both => Signer::Both(secret, pair),
    };
    let keys = SealingKeys::new(vec![[7; 32].into()]).expect("there is a key");
    keys.seal(&signer, SubscriptionId::from_bytes([7; 16]), &entropy)
}

/// Two headers, an authentication and a client certificate, sealed.
pub(crate) fn options() -> SealedOptions {
    let name = |text| HeaderName::from_stored(text).expect("the sample's name is valid");
    let value = |set_at| SealedValue { sealed: secret(), set_at };
    let auth = SealedAuth { kind: AuthKind::Header, name: name("x-api-key"), value: value(at(2)) };
    let headers = [(name("x-a"), value(at(0))), (name("x-b"), value(at(1)))].into();
    let facts = CertificateFacts { subject: "CN=sample".to_owned(), expires_at: at(9_000), fingerprint: [7; 32] };
    let certificate = Some(Box::new(SealedCertificate { facts, value: value(at(3)) }));
    SealedOptions { headers, auth: Some(auth), max_per_second: None, order: None, certificate }
}

/// The secrets of a subscription that was never rotated.
pub(crate) fn only_secret(current: &SealedSecret) -> SealedSecrets {
    SealedSecrets::of(current.clone())
}

/// A change that switches a subscription on or off.
pub(crate) fn switched(enabled: bool) -> SubscriptionChange {
    SubscriptionChange { enabled: Some(enabled), ..SubscriptionChange::default() }
}

/// An event of the usual type, published at that instant.
pub(crate) fn event_at(owner: &OwnerId, created_at: Timestamp) -> NewEvent {
    let id = EventId::mint(created_at, &entropy());
    let payload = Payload::from_bytes(format!(r#"{{"type":"{USUAL_TYPE}","data":"{id}"}}"#).into_bytes());
    let event = Event { id, owner: owner.clone(), event_type: event_type(USUAL_TYPE), payload, created_at };
    NewEvent { event, publication: None, only: None, trace: None }
}

/// An event of the usual type, published at the start.
pub(crate) fn event(owner: &OwnerId) -> NewEvent {
    event_at(owner, at(0))
}

/// An event of this type.
pub(crate) fn event_of(owner: &OwnerId, name: &str) -> NewEvent {
    let mut new = event(owner);
    new.event.event_type = event_type(name);
    new
}

/// The event with a publisher's id, and with content that `content` identifies.
pub(crate) fn named(mut new: NewEvent, id: &str, content: &str) -> NewEvent {
    let id = PublisherId::parse(id).expect("the sample's publisher id is valid");
    new.publication = Some(PublicationKey { id, content: ContentDigest::of(&new.event.event_type, content) });
    new
}

/// Stores the subscription with a unique secret, without a maximum.
pub(crate) async fn put(store: &dyn WebhookStore, subscription: &Subscription) -> SealedSecret {
    let secret = secret();
    let answer = insert(store, subscription, &secret, NO_MAX).await;
    assert_eq!(answer, SubscriptionInsertion::Stored, "a subscription within the maximum must be stored");
    secret
}

pub(crate) async fn insert(
    store: &dyn WebhookStore,
    subscription: &Subscription,
    secret: &SealedSecret,
    max: u32,
) -> SubscriptionInsertion {
    let answer = store.insert_within(&insertion_of(subscription, secret, max)).await;
    answer.expect("an insertion must succeed or be refused as a value")
}

pub(crate) fn insertion_of(subscription: &Subscription, secret: &SealedSecret, max: u32) -> InsertSubscriptionRequest {
    let (subscription, secret) = (subscription.clone(), secret.clone());
    InsertSubscriptionRequest { subscription, secret, max, cause: unique_cause() }
}

/// A stored subscription to everything.
pub(crate) async fn subscribed(store: &dyn WebhookStore, owner: &OwnerId) -> Subscription {
    add(store, subscription(owner)).await
}

/// Stores the subscription with a unique secret, without a maximum, and returns it.
pub(crate) async fn add(store: &dyn WebhookStore, subscription: Subscription) -> Subscription {
    put(store, &subscription).await;
    subscription
}

/// A user with this name, and the user's stored subscription to everything.
pub(crate) async fn subscriber(store: &dyn WebhookStore, name: &str) -> (OwnerId, Subscription) {
    let owner = user(name);
    let subscription = subscribed(store, &owner).await;
    (owner, subscription)
}

/// The owner's subscriptions, the newest first.
pub(crate) async fn subscriptions(store: &dyn WebhookStore, owner: &OwnerId) -> Vec<Subscription> {
    list(store, owner, None, NO_MAX).await
}

pub(crate) async fn list(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    before: Option<SubscriptionId>,
    max: u32,
) -> Vec<Subscription> {
    let request = ListSubscriptionsRequest { owner: owner.clone(), before, max };
    let answer = domain::ports::SubscriptionStore::list(store, &request).await;
    answer.expect("a list of subscriptions must succeed")
}

pub(crate) async fn find(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    id: SubscriptionId,
) -> Option<(Subscription, SubscriptionHealth)> {
    let answer = domain::ports::SubscriptionStore::find(store, owner, id).await;
    answer.expect("a look-up of a subscription must succeed")
}

/// The stored subscription as it is now.
pub(crate) async fn reread(store: &dyn WebhookStore, subscription: &Subscription) -> Subscription {
    let found = find(store, &subscription.owner, subscription.id).await;
    found.expect("a stored subscription must be found").0
}

pub(crate) async fn health(store: &dyn WebhookStore, subscription: &Subscription) -> SubscriptionHealth {
    let found = find(store, &subscription.owner, subscription.id).await;
    found.expect("a stored subscription must be found").1
}

/// Changes the subscription as its owner.
pub(crate) async fn update(
    store: &dyn WebhookStore,
    subscription: &Subscription,
    change: &SubscriptionChange,
    at: Timestamp,
) -> Subscription {
    match try_update(store, subscription, change, at).await {
        SubscriptionUpdate::Changed(changed) => changed.subscription,
        other => panic!("a stored subscription must be found by an update, got {other:?}"),
    }
}

pub(crate) async fn try_update(
    store: &dyn WebhookStore,
    subscription: &Subscription,
    change: &SubscriptionChange,
    at: Timestamp,
) -> SubscriptionUpdate {
    let answer = store.update(&change_of(subscription, change, at)).await;
    answer.expect("an update must succeed or be refused as a value")
}

pub(crate) fn change_of(
    subscription: &Subscription,
    change: &SubscriptionChange,
    at: Timestamp,
) -> ChangeSubscriptionRequest {
    let (owner, id, change) = (subscription.owner.clone(), subscription.id, change.clone());
    ChangeSubscriptionRequest { owner, id, change, at, cause: unique_cause() }
}

/// Makes the secret current at the first instant. The one before it signs until the second instant.
pub(crate) async fn rotate(
    store: &dyn WebhookStore,
    stored: &Subscription,
    of_kind: Option<SigningKind>,
    secret: &SealedSecret,
    [at, previous_until]: [Timestamp; 2],
) -> SecretRotation {
    let (owner, secret, cause) = (stored.owner.clone(), secret.clone(), unique_cause());
    let request = RotateSecretRequest { owner, id: stored.id, of_kind, secret, previous_until, at, cause };
    store.rotate_secret(&request).await.expect("a rotation must succeed or be refused as a value")
}

/// Replaces these secrets, if they are stored.
pub(crate) async fn replace(
    store: &dyn WebhookStore,
    id: SubscriptionId,
    from: &SealedSecrets,
    to: &SealedSecrets,
) -> bool {
    let request = ReplaceSecretsRequest { id, from: from.clone(), to: to.clone() };
    store.replace_secrets(&request).await.expect("a replacement must succeed or be refused as a value")
}

/// Deletes the subscription as its owner.
pub(crate) async fn delete(store: &dyn WebhookStore, subscription: &Subscription, at: Timestamp) {
    let deleted = store.delete(&deletion_of(subscription, at)).await.expect("a deletion must succeed");
    assert!(deleted, "a stored subscription must be found by a deletion");
}

pub(crate) fn deletion_of(subscription: &Subscription, at: Timestamp) -> DeleteSubscriptionRequest {
    DeleteSubscriptionRequest { owner: subscription.owner.clone(), id: subscription.id, at, cause: unique_cause() }
}

/// Deletes the subscription as its owner, or disables it.
pub(crate) async fn close(store: &dyn WebhookStore, subscription: &Subscription, deletes: bool, at: Timestamp) {
    if deletes {
        delete(store, subscription, at).await;
    } else {
        update(store, subscription, &switched(false), at).await;
    }
}

/// The secrets of this subscription; `None` when they are deleted.
pub(crate) async fn secrets_of(store: &dyn WebhookStore, id: SubscriptionId) -> Option<SealedSecrets> {
    let all = store.list_secrets(None, NO_MAX).await.expect("a list of secrets must succeed");
    all.into_iter().find(|(other, _)| *other == id).map(|(_, secrets)| secrets)
}

pub(crate) async fn try_publish(store: &dyn WebhookStore, events: &[NewEvent]) -> Publication {
    store.publish(events).await.expect("a publication must succeed or be refused as a value")
}

/// Publishes events, and panics on a conflict.
pub(crate) async fn publish(store: &dyn WebhookStore, events: &[NewEvent]) -> Vec<Accepted> {
    match try_publish(store, events).await {
        Publication::Accepted(accepted) => accepted,
        conflict @ Publication::Conflict { .. } => panic!("events that differ must be accepted, got {conflict:?}"),
    }
}

/// Publishes an event of the usual type at that instant.
pub(crate) async fn publish_at(store: &dyn WebhookStore, owner: &OwnerId, at: Timestamp) -> EventId {
    let new = event_at(owner, at);
    publish(store, std::slice::from_ref(&new)).await;
    new.event.id
}

/// Publishes an event of the usual type at each of these milliseconds, in one call.
pub(crate) async fn publish_together(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    times: impl IntoIterator<Item = i64>,
) -> Vec<NewEvent> {
    let events: Vec<_> = times.into_iter().map(|millis| event_at(owner, at(millis))).collect();
    publish(store, &events).await;
    events
}

/// Publishes this number of events of the usual type, in one call.
pub(crate) async fn publish_many(store: &dyn WebhookStore, owner: &OwnerId, count: usize, millis: i64) {
    publish_together(store, owner, repeat_n(millis, count)).await;
}

/// The delivery of the event to the subscription, with its event and its attempts.
pub(crate) async fn history(store: &dyn WebhookStore, owner: &OwnerId, id: DeliveryId) -> DeliveryHistory {
    try_history(store, owner, id).await.expect("a stored delivery must be found by its owner")
}

pub(crate) async fn try_history(store: &dyn WebhookStore, owner: &OwnerId, id: DeliveryId) -> Option<DeliveryHistory> {
    let answer = domain::ports::DeliveryLog::find(store, owner, id).await;
    answer.expect("a look-up of a delivery must succeed")
}

/// One page of the owner's deliveries that pass the filter.
pub(crate) async fn page(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    filter: &DeliveryFilter,
    before: Option<DeliveryId>,
    max: u32,
) -> DeliveryPage {
    let request = ListDeliveriesRequest { owner: owner.clone(), filter: filter.clone(), before, max };
    domain::ports::DeliveryLog::list(store, &request).await.expect("a list of deliveries must succeed")
}

/// The owner's deliveries that pass the filter, page by page to the end.
pub(crate) async fn filtered(
    store: &dyn WebhookStore,
    owner: &OwnerId,
    filter: &DeliveryFilter,
    page_max: u32,
) -> Vec<Delivery> {
    let (mut found, mut before) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = page(store, owner, filter, before, page_max).await;
        assert!(page.deliveries.len() <= page_max as usize, "a page must have at most {page_max} deliveries");
        found.extend(page.deliveries.into_iter().map(|listed| listed.delivery));
        before = page.next;
        if before.is_none() {
            return found;
        }
    }
    panic!("a list must come to its end, got {} deliveries in {PAGES_MAX} pages", found.len());
}

/// All deliveries of the owner, the newest first.
pub(crate) async fn deliveries(store: &dyn WebhookStore, owner: &OwnerId) -> Vec<Delivery> {
    filtered(store, owner, &DeliveryFilter::default(), 1_000).await
}
