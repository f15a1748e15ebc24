use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditFilter, Cause};
use domain::memory::{MemoryAuditLog, MemoryKeyStore};
use domain::ports::{
    AuditLog, AuditWatchers, ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion,
    KeyStore, KeyUsageStore, ListExpiringRequest, Retained, Retention, Revocation, RevokeDigestsRequest,
    RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError, UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyUsage, KeyUse, ListView, OwnerId, Timestamp, UsageCounts};
use tokio::task::yield_now;

use super::fault::Fault;

type Answer<T> = Result<T, StoreError>;

/// Keys with correct events, except for one fault.
pub(crate) struct AuditedKeys {
    fault: Fault,
    keys: MemoryKeyStore,
    /// The events that the store has written. With some faults, others see different ones.
    written: MemoryAuditLog,
    seen: MemoryAuditLog,
    /// The watchers that see events in another step.
    later: Arc<AuditWatchers>,
}

impl AuditedKeys {
    pub(crate) fn new(fault: Fault, seen: MemoryAuditLog, later: Arc<AuditWatchers>) -> Self {
        let written = if fault == Fault::RecordsInAnotherStep { MemoryAuditLog::default() } else { seen.clone() };
        Self { fault, keys: MemoryKeyStore::default().writing_to(written.clone()), written, seen, later }
    }

    /// Makes the change, and then shows the events of its cause.
    async fn shown<T>(&self, change: impl Future<Output = T>, cause: &Cause) -> T {
        let answer = change.await;
        self.show(cause).await;
        answer
    }

    /// Shows the events of this cause, in another step.
    async fn show(&self, cause: &Cause) {
        match self.fault {
            Fault::RecordsInAnotherStep => {
                yield_now().await;
                drop(self.seen.record_new(&self.written_for(cause).await).await);
            }
            Fault::ShowsInAnotherStep => {
                yield_now().await;
                self.later.show(&self.written_for(cause).await);
            }
            _ => {}
        }
    }

    async fn written_for(&self, cause: &Cause) -> Vec<AuditEvent> {
        let written = self.written.list(&AuditFilter::default(), None, u32::MAX).await;
        let mut events = written.expect("memory does not fail").events;
        // The last bytes number the events of a cause.
        events.retain(|event| event.id.as_bytes()[..12] == cause.id.as_bytes()[..12]);
        events
    }
}

#[async_trait]
impl KeyStore for AuditedKeys {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Answer<Insertion> {
        self.shown(self.keys.insert_within(request), &request.cause).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Answer<Vec<ApiKey>> {
        self.keys.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Answer<Revocation> {
        let &RevokeKeyRequest { ref owner, id, ref cause, .. } = request;
        let answer = self.shown(self.keys.revoke(request), cause).await;
        if self.fault == Fault::RecordsWhatItRefuses {
            drop(self.seen.record_new(&cause.keys_revoked([(owner.clone(), id)])).await);
        }
        answer
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Answer<Rotation> {
        self.shown(self.keys.rotate(request), &request.cause).await
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Answer<ChangedKey> {
        self.shown(self.keys.change(request), &request.cause).await
    }

    async fn revoke_by_digests(&self, request: &RevokeDigestsRequest) -> Answer<Vec<(CredentialDigest, ApiKey)>> {
        self.shown(self.keys.revoke_by_digests(request), &request.cause).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Answer<Vec<CredentialDigest>> {
        self.shown(self.keys.revoke_user_keys(request), &request.cause).await
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Answer<Vec<ApiKey>> {
        self.keys.list_expiring(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for AuditedKeys {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.keys.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Answer<()> {
        self.keys.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for AuditedKeys {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Answer<()> {
        self.keys.add_usage(usage).await
    }

    async fn usage(&self, request: &UsageRequest) -> Answer<Option<BTreeMap<Hour, UsageCounts>>> {
        self.keys.usage(request).await
    }
}

#[async_trait]
impl Retention for AuditedKeys {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Answer<u32> {
        self.keys.purge(what, before, max).await
    }
}
