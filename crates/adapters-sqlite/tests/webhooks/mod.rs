//! What only this adapter promises of webhooks.

use domain::memory::SeededEntropy;
use domain::ports::{
    ClaimId, ClaimRequest, ClaimedLane, DeliveryCommands, DeliveryLog, DeliveryQueue, EventStore, RetryRequest,
    SubscriptionStore,
};
use domain::webhooks::{
    DeliveryFilter, DeliveryStateKind, Description, Event, EventType, FairShares, NewEvent, Payload, SealingKeys,
    SigningSecret, SubscribedEvents, Subscription, SubscriptionStatus, TargetUrl,
};
use domain::{DeliveryId, EventId, SubscriptionId, Timestamp, UserId};

use super::*;

const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// Its bytes.
const SECRET_KEY: [u8; 24] = [
    0x31, 0xF2, 0x90, 0xF6, 0xBF, 0x06, 0x29, 0x8A, 0xAB, 0x4F, 0x08, 0xD4, 0x3C, 0x3F, 0x08, 0x2C, 0xF6, 0x48, 0xA3,
    0x62, 0xDA, 0x2D, 0xA4, 0xB0,
];

/// A store with one subscription, whose signing secret is [`SECRET`].
async fn subscribed(path: &Path) -> (SqliteStore, Subscription) {
    let store = migrated(path).await;
    let entropy = SeededEntropy::new(1);
    let subscription = Subscription {
        id: SubscriptionId::mint(NOW, &entropy),
        owner: UserId::new("https://id.example", "alice").unwrap(),
        url: TargetUrl::from_stored("https://hooks.example/").unwrap(),
        events: SubscribedEvents::parse(["order.*"]).unwrap(),
        url_set_by: None,
        description: Description::default(),
        status: SubscriptionStatus::Enabled,
        created_at: NOW,
        updated_at: NOW,
    };
    let keys = SealingKeys::new(vec![[7; 32].into()]).unwrap();
    let secret = keys.seal(&SigningSecret::parse(SECRET).unwrap(), subscription.id, &entropy);
    SubscriptionStore::insert_within(&store, &subscription, &secret, 10).await.unwrap();
    (store, subscription)
}

fn events(owner: &UserId, seed: u64, count: usize) -> Vec<NewEvent> {
    let entropy = SeededEntropy::new(seed);
    let event = || Event {
        id: EventId::mint(NOW, &entropy),
        owner: owner.clone(),
        event_type: EventType::parse("order.created").unwrap(),
        payload: Payload::from_bytes(*b"{}"),
        created_at: NOW,
    };
    (0..count).map(|_| NewEvent { event: event(), publication: None, only: None }).collect()
}

async fn claim(store: &SqliteStore) -> Vec<ClaimedLane> {
    let (claim, until) = (ClaimId::from_number(1), NOW.plus(Duration::from_mins(1)));
    store
        .claim(&ClaimRequest {
            claim,
            at: NOW,
            until,
            lanes_max: 1,
            room: 10,
            rooms: Vec::new(),
            shares: FairShares::new(u32::MAX),
        })
        .await
        .unwrap()
}

#[tokio::test]
async fn no_file_holds_a_signing_secret_in_clear() {
    let folder = tempfile::tempdir().unwrap();
    let (store, subscription) = subscribed(&folder.path().join("test.db")).await;
    let later = NOW.plus(Duration::from_hours(24));
    let entropy = SeededEntropy::new(2);
    let keys = SealingKeys::new(vec![[8; 32].into()]).unwrap();
    let secret = keys.seal(&SigningSecret::parse(SECRET).unwrap(), subscription.id, &entropy);
    store.rotate_secret(&subscription.owner, subscription.id, &secret, later, NOW).await.unwrap();
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
    store.delete(&subscription.owner, subscription.id, NOW).await.unwrap();
    let waiting = DeliveryFilter { state: Some(DeliveryStateKind::Waiting), ..DeliveryFilter::default() };
    let left =
        async || DeliveryLog::list(&store, &subscription.owner, &waiting, None, 10_000).await.unwrap().deliveries.len();
    assert_eq!(left().await, 1_500);
    assert!(claim(&store).await.is_empty(), "nothing of a closed lane is claimed");
    assert_eq!(store.end_closed(NOW, 700).await.unwrap(), 700);
    assert_eq!(left().await, 800);
    assert_eq!(store.end_closed(NOW, 10_000).await.unwrap(), 800);
    assert_eq!((left().await, store.end_closed(NOW, 10_000).await.unwrap()), (0, 0));
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

#[tokio::test]
async fn what_makes_something_due_wakes_the_dispatcher() {
    let folder = tempfile::tempdir().unwrap();
    let (store, subscription) = subscribed(&folder.path().join("test.db")).await;
    let hint = async || tokio::time::timeout(Duration::from_secs(10), store.hint()).await;
    let published = events(&subscription.owner, 10, 1);
    store.publish(&published).await.unwrap();
    hint().await.unwrap();
    let id = DeliveryId::of(published[0].event.id, subscription.id);
    store.retry(&subscription.owner, id, RetryRequest { at: NOW, published_since: NOW }).await.unwrap();
    hint().await.unwrap();
    claim(&store).await;
    assert!(tokio::time::timeout(Duration::from_millis(20), store.hint()).await.is_err(), "a claim wakes nobody");
}
