//! Keys to try a store with. Every one has an id and a digest of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::memory::SeededEntropy;
use domain::ports::{ActiveLimit, Entropy, Insertion, KeyStore, Revocation};
use domain::{ApiKey, KeyDigest, KeyId, Label, ListView, Timestamp, UserId};

/// `2026-11-21T01:42:03.120Z`: its milliseconds are not zero, so that a store that drops them is seen.
const START_UNIX_MILLIS: i64 = 1_795_225_323_120;

/// A limit that never says no.
pub(crate) const NO_LIMIT: u32 = u32::MAX;
/// A view that hides no ended key.
pub(crate) const ALL_ENDED: u32 = u32::MAX;

/// That many milliseconds after the start of the samples.
pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(START_UNIX_MILLIS + millis).expect("samples lie within the range of timestamps")
}

/// A user of the usual issuer.
pub(crate) fn user(subject: &str) -> UserId {
    user_of("https://id.example", subject)
}

/// A user of that issuer.
pub(crate) fn user_of(issuer: &str, subject: &str) -> UserId {
    UserId::new(issuer, subject).expect("the sample's issuer and subject are valid")
}

/// What users see at that instant, with as many ended keys.
pub(crate) fn view(at: Timestamp, ended_max: u32) -> ListView {
    ListView { at, ended_max }
}

/// At most `max` active keys at that instant.
pub(crate) fn limit(max: u32, at: Timestamp) -> ActiveLimit {
    ActiveLimit { max, at }
}

/// A key and what it is stored under.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) key: ApiKey,
    pub(crate) digest: KeyDigest,
}

impl Sample {
    /// A new active key that never expires, created at the start.
    pub(crate) fn of(owner: &UserId) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let entropy = SeededEntropy::new(NEXT.fetch_add(1, Ordering::Relaxed) << 32);
        let mut digest = [0; 32];
        entropy.fill(&mut digest);
        let key = ApiKey {
            id: KeyId::mint(at(0), &entropy),
            owner: owner.clone(),
            label: label("CI deploy"),
            prefix: "svc_live_a1B...".to_owned(),
            created_at: at(0),
            last_used_at: None,
            expires_at: None,
            revoked_at: None,
        };
        Self { key, digest: KeyDigest::from_bytes(digest) }
    }

    pub(crate) fn created(mut self, at: Timestamp) -> Self {
        self.key.created_at = at;
        self
    }

    pub(crate) fn expiring(mut self, at: Timestamp) -> Self {
        self.key.expires_at = Some(at);
        self
    }

    pub(crate) fn revoked(mut self, at: Timestamp) -> Self {
        self.key.revoked_at = Some(at);
        self
    }

    pub(crate) fn used(mut self, at: Timestamp) -> Self {
        self.key.last_used_at = Some(at);
        self
    }

    pub(crate) fn labelled(mut self, text: &str) -> Self {
        self.key.label = label(text);
        self
    }

    pub(crate) fn id(&self) -> KeyId {
        self.key.id
    }
}

fn label(text: &str) -> Label {
    Label::parse(text).expect("the sample's label is valid")
}

/// Inserts under this limit, which is decided at the start of the samples. The list in the answer is kept short.
pub(crate) async fn insert(store: &dyn KeyStore, sample: &Sample, max: u32) -> Insertion {
    let answer = store.insert_within(&sample.key, &sample.digest, limit(max, at(0)), view(at(0), 0)).await;
    answer.expect("an insertion must succeed or be refused as a value")
}

/// Stores the key whatever the owner has.
pub(crate) async fn put(store: &dyn KeyStore, sample: &Sample) {
    let answer = insert(store, sample, NO_LIMIT).await;
    assert!(matches!(answer, Insertion::Stored(_)), "a key within the limit must be stored, got {answer:?}");
}

/// Stores all of them, in this order.
pub(crate) async fn put_all(store: &dyn KeyStore, samples: &[Sample]) {
    for sample in samples {
        put(store, sample).await;
    }
}

/// All keys of the owner, as seen at the start of the samples.
pub(crate) async fn all_keys(store: &dyn KeyStore, owner: &UserId) -> Vec<ApiKey> {
    list(store, owner, view(at(0), ALL_ENDED)).await
}

/// The owner's list.
pub(crate) async fn list(store: &dyn KeyStore, owner: &UserId, view: ListView) -> Vec<ApiKey> {
    store.list(owner, view).await.expect("a list must succeed")
}

/// The one key that the owner has.
pub(crate) async fn only_key(store: &dyn KeyStore, owner: &UserId) -> ApiKey {
    let mut keys = all_keys(store, owner).await;
    assert_eq!(keys.len(), 1, "the owner must have exactly the one key that was stored, got {keys:#?}");
    keys.remove(0)
}

/// The key under this digest.
pub(crate) async fn find(store: &dyn KeyStore, sample: &Sample) -> Option<ApiKey> {
    store.find_by_digest(&sample.digest).await.expect("a look-up must succeed")
}

/// Revokes a key; the list in the answer is kept short.
pub(crate) async fn revoke(store: &dyn KeyStore, owner: &UserId, id: KeyId, revoked_at: Timestamp) -> Revocation {
    let answer = store.revoke(owner, id, revoked_at, view(at(0), 0)).await;
    answer.expect("a revocation must succeed or be refused as a value")
}

/// The ids of these keys, in their order.
pub(crate) fn ids<'a>(keys: impl IntoIterator<Item = &'a ApiKey>) -> Vec<KeyId> {
    keys.into_iter().map(|key| key.id).collect()
}
