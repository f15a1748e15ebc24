use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::unique_cause;
use domain::ports::{
    ClaimId, ClaimRequest, ClaimedLane, Completion, Entropy, InsertSubscriptionRequest, RecoverRequest, RetryRequest,
    SubscriptionStore as _,
};
use domain::webhooks::{
    AnswerHeaders, AttemptRecord, ClaimEnd, ContentDigest, Description, Event, EventType, FairShares, NewEvent,
    Payload, PublicationKey, PublisherId, Recoverable, SealedOptions, SealedSecret, Signing, SubscribedEvents,
    Subscription, SubscriptionStatus, TargetUrl,
};
use domain::{EventId, OwnerId, SubscriptionId, Timestamp};
use throwaway_postgres::{Cluster, Database};

use crate::databases;

pub(crate) use crate::databases::connect;

pub(crate) const LEASE: Duration = Duration::from_mins(1);

pub(crate) async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 4 }).await.unwrap()
}

/// Instances on one fresh database.
pub(crate) async fn instances(count: usize) -> (Vec<PostgresStore>, Database) {
    let database = databases::migrated().await;
    let stores = futures_util::future::join_all((0..count).map(|_| open(&database.url))).await;
    (stores, database)
}

/// One instance on a fresh database.
pub(crate) async fn instance() -> (PostgresStore, Database) {
    let (mut stores, database) = instances(1).await;
    (stores.remove(0), database)
}

pub(crate) async fn query(database: &Database, sql: &str) -> String {
    Cluster::shared().await.unwrap().execute(&database.name, sql).await.unwrap()
}

/// Enables a subscription of alice and makes ten of its deliveries due.
pub(crate) fn recovery(subscription: SubscriptionId, retry: RetryRequest) -> RecoverRequest {
    RecoverRequest {
        owner: alice(),
        subscription,
        retry,
        filter: Recoverable::All.into(),
        after: None,
        max: 10,
        cause: unique_cause(),
        enables: true,
    }
}

pub(crate) fn at(millis: u64) -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120).unwrap().plus(Duration::from_millis(millis))
}

pub(crate) fn alice() -> OwnerId {
    OwnerId::new("https://id.example", "alice").unwrap()
}

pub(crate) async fn subscribe(store: &PostgresStore, entropy: &dyn Entropy, secret: &SealedSecret) -> SubscriptionId {
    let id = SubscriptionId::mint(at(0), entropy);
    subscribe_as(store, id, secret).await;
    id
}

pub(crate) async fn subscribe_as(store: &PostgresStore, id: SubscriptionId, secret: &SealedSecret) {
    let subscription = Subscription {
        id,
        owner: alice(),
        url: TargetUrl::from_stored("https://hooks.example/in").unwrap(),
        events: SubscribedEvents::parse(["*"]).unwrap(),
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
    store
        .insert_within(&InsertSubscriptionRequest {
            subscription: subscription.clone(),
            secret: secret.clone(),
            max: 1_000,
            cause: unique_cause(),
        })
        .await
        .unwrap();
}

pub(crate) fn sealed() -> SealedSecret {
    SealedSecret::from_bytes(vec![1; 61])
}

pub(crate) fn event(entropy: &dyn Entropy) -> NewEvent {
    event_at(entropy, at(0))
}

pub(crate) fn event_at(entropy: &dyn Entropy, created_at: Timestamp) -> NewEvent {
    let event = Event {
        id: EventId::mint(created_at, entropy),
        owner: alice(),
        event_type: EventType::parse("order.created").unwrap(),
        payload: Payload::from_bytes(b"{}".to_vec()),
        created_at,
    };
    NewEvent { event, publication: None, only: None, trace: None }
}

pub(crate) fn named(entropy: &dyn Entropy, id: &str, content: &str) -> NewEvent {
    let new = event(entropy);
    let key = PublicationKey {
        id: PublisherId::parse(id).unwrap(),
        content: ContentDigest::of(&new.event.event_type, content),
    };
    NewEvent { publication: Some(key), ..new }
}

pub(crate) fn request(entropy: &dyn Entropy, now: Timestamp) -> ClaimRequest {
    let claim = ClaimId::mint(entropy);
    ClaimRequest {
        claim,
        at: now,
        until: now.plus(LEASE),
        lanes_max: 64,
        room: 16,
        rooms: Vec::new(),
        shares: FairShares::new(u32::MAX),
        payload_bytes_max: u64::MAX,
    }
}

pub(crate) fn delivered(claim: ClaimId, lanes: &[ClaimedLane], now: Timestamp) -> Vec<Completion> {
    let of_lane = |lane: &ClaimedLane| {
        let subscription = lane.subscription;
        lane.deliveries.iter().map(move |delivery| (subscription, delivery.id, delivery.attempt)).collect::<Vec<_>>()
    };
    let all = lanes.iter().flat_map(of_lane);
    let completion = |(subscription, delivery, number)| Completion {
        subscription,
        delivery,
        claim,
        end: ClaimEnd::Delivered(AttemptRecord {
            number,
            started_at: now,
            duration: Duration::from_millis(2),
            failure: None,
            status: Some(200),
            headers: AnswerHeaders::default(),
            excerpt: Vec::new(),
        }),
    };
    all.map(completion).collect()
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
