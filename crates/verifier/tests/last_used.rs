//! What the verifier notes reaches the store: at once at first, then in batches, and never lost to a failure.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::memory::{ManualClock, MemoryKeyStore, SeededEntropy};
use domain::ports::{ActiveLimit, BoxError, Clock, Insertion, KeyStore, RecentUses, Revocation, StoreError};
use domain::{
    ApiKey, CreateKey, CreatedKey, KeyDigest, KeyId, KeyPolicy, KeyUse, Keys, Label, ListView, Timestamp, UserId,
};
use tokio_util::sync::CancellationToken;
use verifier::{FLUSH_INTERVAL, Verifier};

/// The memory store, which counts writes of uses and can be made to fail them.
#[derive(Default)]
struct Store {
    inner: MemoryKeyStore,
    writes: AtomicUsize,
    down: AtomicBool,
}

#[async_trait]
impl KeyStore for Store {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError> {
        self.inner.insert_within(key, digest, limit, view).await
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.inner.list(owner, view).await
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError> {
        self.inner.revoke(owner, id, at, view).await
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError> {
        self.inner.find_by_digest(digest).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        if self.down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable(BoxError::from("switched off")));
        }
        self.inner.record_uses(uses).await
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.inner.purge_ended(before, max).await
    }
}

struct World {
    store: Arc<Store>,
    clock: Arc<ManualClock>,
    verifier: Arc<Verifier>,
    keys: Keys,
    owner: UserId,
}

impl World {
    fn new() -> Self {
        let store = Arc::new(Store::default());
        let clock = Arc::new(ManualClock::new(Timestamp::from_unix_millis(1_795_225_323_120).unwrap()));
        let verifier = Verifier::new(store.clone(), clock.clone());
        let entropy = Arc::new(SeededEntropy::new(1));
        let keys = Keys::new(store.clone(), verifier.clone(), clock.clone(), entropy, KeyPolicy::default());
        Self { store, clock, verifier, keys, owner: UserId::new("https://id.example", "alice").unwrap() }
    }

    async fn create(&self, expires_at: Option<Timestamp>) -> CreatedKey {
        let request = CreateKey { label: Label::parse("CI").unwrap(), expires_at };
        self.keys.create(&self.owner, request).await.unwrap()
    }

    async fn is_good(&self, key: &CreatedKey) -> bool {
        self.verifier.verify(key.full_key.expose()).await.unwrap().is_some()
    }

    async fn stored_last_use(&self, key: &CreatedKey) -> Option<Timestamp> {
        let digest = key.full_key.digest();
        self.store.find_by_digest(&digest).await.unwrap().unwrap().last_used_at
    }

    /// Waits, in paused time, until the store has seen that many writes.
    async fn writes(&self, count: usize) {
        let seen = async {
            while self.store.writes.load(Ordering::SeqCst) < count {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(10 * FLUSH_INTERVAL, seen).await.expect("the verifier stopped writing");
    }
}

#[tokio::test]
async fn only_a_known_active_key_is_good() {
    let world = World::new();
    let expires_at = world.clock.now().plus(Duration::from_mins(1));
    let (revoked, expiring) = (world.create(None).await, world.create(Some(expires_at)).await);
    assert!(world.is_good(&revoked).await);
    world.keys.revoke(&world.owner, revoked.id).await.unwrap();
    assert!(!world.is_good(&revoked).await);

    world.clock.advance(Duration::from_millis(59_999));
    assert!(world.is_good(&expiring).await);
    world.clock.advance(Duration::from_millis(1));
    assert!(!world.is_good(&expiring).await);

    for unknown in ["", "svc_live_unknown", "a b", "\u{e9}"] {
        assert_eq!(world.verifier.verify(unknown).await.unwrap(), None, "{unknown}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_owner_sees_a_use_at_once_and_the_store_soon() {
    let world = World::new();
    let key = world.create(None).await;
    assert!(world.is_good(&key).await);
    let used_at = Some(world.clock.now());
    assert_eq!(world.keys.list(&world.owner).await.unwrap()[0].last_used_at, used_at);
    assert_eq!(world.stored_last_use(&key).await, None);

    let stop = CancellationToken::new();
    let running = tokio::spawn(world.verifier.clone().run(stop.clone()));
    let started = tokio::time::Instant::now();
    world.writes(1).await;
    assert!(started.elapsed() < FLUSH_INTERVAL, "the first use is written at once");
    assert_eq!(world.stored_last_use(&key).await, used_at);
    assert_eq!(world.verifier.last_use(key.id), None, "what is written is forgotten");

    // Later uses wait for the batch: any number of them is one write.
    for _ in 0..1_000 {
        world.clock.advance(Duration::from_millis(1));
        assert!(world.is_good(&key).await);
    }
    world.writes(2).await;
    assert!(started.elapsed() >= FLUSH_INTERVAL);
    assert_eq!(world.stored_last_use(&key).await, Some(world.clock.now()));

    world.clock.advance(Duration::from_secs(1));
    assert!(world.is_good(&key).await);
    stop.cancel();
    running.await.unwrap();
    assert_eq!(world.stored_last_use(&key).await, Some(world.clock.now()), "the last write is at the stop");
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_delays_a_use_and_does_not_lose_it() {
    let world = World::new();
    let key = world.create(None).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(world.verifier.clone().run(stop.clone()));
    world.store.down.store(true, Ordering::SeqCst);
    assert!(world.is_good(&key).await, "verification does not wait for the write");
    world.writes(3).await;
    assert_eq!(world.stored_last_use(&key).await, None);
    assert_eq!(world.verifier.last_use(key.id), Some(world.clock.now()));
    world.store.down.store(false, Ordering::SeqCst);
    world.writes(4).await;
    assert_eq!(world.stored_last_use(&key).await, Some(world.clock.now()));
    stop.cancel();
    running.await.unwrap();
}
