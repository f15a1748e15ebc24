//! A store that is down.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Origin;
use domain::memory::{ManualClock, SeededEntropy};
use domain::ports::{
    ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyStores,
    KeyUsageStore, ListExpiringRequest, Retained, Retention, Revocation, RevokeDigestsRequest, RevokeKeyRequest,
    RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError, UsageRequest,
};
use domain::{
    ApiKey, CreateKeyError, CredentialDigest, Hour, InvalidExpiry, KeyId, KeyUsage, KeyUse, Keys, ListView, OwnerId,
    ReportLeaksError, RevokeKeyError, RotateKeyError, Timestamp, UsageCounts,
};
use pollster::block_on;

use crate::desk::{DAY, keys, purge, request, user};
use crate::rotate_key::rotation;

/// The use cases on a store that is down.
pub(crate) fn keys_over_a_failing_store() -> Keys {
    let clock = Arc::new(ManualClock::new(Timestamp::MAX));
    keys(KeyStores::of(&Arc::new(FailingStore)), Arc::new(()), clock, 3)
}

fn is_unavailable(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(_))
}

#[test]
fn a_failing_store_is_reported() {
    let (keys, alice) = (keys_over_a_failing_store(), user("alice"));
    let id = KeyId::mint(Timestamp::MIN, &SeededEntropy::new(1));
    let created = block_on(keys.create(&alice, request(None), &Origin::SERVICE));
    assert!(matches!(&created, Err(CreateKeyError::Store(error)) if is_unavailable(error)), "{created:?}");
    let revoked = block_on(keys.revoke(&alice, id, &Origin::SERVICE));
    assert!(matches!(&revoked, Err(RevokeKeyError::Store(error)) if is_unavailable(error)), "{revoked:?}");
    let rotated = block_on(keys.rotate(&alice, rotation(id, DAY), &Origin::SERVICE));
    assert!(matches!(&rotated, Err(RotateKeyError::Store(error)) if is_unavailable(error)), "{rotated:?}");
    let reported = block_on(keys.report_leaks(&["x"], &Origin::SERVICE));
    assert!(matches!(&reported, Err(ReportLeaksError::Store(error)) if is_unavailable(error)), "{reported:?}");
    let revoked_all = block_on(keys.revoke_all(&alice, None, &Origin::SERVICE));
    assert!(matches!(&revoked_all, Err(error) if is_unavailable(error)), "{revoked_all:?}");
    let purged = purge(Arc::new(FailingStore), Arc::new(ManualClock::new(Timestamp::MAX)));
    assert!(matches!(&purged, Err(error) if is_unavailable(error)), "{purged:?}");
    let listed = block_on(keys.list(&alice));
    assert!(matches!(&listed, Err(error) if is_unavailable(error)), "{listed:?}");
}

#[test]
fn errors_of_the_request_come_before_those_of_the_store() {
    let past = request(Some(Timestamp::MIN));
    let refused = block_on(keys_over_a_failing_store().create(&user("alice"), past, &Origin::SERVICE));
    assert!(matches!(refused, Err(CreateKeyError::Expiry(InvalidExpiry::OutOfRange { .. }))), "{refused:?}");
}

struct FailingStore;

fn down<T>() -> Result<T, StoreError> {
    Err(StoreError::Unavailable("down".into()))
}

#[async_trait]
impl KeyStore for FailingStore {
    async fn insert_within(&self, _: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        down()
    }

    async fn list(&self, _: &OwnerId, _: ListView) -> Result<Vec<ApiKey>, StoreError> {
        down()
    }

    async fn revoke(&self, _: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        down()
    }

    async fn rotate(&self, _: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        down()
    }

    async fn change(&self, _: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        down()
    }

    async fn revoke_by_digests(&self, _: &RevokeDigestsRequest) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        down()
    }

    async fn revoke_user_keys(&self, _: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        down()
    }

    async fn list_expiring(&self, _: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        down()
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for FailingStore {
    async fn find_by_digests(&self, _: &[CredentialDigest]) -> Found<ApiKey> {
        Found::from(down())
    }

    async fn record_uses(&self, _: &[KeyUse]) -> Result<(), StoreError> {
        down()
    }
}

#[async_trait]
impl KeyUsageStore for FailingStore {
    async fn add_usage(&self, _: &[KeyUsage]) -> Result<(), StoreError> {
        down()
    }

    async fn usage(&self, _: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        down()
    }
}

#[async_trait]
impl Retention for FailingStore {
    async fn purge(&self, _: Retained, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        down()
    }
}
