//! The promises of this adapter only about webhooks.

use std::collections::BTreeSet;

use diesel::RunQueryDsl;
use diesel::dsl::sql;
use diesel::sql_types::BigInt;
use domain::memory::SeededEntropy;
use domain::memory::unique_cause;
use domain::ports::{
    CancelDeliveryRequest, ClaimId, ClaimRequest, ClaimedLane, DeleteSubscriptionRequest, DeliveryCommands,
    DeliveryLog, DeliveryQueue, EventStore, InsertSubscriptionRequest, ListDeliveriesRequest, OwnerStore as _,
    Retained, Retention as _, RetryByHand, RetryDeliveryRequest, RetryRequest, RotateSecretRequest,
    SetOwnerStateRequest, StoreError, SubscriptionStore, WAITING_BYTES_MAX,
};
use domain::webhooks::{
    DeliveryEnd, DeliveryFilter, DeliveryState, DeliveryStateKind, Description, Event, EventType, FairShares, NewEvent,
    Payload, SealedOptions, SealedSecret, Signing, SigningSecret, SubscribedEvents, Subscription, SubscriptionStatus,
    TargetUrl,
};
use domain::{DeliveryId, EventId, OwnerId, OwnerStateChange, SealingKeys, SubscriptionId, Timestamp};

use super::*;

const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The bytes of the secret.
const SECRET_KEY: [u8; 24] = [
    0x31, 0xF2, 0x90, 0xF6, 0xBF, 0x06, 0x29, 0x8A, 0xAB, 0x4F, 0x08, 0xD4, 0x3C, 0x3F, 0x08, 0x2C, 0xF6, 0x48, 0xA3,
    0x62, 0xDA, 0x2D, 0xA4, 0xB0,
];

/// A store with one subscription and the signing secret [`SECRET`].
async fn subscribed(path: &Path) -> (SqliteStore, Subscription) {
    let store = migrated(path).await;
    let entropy = SeededEntropy::new(1);
    let subscription = Subscription {
        id: SubscriptionId::mint(NOW, &entropy),
        owner: OwnerId::new("https://id.example", "alice").unwrap(),
        url: TargetUrl::from_stored("https://hooks.example/").unwrap(),
        events: SubscribedEvents::parse(["order.*"]).unwrap(),
        filter: None,
        url_set_by: None,
        description: Description::default(),
        status: SubscriptionStatus::Enabled,
        created_at: NOW,
        updated_at: NOW,
        created_by: None,
        options: SealedOptions::default(),
        signing: Signing::default(),
    };
    let keys = SealingKeys::new(vec![[7; 32].into()]).unwrap();
    let secret = keys.seal(&SigningSecret::parse(SECRET).unwrap().into(), subscription.id, &entropy);
    SubscriptionStore::insert_within(
        &store,
        &InsertSubscriptionRequest {
            subscription: subscription.clone(),
            secret: secret.clone(),
            max: 10,
            cause: unique_cause(),
        },
    )
    .await
    .unwrap();
    (store, subscription)
}

fn events(owner: &OwnerId, seed: u64, count: usize) -> Vec<NewEvent> {
    let entropy = SeededEntropy::new(seed);
    let event = || Event {
        id: EventId::mint(NOW, &entropy),
        owner: owner.clone(),
        event_type: EventType::parse("order.created").unwrap(),
        payload: Payload::from_bytes(*b"{}"),
        created_at: NOW,
    };
    (0..count).map(|_| NewEvent { event: event(), publication: None, only: None, trace: None }).collect()
}

#[tokio::test]
async fn a_publication_to_a_suspended_owner_wakes_no_dispatcher() {
    let folder = tempfile::tempdir().unwrap();
    let (store, subscription) = subscribed(&folder.path().join("test.db")).await;
    let is_awake = async || tokio::time::timeout(Duration::ZERO, store.hint()).await.is_ok();
    store.publish(&events(&subscription.owner, 1, 1)).await.unwrap();
    assert!(is_awake().await);
    let suspension = SetOwnerStateRequest {
        owner: subscription.owner.clone(),
        state: OwnerStateChange::Suspend { reason: None },
        at: NOW,
        cause: unique_cause(),
    };
    store.set_state(&suspension).await.unwrap();
    store.offer_claims(Some(&request()));
    is_awake().await;
    store.publish(&events(&subscription.owner, 2, 1)).await.unwrap();
    assert!(!is_awake().await);
}

fn request() -> ClaimRequest {
    ClaimRequest {
        claim: ClaimId::from_number(1),
        at: NOW,
        until: NOW.plus(Duration::from_mins(1)),
        lanes_max: 1,
        room: 10,
        rooms: Vec::new(),
        shares: FairShares::new(u32::MAX),
        payload_bytes_max: u64::MAX,
    }
}

async fn claim(store: &SqliteStore) -> Vec<ClaimedLane> {
    store.claim(&request()).await.unwrap()
}

#[tokio::test]
async fn no_file_holds_a_signing_secret_in_clear() {
    let folder = tempfile::tempdir().unwrap();
    let (store, subscription) = subscribed(&folder.path().join("test.db")).await;
    let later = NOW.plus(Duration::from_hours(24));
    let entropy = SeededEntropy::new(2);
    let keys = SealingKeys::new(vec![[8; 32].into()]).unwrap();
    let secret = keys.seal(&SigningSecret::parse(SECRET).unwrap().into(), subscription.id, &entropy);
    store
        .rotate_secret(&RotateSecretRequest {
            owner: subscription.owner.clone(),
            id: subscription.id,
            of_kind: None,
            secret: secret.clone(),
            previous_until: later,
            at: NOW,
            cause: unique_cause(),
        })
        .await
        .unwrap();
    let encoded = SECRET.strip_prefix("whsec_").unwrap().as_bytes();
    let contains = |file: &[u8], searched: &[u8]| file.windows(searched.len()).any(|window| window == searched);
    let (mut files, mut has_url) = (0, false);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        files += 1;
        has_url |= contains(&bytes, b"https://hooks.example/");
        assert!(!contains(&bytes, encoded) && !contains(&bytes, &SECRET_KEY), "a secret in clear");
    }
    assert!(files >= 2 && has_url, "the search must find what is there: in {files} files");
}

#[tokio::test]
async fn closing_ends_a_thousand_at_once_and_the_rest_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (store, subscription) = subscribed(&folder.path().join("test.db")).await;
    for seed in 10..15 {
        store.publish(&events(&subscription.owner, seed, 500)).await.unwrap();
    }
    store
        .delete(&DeleteSubscriptionRequest {
            owner: subscription.owner.clone(),
            id: subscription.id,
            at: NOW,
            cause: unique_cause(),
        })
        .await
        .unwrap();
    let filter = DeliveryFilter { state: Some(DeliveryStateKind::Waiting), ..DeliveryFilter::default() };
    let waiting = ListDeliveriesRequest { owner: subscription.owner.clone(), filter, before: None, max: 10_000 };
    let left = async || DeliveryLog::list(&store, &waiting).await.unwrap().deliveries.len();
    assert_eq!(left().await, 1_500);
    assert!(claim(&store).await.is_empty(), "nothing of a closed lane is claimed");
    assert_eq!(store.end_closed(NOW, 700).await.unwrap(), 700);
    assert_eq!(left().await, 800);
    assert_eq!(store.end_closed(NOW, 10_000).await.unwrap(), 800);
    assert_eq!((left().await, store.end_closed(NOW, 10_000).await.unwrap()), (0, 0));
}

/// One process at a time uses the file. So claims of the last one that it did not complete are due when the next one
/// begins.
#[tokio::test]
async fn claims_of_an_earlier_process_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let (store, subscription) = subscribed(&path).await;
    store.publish(&events(&subscription.owner, 10, 12)).await.unwrap();
    let attempts = |lanes: &[ClaimedLane]| -> Vec<u32> {
        lanes.iter().flat_map(|lane| &lane.deliveries).map(|delivery| delivery.attempt).collect()
    };
    assert_eq!(attempts(&claim(&store).await), [1; 10]);
    assert_eq!(attempts(&claim(&store).await), [1; 2]);
    assert!(claim(&store).await.is_empty(), "this process holds its claims");
    store.close().await;
    let store = migrated(&path).await;
    assert_eq!(attempts(&claim(&store).await), [2; 10]);
    assert_eq!(attempts(&claim(&store).await), [2; 2]);
    assert!(claim(&store).await.is_empty(), "this process holds its claims");
}

#[tokio::test]
async fn a_reader_holds_no_claim_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let (store, subscription) = subscribed(&path).await;
    store.publish(&events(&subscription.owner, 10, 1)).await.unwrap();
    let mut reader = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    reader.batch_execute("BEGIN; SELECT count(*) FROM webhook_due").unwrap();
    assert_eq!(claim(&store).await.len(), 1);
    reader.batch_execute("COMMIT").unwrap();
}

/// Another program has the lock for writing, so that every publication waits.
#[tokio::test]
async fn waiting_publications_have_a_maximum_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let (store, subscription) = subscribed(&path).await;
    let mut large = events(&subscription.owner, 10, 1);
    large[0].event.payload = Payload::from_bytes(vec![b'1'; WAITING_BYTES_MAX as usize]);
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let publisher = store.clone();
    let waiting = tokio::spawn(async move { publisher.publish(&large).await });
    tokio::task::yield_now().await;
    let refused = store.publish(&events(&subscription.owner, 20, 1)).await.unwrap_err();
    let StoreError::Unavailable(reason) = refused else { panic!("{refused:?}") };
    assert!(reason.to_string().contains("too many events are waiting"), "{reason}");
    other.batch_execute("COMMIT").unwrap();
    waiting.await.unwrap().unwrap();
    store.publish(&events(&subscription.owner, 30, 1)).await.unwrap();
}

/// Another program has the lock for writing, so that every call of the writer fails.
#[tokio::test]
async fn a_search_does_not_need_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let (store, subscription) = subscribed(&path).await;
    store.publish(&events(&subscription.owner, 10, 1)).await.unwrap();
    let unknown = DeliveryId::from_bytes([1; 16]);
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    assert_eq!(
        store
            .cancel(&CancelDeliveryRequest {
                owner: subscription.owner.clone(),
                id: unknown,
                at: NOW,
                cause: unique_cause()
            })
            .await
            .unwrap(),
        None
    );
    let request = RetryRequest { at: NOW, published_since: NOW };
    let retried = store
        .retry(&RetryDeliveryRequest {
            owner: subscription.owner.clone(),
            id: unknown,
            retry: request,
            cause: unique_cause(),
        })
        .await
        .unwrap();
    assert!(matches!(retried, RetryByHand::NotFound), "{retried:?}");
    let later = NOW.plus(Duration::from_hours(24));
    assert_eq!(store.purge(Retained::Webhooks, later, 100).await.unwrap(), 0, "the event has a queued delivery");
}

#[tokio::test]
async fn what_makes_something_due_wakes_the_dispatcher() {
    let folder = tempfile::tempdir().unwrap();
    let (store, subscription) = subscribed(&folder.path().join("test.db")).await;
    let hint = async || tokio::time::timeout(Duration::from_secs(10), store.hint()).await;
    let published = events(&subscription.owner, 10, 1);
    store.publish(&published).await.unwrap();
    hint().await.unwrap();
    let id = DeliveryId::of(published[0].event.id, subscription.id);
    store
        .retry(&RetryDeliveryRequest {
            owner: subscription.owner.clone(),
            id,
            retry: RetryRequest { at: NOW, published_since: NOW },
            cause: unique_cause(),
        })
        .await
        .unwrap();
    hint().await.unwrap();
    claim(&store).await;
    assert!(tokio::time::timeout(Duration::from_millis(20), store.hint()).await.is_err(), "a claim wakes nobody");
}

async fn end_of(store: &SqliteStore, owner: &OwnerId, id: DeliveryId) -> Option<DeliveryEnd> {
    match DeliveryLog::find(store, owner, id).await.unwrap().unwrap().delivery.state {
        DeliveryState::Ended { end, .. } => Some(end),
        DeliveryState::Waiting(_) | DeliveryState::Sending(_) => None,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The event is missing, or a column of the delivery has a value that the schema does not promise.
#[tokio::test]
async fn a_damaged_delivery_ends_and_the_others_are_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let (store, subscription) = subscribed(&path).await;
    let events = events(&subscription.owner, 10, 5);
    store.publish(&events).await.unwrap();
    let ids: Vec<DeliveryId> = events.iter().map(|new| DeliveryId::of(new.event.id, subscription.id)).collect();
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    let event = hexadecimal(events[0].event.id.as_bytes());
    other.batch_execute(&format!("DELETE FROM webhook_events WHERE id = x'{event}'")).unwrap();
    let damages = ["attempts = -5", "run_started_at = 9223372036854775807", "due_at = 9223372036854775807"];
    for (id, damage) in ids[1..].iter().zip(damages) {
        let row = hexadecimal(id.as_bytes());
        other.batch_execute(&format!("UPDATE webhook_due SET {damage} WHERE delivery_id = x'{row}'")).unwrap();
    }
    let lanes = claim(&store).await;
    let claimed: Vec<DeliveryId> = lanes.iter().flat_map(|lane| &lane.deliveries).map(|one| one.id).collect();
    assert_eq!(claimed, [ids[4]]);
    for id in &ids[..3] {
        assert_eq!(end_of(&store, &subscription.owner, *id).await, Some(DeliveryEnd::Unreadable), "{id}");
    }
}

/// The lane of a damaged subscription comes first. A damaged breaker is a new one.
#[tokio::test]
async fn the_deliveries_of_a_damaged_subscription_end_and_the_others_are_claimed() {
    for (damage, is_claimed) in [
        ("webhook_subscriptions SET url = 'nothing'", false),
        ("webhook_subscriptions SET secret = NULL", false),
        ("webhook_lanes SET pause_millis = -1, failures_in_a_row = -1, ready_at = -9223372036854775808", true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let (store, damaged) = subscribed(&path).await;
        let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let whole = Subscription { id: SubscriptionId::mint(NOW, &SeededEntropy::new(2)), ..damaged.clone() };
        let secret = SealedSecret::from_bytes(vec![1; 61]);
        SubscriptionStore::insert_within(
            &store,
            &InsertSubscriptionRequest {
                subscription: whole.clone(),
                secret: secret.clone(),
                max: 10,
                cause: unique_cause(),
            },
        )
        .await
        .unwrap();
        let events = events(&damaged.owner, 10, 30);
        store.publish(&events).await.unwrap();
        let column = if is_claimed { "subscription_id" } else { "id" };
        let row = hexadecimal(damaged.id.as_bytes());
        other.batch_execute(&format!("UPDATE {damage} WHERE {column} = x'{row}'")).unwrap();
        let (mut served, mut round) = (BTreeSet::new(), 0);
        while round < 10 {
            served.extend(claim(&store).await.iter().map(|lane| lane.subscription));
            round += 1;
        }
        assert!(served.contains(&whole.id), "{damage}");
        assert_eq!(served.contains(&damaged.id), is_claimed, "{damage}");
        for new in &events {
            let end = end_of(&store, &damaged.owner, DeliveryId::of(new.event.id, damaged.id)).await;
            assert_eq!(end, (!is_claimed).then_some(DeliveryEnd::Unreadable), "{damage}");
        }
    }
}

/// Lanes with ids of 15 bytes, open and closed, and a lane without its subscription. They come first.
#[tokio::test]
async fn damaged_lanes_are_deleted_and_the_others_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let (store, orphan) = subscribed(&path).await;
    let whole = Subscription { id: SubscriptionId::mint(NOW, &SeededEntropy::new(2)), ..orphan.clone() };
    let secret = SealedSecret::from_bytes(vec![1; 61]);
    SubscriptionStore::insert_within(
        &store,
        &InsertSubscriptionRequest {
            subscription: whole.clone(),
            secret: secret.clone(),
            max: 10,
            cause: unique_cause(),
        },
    )
    .await
    .unwrap();
    store.publish(&events(&orphan.owner, 10, 1)).await.unwrap();
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    let plant = format!(
        "INSERT INTO webhook_lanes VALUES (zeroblob(15), 0, 1, 0, 0, NULL, NULL, 0, NULL, NULL, 0),
            (zeroblob(14), 0, 0, 0, 0, NULL, NULL, 0, NULL, NULL, 0);
        INSERT INTO webhook_due SELECT subscription_id, zeroblob(16), zeroblob(16), 0, 0, NULL, 0, 0, 0, NULL
            FROM webhook_lanes WHERE length(subscription_id) < 16;
        DELETE FROM webhook_subscriptions WHERE id = x'{}'",
        hexadecimal(orphan.id.as_bytes())
    );
    other.batch_execute(&plant).unwrap();
    assert_eq!(claim(&store).await.iter().map(|lane| lane.subscription).collect::<Vec<_>>(), [whole.id]);
    assert_eq!(store.end_closed(NOW, 1_000).await.unwrap(), 0);
    let mut count = |rows: &str| {
        let count: i64 =
            diesel::select(sql::<BigInt>(&format!("(SELECT count(*) FROM {rows})"))).get_result(&mut other).unwrap();
        count
    };
    assert_eq!(count("webhook_lanes"), 2);
    assert_eq!(count("webhook_due"), 1);
    assert_eq!(count("webhook_deliveries WHERE ended = 'unreadable'"), 1);
}
