//! The promises of this adapter only about webhooks.

use std::collections::BTreeSet;

use diesel::RunQueryDsl;
use diesel::dsl::sql;
use diesel::sql_types::BigInt;
use domain::memory::{SeededEntropy, unique_cause};
use domain::ports::{
    CancelDeliveryRequest, ClaimRequest, ClaimedLane, DeleteSubscriptionRequest, DeliveryCommands, DeliveryLog,
    DeliveryQueue, EventStore, InsertSubscriptionRequest, ListDeliveriesRequest, OwnerStore as _, Retained,
    Retention as _, RetryByHand, RetryDeliveryRequest, RetryRequest, RotateSecretRequest, SetOwnerStateRequest,
    StoreError, SubscriptionStore, WAITING_BYTES_MAX,
};
use domain::webhooks::{
    DeliveryEnd, DeliveryFilter, DeliveryState, DeliveryStateKind, NewEvent, Payload, SealedSecret, SigningSecret,
    Subscription,
};
use domain::{DeliveryId, OwnerId, OwnerStateChange, SealingKeys, SubscriptionId, Timestamp};
use storage_conformance::requests::{claim_request, new_event, new_subscription_request, user};

use super::*;

const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The bytes of the secret.
const SECRET_KEY: [u8; 24] = [
    0x31, 0xF2, 0x90, 0xF6, 0xBF, 0x06, 0x29, 0x8A, 0xAB, 0x4F, 0x08, 0xD4, 0x3C, 0x3F, 0x08, 0x2C, 0xF6, 0x48, 0xA3,
    0x62, 0xDA, 0x2D, 0xA4, 0xB0,
];

/// A store with one subscription and the signing secret [`SECRET`], and its folder.
async fn subscribed() -> (SqliteStore, Subscription, TempDir) {
    let (store, folder) = fresh_store().await;
    let mut new = subscription(1);
    new.secret = sealed(7, new.subscription.id);
    SubscriptionStore::insert_within(&store, &new).await.unwrap();
    (store, new.subscription, folder)
}

/// A subscription of alice. Lanes that became ready at the same time are served in the order of their ids: the id of
/// seed 1 comes before the id of seed 2.
fn subscription(seed: u64) -> InsertSubscriptionRequest {
    let mut new = new_subscription_request(&user("alice"));
    new.subscription.id = SubscriptionId::mint(NOW, &SeededEntropy::new(seed));
    new
}

/// The secret [`SECRET`], sealed with this key.
fn sealed(key: u8, id: SubscriptionId) -> SealedSecret {
    let keys = SealingKeys::new(vec![[key; 32].into()]).unwrap();
    keys.seal(&SigningSecret::parse(SECRET).unwrap().into(), id, &SeededEntropy::new(key.into()))
}

fn events(count: usize) -> Vec<NewEvent> {
    (0..count).map(|_| new_event(&user("alice"), NOW)).collect()
}

#[tokio::test]
async fn a_publication_to_a_suspended_owner_wakes_no_dispatcher() {
    let (store, subscription, _folder) = subscribed().await;
    let is_awake = async || tokio::time::timeout(Duration::ZERO, store.hint()).await.is_ok();
    store.publish(&events(1)).await.unwrap();
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
    store.publish(&events(1)).await.unwrap();
    assert!(!is_awake().await);
}

fn request() -> ClaimRequest {
    ClaimRequest { lanes_max: 1, room: 10, ..claim_request(NOW) }
}

async fn claim(store: &SqliteStore) -> Vec<ClaimedLane> {
    store.claim(&request()).await.unwrap()
}

#[tokio::test]
async fn no_file_holds_a_signing_secret_in_clear() {
    let (store, subscription, folder) = subscribed().await;
    let later = NOW.plus(Duration::from_hours(24));
    let rotation = RotateSecretRequest {
        owner: subscription.owner,
        id: subscription.id,
        of_kind: None,
        secret: sealed(8, subscription.id),
        previous_until: later,
        at: NOW,
        cause: unique_cause(),
    };
    store.rotate_secret(&rotation).await.unwrap();
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
    let (store, subscription, _folder) = subscribed().await;
    for _ in 0..5 {
        store.publish(&events(500)).await.unwrap();
    }
    let (owner, id) = (subscription.owner.clone(), subscription.id);
    store.delete(&DeleteSubscriptionRequest { owner, id, at: NOW, cause: unique_cause() }).await.unwrap();
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
    let (store, _, folder) = subscribed().await;
    store.publish(&events(12)).await.unwrap();
    let attempts = |lanes: &[ClaimedLane]| -> Vec<u32> {
        lanes.iter().flat_map(|lane| &lane.deliveries).map(|delivery| delivery.attempt).collect()
    };
    assert_eq!(attempts(&claim(&store).await), [1; 10]);
    assert_eq!(attempts(&claim(&store).await), [1; 2]);
    assert!(claim(&store).await.is_empty(), "this process holds its claims");
    store.close().await;
    let store = migrated(&folder.path().join("test.db")).await;
    assert_eq!(attempts(&claim(&store).await), [2; 10]);
    assert_eq!(attempts(&claim(&store).await), [2; 2]);
    assert!(claim(&store).await.is_empty(), "this process holds its claims");
}

#[tokio::test]
async fn a_reader_holds_no_claim_up() {
    let (store, _, folder) = subscribed().await;
    store.publish(&events(1)).await.unwrap();
    let mut reader = shell(&folder);
    reader.batch_execute("BEGIN; SELECT count(*) FROM webhook_due").unwrap();
    assert_eq!(claim(&store).await.len(), 1);
    reader.batch_execute("COMMIT").unwrap();
}

/// Another program has the lock for writing, so that every publication waits.
#[tokio::test]
async fn waiting_publications_have_a_maximum_in_bytes() {
    let (store, _, folder) = subscribed().await;
    let mut large = events(1);
    large[0].event.payload = Payload::from_bytes(vec![b'1'; WAITING_BYTES_MAX as usize]);
    let mut other = shell(&folder);
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let publisher = store.clone();
    let waiting = tokio::spawn(async move { publisher.publish(&large).await });
    tokio::task::yield_now().await;
    let refused = store.publish(&events(1)).await.unwrap_err();
    let StoreError::Unavailable(reason) = refused else { panic!("{refused:?}") };
    assert!(reason.to_string().contains("too many events are waiting"), "{reason}");
    other.batch_execute("COMMIT").unwrap();
    waiting.await.unwrap().unwrap();
    store.publish(&events(1)).await.unwrap();
}

/// Another program has the lock for writing, so that every call of the writer fails.
#[tokio::test]
async fn a_search_does_not_need_the_writer() {
    let (store, subscription, folder) = subscribed().await;
    store.publish(&events(1)).await.unwrap();
    let unknown = DeliveryId::from_bytes([1; 16]);
    let mut other = shell(&folder);
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let owner = subscription.owner.clone();
    let cancellation = CancelDeliveryRequest { owner, id: unknown, at: NOW, cause: unique_cause() };
    assert_eq!(store.cancel(&cancellation).await.unwrap(), None);
    let retried = retry(&store, &subscription.owner, unknown).await;
    assert!(matches!(retried, RetryByHand::NotFound), "{retried:?}");
    let later = NOW.plus(Duration::from_hours(24));
    assert_eq!(store.purge(Retained::Webhooks, later, 100).await.unwrap(), 0, "the event has a queued delivery");
}

#[tokio::test]
async fn what_makes_something_due_wakes_the_dispatcher() {
    let (store, subscription, _folder) = subscribed().await;
    let hint = async || tokio::time::timeout(Duration::from_secs(10), store.hint()).await;
    let published = events(1);
    store.publish(&published).await.unwrap();
    hint().await.unwrap();
    let id = DeliveryId::of(published[0].event.id, subscription.id);
    retry(&store, &subscription.owner, id).await;
    hint().await.unwrap();
    claim(&store).await;
    assert!(tokio::time::timeout(Duration::from_millis(20), store.hint()).await.is_err(), "a claim wakes nobody");
}

async fn retry(store: &SqliteStore, owner: &OwnerId, id: DeliveryId) -> RetryByHand {
    let retry = RetryRequest { at: NOW, published_since: NOW };
    let request = RetryDeliveryRequest { owner: owner.clone(), id, retry, cause: unique_cause() };
    store.retry(&request).await.unwrap()
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
    let (store, subscription, folder) = subscribed().await;
    let events = events(5);
    store.publish(&events).await.unwrap();
    let ids: Vec<DeliveryId> = events.iter().map(|new| DeliveryId::of(new.event.id, subscription.id)).collect();
    let mut other = shell(&folder);
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
        let (store, damaged, folder) = subscribed().await;
        let mut other = shell(&folder);
        let whole = subscription(2);
        SubscriptionStore::insert_within(&store, &whole).await.unwrap();
        let events = events(30);
        store.publish(&events).await.unwrap();
        let column = if is_claimed { "subscription_id" } else { "id" };
        let row = hexadecimal(damaged.id.as_bytes());
        other.batch_execute(&format!("UPDATE {damage} WHERE {column} = x'{row}'")).unwrap();
        let (mut served, mut round) = (BTreeSet::new(), 0);
        while round < 10 {
            served.extend(claim(&store).await.iter().map(|lane| lane.subscription));
            round += 1;
        }
        assert!(served.contains(&whole.subscription.id), "{damage}");
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
    let (store, orphan, folder) = subscribed().await;
    let whole = subscription(2);
    SubscriptionStore::insert_within(&store, &whole).await.unwrap();
    store.publish(&events(1)).await.unwrap();
    let mut other = shell(&folder);
    let plant = format!(
        "INSERT INTO webhook_lanes VALUES (zeroblob(15), 0, 1, 0, 0, NULL, NULL, 0, NULL, NULL, 0),
            (zeroblob(14), 0, 0, 0, 0, NULL, NULL, 0, NULL, NULL, 0);
        INSERT INTO webhook_due SELECT subscription_id, zeroblob(16), zeroblob(16), 0, 0, NULL, 0, 0, 0, NULL
            FROM webhook_lanes WHERE length(subscription_id) < 16;
        DELETE FROM webhook_subscriptions WHERE id = x'{}'",
        hexadecimal(orphan.id.as_bytes())
    );
    other.batch_execute(&plant).unwrap();
    assert_eq!(claim(&store).await.iter().map(|lane| lane.subscription).collect::<Vec<_>>(), [whole.subscription.id]);
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
