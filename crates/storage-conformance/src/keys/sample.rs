//! Sample keys, each with a unique id and digest, and calls of the store.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::KeyPorts;
use domain::audit::{Cause, Means, Origin};
use domain::memory::{SeededEntropy, unique_cause};
use domain::ports::{
    ActiveLimit, ChangeKeyRequest, ChangedKey, Entropy, InsertKeyRequest, Insertion, KeysOf, Retained, Revocation,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation,
};
use domain::{
    ApiKey, CredentialDigest, KeyChange, KeyId, KeyRotation, Label, ListView, OwnerId, Placement, Scopes, Timestamp,
    WebhookAccess,
};

use crate::sample::{at, user};

/// A limit that is never reached.
pub(crate) const NO_LIMIT: u32 = u32::MAX;
/// A view that hides no ended key.
pub(crate) const ALL_ENDED: u32 = u32::MAX;

/// The view at an instant, with at most this many ended keys.
pub(crate) fn view(at: Timestamp, ended_max: u32) -> ListView {
    ListView { at, ended_max }
}

/// At most `max` active keys at that instant.
pub(crate) fn limit(max: u32, at: Timestamp) -> ActiveLimit {
    ActiveLimit { max, at }
}

/// A key and its digest.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) key: ApiKey,
    pub(crate) digest: CredentialDigest,
}

impl Sample {
    /// A new active key that never expires, created at the start.
    pub(crate) fn of(owner: &OwnerId) -> Self {
        let (id, digest) = mint(Some(owner));
        let key = ApiKey {
            id,
            owner: owner.clone(),
            label: label("CI deploy"),
            prefix: "svc_live_a1B...".to_owned(),
            created_at: at(0),
            last_used_at: None,
            expires_at: None,
            revoked_at: None,
            scopes: scopes("orders:read orders:write"),
            replaced_by: None,
            settings: domain::KeySettings::default(),
            created_by: None,
        };
        Self { key, digest }
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

    pub(crate) fn disabled(mut self, at: Timestamp) -> Self {
        self.key.settings.disabled_at = Some(at);
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

    pub(crate) fn scoped(mut self, text: &str) -> Self {
        self.key.scopes = scopes(text);
        self
    }

    /// Replaced by a key that is not stored, as after a purge.
    pub(crate) fn replaced(mut self) -> Self {
        self.key.replaced_by = Some(mint(None).0);
        self
    }

    /// Made by this member of the organization that owns it.
    pub(crate) fn made_by(mut self, member: &OwnerId) -> Self {
        self.key.created_by = Some(member.clone());
        self
    }

    pub(crate) fn id(&self) -> KeyId {
        self.key.id
    }
}

/// A rotation, and the digest of its successor.
#[derive(Clone, Debug)]
pub(crate) struct Replacement {
    pub(crate) rotation: KeyRotation,
    pub(crate) digest: CredentialDigest,
}

impl Replacement {
    /// A rotation at that instant, with this overlap in milliseconds and any number of other overlaps.
    pub(crate) fn at(at: Timestamp, overlap_millis: u64) -> Self {
        let (successor, digest) = mint(None);
        let rotation = KeyRotation {
            successor,
            prefix: "svc_live_z9Y...".to_owned(),
            at,
            overlap: Duration::from_millis(overlap_millis),
            overlapping_max: NO_LIMIT,
            ttl_max: Duration::from_hours(24),
            ttl_if_endless: None,
            webhooks_max: Some(WebhookAccess::Write),
            created_by: Some(user("carol")),
        };
        Self { rotation, digest }
    }

    /// For a caller with this access to webhooks.
    pub(crate) fn within(mut self, webhooks_max: Option<WebhookAccess>) -> Self {
        self.rotation.webhooks_max = webhooks_max;
        self
    }

    /// Refused when this many keys are being replaced already.
    pub(crate) fn overlapping(mut self, max: u32) -> Self {
        self.rotation.overlapping_max = max;
        self
    }
}

/// An id and a digest that no other sample has. The id carries the owner's home if the owner is given: stores take both
/// forms.
fn mint(owner: Option<&OwnerId>) -> (KeyId, CredentialDigest) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let entropy = SeededEntropy::new(NEXT.fetch_add(1, Ordering::Relaxed) << 32);
    let mut digest = [0; 32];
    entropy.fill(&mut digest);
    let id = match owner {
        Some(owner) => KeyId::mint_for(owner, Placement::Shards(16), at(0), &entropy),
        None => KeyId::mint(at(0), &entropy),
    };
    (id, CredentialDigest::from_bytes(digest))
}

fn scopes(text: &str) -> Scopes {
    Scopes::parse(text).expect("the sample's scopes are valid")
}

fn label(text: &str) -> Label {
    Label::parse(text).expect("the sample's label is valid")
}

/// An insertion with this limit at the start of the samples. The list in the answer has no ended keys.
pub(crate) fn insert_request(sample: &Sample, max: u32) -> InsertKeyRequest {
    InsertKeyRequest {
        key: sample.key.clone(),
        digest: sample.digest,
        limit: limit(max, at(0)),
        view: view(at(0), 0),
        cause: unique_cause(),
    }
}

/// An insertion of a new key with this limit, by this member or by the host.
pub(crate) fn insert_request_by(owner: &OwnerId, member: Option<&OwnerId>, max: u32) -> InsertKeyRequest {
    let mut sample = Sample::of(owner);
    sample.key.created_by = member.cloned();
    let origin = match member {
        Some(member) => Origin::of_user(member, Means::IdToken),
        None => Origin::of_operator("host"),
    };
    InsertKeyRequest { cause: Cause { origin, ..unique_cause() }, ..insert_request(&sample, max) }
}

/// Inserts with this limit.
pub(crate) async fn insert(store: &dyn KeyPorts, sample: &Sample, max: u32) -> Insertion {
    let answer = store.insert_within(&insert_request(sample, max)).await;
    answer.expect("an insertion must succeed or be refused as a value")
}

/// An insertion of another key with this limit is refused.
pub(crate) async fn expect_full(store: &dyn KeyPorts, owner: &OwnerId, max: u32, why: &str) {
    assert_eq!(insert(store, &Sample::of(owner), max).await, Insertion::LimitReached { max }, "{why}");
}

/// Stores the key without a limit.
pub(crate) async fn put(store: &dyn KeyPorts, sample: &Sample) {
    let answer = insert(store, sample, NO_LIMIT).await;
    assert!(matches!(answer, Insertion::Stored(_)), "a key within the limit must be stored, got {answer:?}");
}

/// Stores all of them, in this order.
pub(crate) async fn put_all(store: &dyn KeyPorts, samples: &[Sample]) {
    for sample in samples {
        put(store, sample).await;
    }
}

/// Stores this many new keys of the owner.
pub(crate) async fn put_new(store: &dyn KeyPorts, owner: &OwnerId, count: usize) -> Vec<Sample> {
    let samples: Vec<Sample> = (0..count).map(|_| Sample::of(owner)).collect();
    put_all(store, &samples).await;
    samples
}

/// All keys of the owner, as seen at the start of the samples.
pub(crate) async fn all_keys(store: &dyn KeyPorts, owner: &OwnerId) -> Vec<ApiKey> {
    list(store, owner, view(at(0), ALL_ENDED)).await
}

/// The owner's list.
pub(crate) async fn list(store: &dyn KeyPorts, owner: &OwnerId, view: ListView) -> Vec<ApiKey> {
    store.list(owner, view).await.expect("a list must succeed")
}

/// The one key that the owner has.
pub(crate) async fn only_key(store: &dyn KeyPorts, owner: &OwnerId) -> ApiKey {
    let mut keys = all_keys(store, owner).await;
    assert_eq!(keys.len(), 1, "the owner must have exactly the one key that was stored, got {keys:#?}");
    keys.remove(0)
}

/// The key of this sample, looked up by its digest.
pub(crate) async fn find(store: &dyn KeyPorts, sample: &Sample) -> Option<ApiKey> {
    find_by(store, &sample.digest).await
}

/// The key under this digest.
pub(crate) async fn find_by(store: &dyn KeyPorts, digest: &CredentialDigest) -> Option<ApiKey> {
    store.find_by_digest(digest).await.expect("a look-up must succeed")
}

/// Each of these samples is stored, with every field unchanged.
pub(crate) async fn expect_stored(store: &dyn KeyPorts, samples: &[Sample], why: &str) {
    for sample in samples {
        assert_eq!(find(store, sample).await.as_ref(), Some(&sample.key), "{why}");
    }
}

/// A revocation of a key; the list in the answer is kept short.
pub fn revoke_request(owner: &OwnerId, id: KeyId, revoked_at: Timestamp) -> RevokeKeyRequest {
    RevokeKeyRequest { owner: owner.clone(), id, at: revoked_at, view: view(at(0), 0), cause: unique_cause() }
}

/// Revokes a key.
pub(crate) async fn revoke(store: &dyn KeyPorts, owner: &OwnerId, id: KeyId, revoked_at: Timestamp) -> Revocation {
    let answer = store.revoke(&revoke_request(owner, id, revoked_at)).await;
    answer.expect("a revocation must succeed or be refused as a value")
}

/// Changes a key.
pub(crate) async fn change(
    store: &dyn KeyPorts,
    owner: &OwnerId,
    id: KeyId,
    wish: &KeyChange,
    at: Timestamp,
) -> ChangedKey {
    let request = ChangeKeyRequest { owner: owner.clone(), id, change: wish.clone(), at, cause: unique_cause() };
    store.change(&request).await.expect("a change must succeed or be refused as a value")
}

/// A rotation of a key by its owner. The list in the answer has every key.
pub(crate) fn rotate_request(sample: &Sample, replacement: &Replacement) -> RotateKeyRequest {
    RotateKeyRequest {
        owner: sample.key.owner.clone(),
        id: sample.id(),
        rotation: replacement.rotation.clone(),
        digest: replacement.digest,
        view: view(replacement.rotation.at, ALL_ENDED),
        cause: unique_cause(),
    }
}

/// Rotates a key as its owner.
pub(crate) async fn rotate(store: &dyn KeyPorts, sample: &Sample, replacement: &Replacement) -> Rotation {
    let answer = store.rotate(&rotate_request(sample, replacement)).await;
    answer.expect("a rotation must succeed or be refused as a value")
}

/// Revokes by digest; the answer in the order of the ids.
pub(crate) async fn revoke_by_digests(
    store: &dyn KeyPorts,
    digests: &[CredentialDigest],
    at: Timestamp,
) -> Vec<(CredentialDigest, ApiKey)> {
    let mut answer = store
        .revoke_by_digests(&RevokeDigestsRequest { digests: digests.to_vec(), at, cause: unique_cause() })
        .await
        .expect("a revocation by digests must succeed");
    answer.sort_by_key(|(_, key)| key.id);
    answer
}

/// A revocation of all keys of an owner, up to a hundred.
pub fn revoke_all_request(owner: &OwnerId, at: Timestamp) -> RevokeUserKeysRequest {
    let of = KeysOf::Owner(owner.clone());
    RevokeUserKeysRequest { of, created_before: Timestamp::MAX, at, max: 100, cause: unique_cause() }
}

/// Revokes keys of a user; the digests in the answer, each of which must be there once.
pub(crate) async fn revoke_user_keys(
    store: &dyn KeyPorts,
    owner: &OwnerId,
    created_before: Timestamp,
    at: Timestamp,
    max: u32,
) -> HashSet<CredentialDigest> {
    revoke_keys_of(store, KeysOf::Owner(owner.clone()), created_before, at, max).await
}

/// Revokes keys of an owner or a member.
pub(crate) async fn revoke_keys_of(
    store: &dyn KeyPorts,
    of: KeysOf,
    created_before: Timestamp,
    at: Timestamp,
    max: u32,
) -> HashSet<CredentialDigest> {
    let request = RevokeUserKeysRequest { of, created_before, at, max, cause: unique_cause() };
    let answer = store.revoke_user_keys(&request).await;
    let digests = answer.expect("a revocation of a user's keys must succeed");
    let set: HashSet<CredentialDigest> = digests.iter().copied().collect();
    assert_eq!(set.len(), digests.len(), "the answer must have each digest once");
    set
}

/// Deletes keys that ended before this time.
pub(crate) async fn purge(store: &dyn KeyPorts, before: Timestamp, max: u32) -> u32 {
    store.purge(Retained::Keys, before, max).await.expect("a purge must succeed")
}

/// The ids of these keys, in their order.
pub(crate) fn ids<'a>(keys: impl IntoIterator<Item = &'a ApiKey>) -> Vec<KeyId> {
    keys.into_iter().map(|key| key.id).collect()
}
