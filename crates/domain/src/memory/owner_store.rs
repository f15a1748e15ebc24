use async_trait::async_trait;

use super::audit::MemoryAuditLog;
use super::change_feed::MemoryChangeFeed;
use super::owners::MemoryOwners;
use super::webhooks::{MemoryLanes, MemoryWebhookStore};
use crate::audit::Cause;
use crate::ports::{ChangeOwnerRequest, ChangedOwner, OwnerStore, SetOwnerStateRequest, StoreError};
use crate::{CredentialDigest, OwnerId, OwnerRecord};

/// Records of owners in a map behind one lock. The stores of keys, sessions and webhooks obey them that were made with
/// the same [`MemoryOwners`].
#[derive(Debug, Default)]
pub struct MemoryOwnerStore {
    owners: MemoryOwners,
    changes: MemoryChangeFeed,
    audit: MemoryAuditLog,
    lanes: MemoryLanes,
}

impl MemoryOwnerStore {
    /// A store of these records.
    pub fn of(owners: MemoryOwners) -> Self {
        Self { owners, ..Self::default() }
    }

    /// The store, which reports its changes to this feed from now on.
    #[must_use]
    pub fn reporting_to(self, changes: MemoryChangeFeed) -> Self {
        Self { changes, ..self }
    }

    /// The store, which writes to this audit log from now on.
    #[must_use]
    pub fn writing_to(self, audit: MemoryAuditLog) -> Self {
        Self { audit, ..self }
    }

    /// The store, beside these webhooks, whose lanes rest while their owner is suspended.
    #[must_use]
    pub fn beside(self, webhooks: &MemoryWebhookStore) -> Self {
        Self { lanes: webhooks.lanes(), ..self }
    }

    /// Stores the record, if it is new. Returns whether it is.
    fn write(&self, owner: &OwnerId, before: &OwnerRecord, after: &OwnerRecord, cause: &Cause) -> bool {
        let event = cause.owner_changed(owner, before, after);
        let is_new = event.is_some();
        self.audit.write(event);
        is_new
    }
}

#[async_trait]
impl OwnerStore for MemoryOwnerStore {
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        Ok(self.owners.lock().get(owner).cloned().unwrap_or_default())
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError> {
        let ChangeOwnerRequest { owner, change, cause } = request;
        let mut records = self.owners.lock();
        let before = records.get(owner).cloned().unwrap_or_default();
        let after = match change.apply_to(&before) {
            Ok(after) => after,
            Err(invalid) => return Ok(ChangedOwner::Refused(invalid)),
        };
        if self.write(owner, &before, &after, cause) {
            records.insert(owner.clone(), after.clone());
        }
        Ok(ChangedOwner::Changed(Box::new(after)))
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        let SetOwnerStateRequest { owner, state, at, cause } = request;
        // The lock of webhooks comes first, as in their calls.
        let mut lanes = self.lanes.lock();
        let mut records = self.owners.lock();
        let before = records.get(owner).cloned().unwrap_or_default();
        let after = state.apply_to(&before, *at);
        if self.write(owner, &before, &after, cause) {
            self.changes.report([CredentialDigest::of_owner(owner)]);
            if let (Some(suspension), None) = (&before.suspension, &after.suspension) {
                lanes.rest(owner, suspension.since, *at);
            }
            records.insert(owner.clone(), after.clone());
        }
        Ok(after)
    }
}
