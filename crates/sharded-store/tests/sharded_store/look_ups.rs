//! The number of shards that look for a key or a session, and the results while one of them is down.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use domain::audit::Origin;
use domain::memory::{ManualClock, SeededEntropy};
use domain::organizations::Memberships;
use domain::ports::{
    CredentialStore, Found, InsertKeyRequest, KeyStore, KeyStores, NotReady, ReadinessCheck, Retained, Retention,
    SessionStore, SessionStores, Store, StoreError,
};
use domain::sessions::{OpenSession, Session, SessionRole, Sessions};
use domain::{ApiKey, CreateKey, CredentialDigest, Home, KeyPolicy, Keys, Label, OwnerId, Placement, Timestamp};
use sharded_store::ShardedStore;
use storage_conformance::requests::{at, new_key_request, user};

use crate::composed::{Counting, LookUps, memory_store};

const SHARDS: u16 = 16;
const OWNERS: u32 = 100;

/// Shards in memory that count look-ups.
struct Counted {
    store: Arc<ShardedStore>,
    look_ups: Vec<Arc<LookUps>>,
}

impl Counted {
    fn new() -> Self {
        Self::of((0..SHARDS).map(|_| memory_store()))
    }

    fn of(stores: impl Iterator<Item = Store>) -> Self {
        let (mut shards, mut look_ups) = (Vec::new(), Vec::new());
        for shard in stores {
            let counted = Arc::<LookUps>::default();
            let (keys, sessions) = (shard.keys.clone(), shard.sessions.clone());
            let of_keys = Counting { store: keys.credentials, look_ups: Arc::clone(&counted) };
            let of_sessions = Counting { store: sessions.credentials, look_ups: Arc::clone(&counted) };
            shards.push(Store {
                keys: KeyStores { credentials: Arc::new(of_keys), ..shard.keys },
                sessions: SessionStores { credentials: Arc::new(of_sessions), ..shard.sessions },
                ..shard
            });
            look_ups.push(counted);
        }
        Self { store: Arc::new(ShardedStore::new(shards)), look_ups }
    }

    /// How many look-ups there were since the last call.
    fn count(&self) -> usize {
        self.look_ups.iter().map(|shard| shard.count.swap(0, Ordering::Relaxed)).sum()
    }

    fn stop(&self, shard: usize) {
        self.look_ups[shard].is_down.store(true, Ordering::Relaxed);
    }

    async fn find(&self, digest: &CredentialDigest) -> Result<Option<ApiKey>, StoreError> {
        self.store.find_by_digest(digest).await
    }

    /// Digests of keys, one of each owner.
    async fn minted(&self) -> Vec<CredentialDigest> {
        let (clock, entropy) = (Arc::new(ManualClock::new(at(0))), Arc::new(SeededEntropy::new(7)));
        let keys = Keys::new(
            KeyStores::of(&self.store),
            self.store.clone(),
            Arc::new(()),
            clock,
            entropy,
            KeyPolicy::default(),
        )
        .with_placement(Placement::Shards(SHARDS));
        let mut digests = Vec::new();
        for owner in (0..OWNERS).map(owner) {
            let label = Label::parse("CI").expect("a valid label");
            let request = CreateKey::named(label);
            let created = keys.create(&owner, request, &Origin::SERVICE).await.expect("the store is up");
            digests.push(created.full_key.digest());
        }
        digests
    }

    /// Stores a key of the owner under this digest, as an import does.
    async fn import(&self, owner: &OwnerId, digest: CredentialDigest) {
        let request = InsertKeyRequest { digest, ..new_key_request(owner, 10) };
        KeyStore::insert_within(&*self.store, &request).await.expect("the store is up");
    }
}

/// A database that takes no writes.
struct ReadOnly;

#[async_trait]
impl Retention for ReadOnly {
    async fn purge(&self, _: Retained, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Err(StoreError::Unavailable("read-only".into()))
    }

    async fn prepare_history(&self, _: Timestamp, _: u32) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("read-only".into()))
    }
}

#[async_trait]
impl ReadinessCheck for ReadOnly {
    async fn check(&self) -> Result<(), NotReady> {
        Err(NotReady { summary: "read-only", source: None })
    }
}

fn owner(number: u32) -> OwnerId {
    user(&format!("user-{number}"))
}

fn shard_of(owner: &OwnerId) -> usize {
    Home::of(owner).shard(SHARDS.into())
}

/// A digest that names this shard.
fn naming(shard: usize, last_byte: u8) -> CredentialDigest {
    let mut digest = [0; 32];
    (digest[0], digest[31]) = (u8::try_from(shard).expect("a small number"), last_byte);
    CredentialDigest::from_bytes(digest)
}

#[tokio::test]
async fn one_shard_looks_for_a_key_that_was_minted_here() {
    let shards = Counted::new();
    let digests = shards.minted().await;
    for digest in &digests {
        assert!(shards.find(digest).await.expect("all shards are up").is_some());
        assert_eq!(shards.count(), 1);
    }
    let Found::<ApiKey> { stored: found, failure: error, .. } = shards.store.find_by_digests(&digests).await;
    assert!(found.len() == digests.len() && error.is_none());
    assert_eq!(shards.count(), usize::from(SHARDS), "one look-up of each shard for all of its keys");
}

#[tokio::test]
async fn one_shard_looks_for_a_session() {
    let shards = Counted::new();
    let (clock, entropy) = (Arc::new(ManualClock::new(at(0))), Arc::new(SeededEntropy::new(7)));
    let sessions = Sessions::new(SessionStores::of(&shards.store), Arc::new(()), clock, entropy)
        .with_placement(Placement::Shards(SHARDS));
    for owner in (0..OWNERS).map(owner) {
        let request = OpenSession {
            role: SessionRole::User,
            memberships: Ok(Memberships::default()),
            user_agent: None,
            address: None,
        };
        let opened = sessions.open(&owner, request, &Origin::SERVICE).await.expect("the store is up");
        let found = CredentialStore::<Session>::find_by_digest(&*shards.store, &opened.secret.digest()).await;
        assert_eq!(found.expect("all shards are up").map(|session| session.owner), Some(owner));
        assert_eq!(shards.count(), 1);
    }
}

#[tokio::test]
async fn all_shards_look_for_a_key_from_elsewhere() {
    let shards = Counted::new();
    let owner = owner(1);
    let elsewhere = naming((shard_of(&owner) + 1) % usize::from(SHARDS), 1);
    shards.import(&owner, elsewhere).await;
    assert_eq!(shards.find(&elsewhere).await.expect("all shards are up").map(|key| key.owner), Some(owner.clone()));
    assert_eq!(shards.find(&naming(3, 2)).await.expect("all shards are up"), None);
    let minted = shards.minted().await;
    shards.count();
    let all: Vec<_> = minted.iter().copied().chain([elsewhere, naming(3, 2)]).collect();
    let Found::<ApiKey> { stored: found, failure: error, .. } = shards.store.find_by_digests(&all).await;
    assert!(found.len() == minted.len() + 1 && error.is_none());
    assert!(found.iter().any(|(digest, key)| *digest == elsewhere && key.owner == owner));
    assert_eq!(shards.count(), 2 * usize::from(SHARDS), "each shard once for its keys, and once for the others");
}

#[tokio::test]
async fn what_a_shard_that_is_down_may_have_is_not_unknown() {
    let shards = Counted::new();
    let digests = shards.minted().await;
    let down = shard_of(&owner(0));
    let astray = (0..OWNERS).map(owner).find(|owner| shard_of(owner) != down).expect("owners are in all shards");
    shards.import(&astray, naming(down, 1)).await;
    shards.stop(down);
    for (number, digest) in (0..).zip(&digests) {
        match shards.find(digest).await {
            Ok(found) => assert!(found.is_some() && shard_of(&owner(number)) != down),
            Err(error) => assert!(shard_of(&owner(number)) == down, "{error}"),
        }
    }
    assert!(shards.find(&naming(down, 1)).await.expect("another shard has it").is_some());
    assert!(shards.find(&naming(down, 2)).await.is_err());
    assert!(shards.find(&naming((down + 1) % usize::from(SHARDS), 2)).await.is_err());
    let Found::<ApiKey> { stored: found, failure: error, .. } = shards.store.find_by_digests(&digests).await;
    let up = (0..OWNERS).map(owner).filter(|owner| shard_of(owner) != down).count();
    assert!(found.len() == up && error.is_some());
    let found: Vec<_> = found.into_iter().map(|(digest, _)| digest).collect();
    assert!(
        CredentialStore::<ApiKey>::find_by_digests(&*shards.store, &found).await.failure.is_none(),
        "no key of the shard that is down is wanted"
    );
}

/// A database that lacks its standbys or a free disk answers look-ups, as it does with one shard.
#[tokio::test(start_paused = true)]
async fn a_shard_that_takes_no_writes_verifies_its_keys() {
    let read_only = shard_of(&owner(0));
    let store = |number| match memory_store() {
        store if number == read_only => Store { retention: Arc::new(ReadOnly), readiness: Arc::new(ReadOnly), ..store },
        store => store,
    };
    let shards = Counted::of((0..usize::from(SHARDS)).map(store));
    let digests = shards.minted().await;
    shards.store.prepare_history(at(0), 1).await.expect("the others take writes");
    let counted = SessionStore::count_good(&*shards.store, at(0), 1).await;
    counted.expect_err("the shard is known to take no writes");
    for digest in &digests {
        assert!(shards.find(digest).await.expect("each shard answers look-ups").is_some());
    }
    assert_eq!(shards.find(&naming(read_only, 2)).await.expect("each shard answers"), None);
}
