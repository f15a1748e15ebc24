use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::audit::MemoryAuditLog;
use super::change_feed::MemoryChangeFeed;
use super::keys::{MemoryKeyStore, Tables as KeyTables};
use super::lock;
use super::owners::MemoryOwners;
use super::sessions::{MemorySessionStore, MemorySessions};
use super::webhooks::{MemoryWebhookStore, Tables as WebhookTables};
use crate::audit::Cause;
use crate::ports::{
    ChangeOwnerRequest, ChangedOwner, EraseRequest, Erasure, ListOwnersRequest, OwnerStore, SetOwnerStateRequest,
    StoreError,
};
use crate::{
    ApiKey, CredentialDigest, FoundBy, FoundOwner, OWNER_COUNT_MAX, OwnerCounts, OwnerId, OwnerPage, OwnerPlace,
    OwnerQuery, OwnerRecord, OwnerSearch, OwnersRead,
};

/// Records of owners in a map behind one lock. The stores of keys, sessions and webhooks obey them that were made with
/// the same [`MemoryOwners`].
#[derive(Debug, Default)]
pub struct MemoryOwnerStore {
    owners: MemoryOwners,
    changes: MemoryChangeFeed,
    audit: MemoryAuditLog,
    keys: Arc<Mutex<KeyTables>>,
    sessions: MemorySessions,
    lanes: Arc<Mutex<WebhookTables>>,
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

    /// The store, beside these webhooks, whose lanes rest while their owner is suspended, and these sessions.
    #[must_use]
    pub fn beside(self, webhooks: &MemoryWebhookStore, sessions: &MemorySessionStore) -> Self {
        Self { lanes: webhooks.lanes(), sessions: sessions.sessions(), ..self }
    }

    /// The store, which finds and counts the owners of these keys too.
    #[must_use]
    pub fn counting(self, keys: &MemoryKeyStore) -> Self {
        Self { keys: keys.keys(), ..self }
    }

    /// Writes the event of the change, if there is one. Returns whether the record is new.
    fn write(&self, owner: &OwnerId, before: &OwnerRecord, after: &OwnerRecord, cause: &Cause) -> bool {
        self.audit.write(cause.owner_changed(owner, before, after));
        before != after
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
            if before.verification_differs(&after) {
                self.changes.report([CredentialDigest::of_owner(owner)]);
            }
            records.insert(owner.clone(), after.clone());
        }
        Ok(ChangedOwner::Changed(Box::new(after)))
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        let SetOwnerStateRequest { owner, state, at, cause } = request;
        // The lock of webhooks comes first, as in their calls.
        let mut lanes = lock(&self.lanes);
        let mut records = self.owners.lock();
        let before = records.get(owner).cloned().unwrap_or_default();
        let after = state.apply_to(&before, *at);
        if self.write(owner, &before, &after, cause) {
            if before.verification_differs(&after) {
                self.changes.report([CredentialDigest::of_owner(owner)]);
            }
            if let (Some(suspension), None) = (&before.suspension, &after.suspension) {
                lanes.rest(owner, suspension.since, *at);
            }
            records.insert(owner.clone(), after.clone());
        }
        Ok(after)
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        let (lanes, keys, records) = (lock(&self.lanes), lock(&self.keys), self.owners.lock());
        let stored = keys.all().map(|key| &key.owner).chain(lanes.subscribers());
        let mut known: BTreeMap<&OwnerId, OwnerRecord> = stored.map(|owner| (owner, OwnerRecord::default())).collect();
        let set = records.iter().filter(|(_, record)| **record != OwnerRecord::default());
        known.extend(set.map(|(owner, record)| (owner, record.clone())));
        let mut search = OwnerSearch::new(request);
        while let Some(read) = search.next_read() {
            let mut found = Vec::new();
            for (owner, record) in &known {
                let places = places(owner, record, read.by, keys.of(owner));
                let behind = places.into_iter().filter(|place| *place > read.after);
                found.extend(behind.map(|place| FoundOwner { place, owner: (*owner).clone(), record: record.clone() }));
            }
            found.sort_by(|one, other| one.place.cmp(&other.place));
            let has_more = found.len() > read.max as usize;
            found.truncate(read.max as usize);
            let end = found.last().map(|one| one.place.clone()).filter(|_| has_more);
            search.take(&read, OwnersRead { found, end });
        }
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).min(OWNER_COUNT_MAX);
        let counts: Vec<OwnerCounts> = search
            .owners()
            .map(|owner| {
                let (enabled, failing) = lanes.count_enabled(owner);
                OwnerCounts {
                    active_keys: count(keys.of(owner).filter(|key| key.is_active(request.at)).count()),
                    enabled_subscriptions: count(enabled),
                    failing_subscriptions: count(failing),
                }
            })
            .collect();
        Ok(search.into_page(counts))
    }
}

#[async_trait]
impl Erasure for MemoryOwnerStore {
    async fn erasing(&self, max: u32) -> Result<Vec<OwnerId>, StoreError> {
        let records = self.owners.lock();
        let erasing = records.iter().filter_map(|(owner, record)| Some((record.erasing_since?, owner)));
        let erasing: BTreeSet<_> = erasing.collect();
        Ok(erasing.into_iter().map(|(_, owner)| owner.clone()).take(max as usize).collect())
    }

    async fn erase(&self, request: &EraseRequest) -> Result<u32, StoreError> {
        let EraseRequest { owner, at, settled, .. } = request;
        let (mut lanes, mut keys, records) = (lock(&self.lanes), lock(&self.keys), self.owners.lock());
        if records.get(owner).is_none_or(|record| record.erasing_since.is_none()) {
            return Ok(0);
        }
        let rows = lanes.erase(owner, *at, *settled) + self.sessions.erase(owner) + self.audit.erase(owner);
        Ok(u32::try_from(rows).unwrap_or(u32::MAX) + keys.erase(owner))
    }

    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Result<bool, StoreError> {
        let (lanes, keys, mut records) = (lock(&self.lanes), lock(&self.keys), self.owners.lock());
        let is_erasing = records.get(owner).is_some_and(|record| record.erasing_since.is_some());
        let has_rows = || self.audit.announces(owner) || lanes.knows(owner) || keys.of(owner).next().is_some();
        if !is_erasing || has_rows() || self.sessions.erase(owner) + self.audit.erase(owner) > 0 {
            return Ok(false);
        }
        records.remove(owner);
        self.audit.write([cause.owner_erased(owner)]);
        self.changes.report([CredentialDigest::of_owner(owner)]);
        Ok(true)
    }
}

/// The places at which the owner is found by this.
fn places<'a>(
    owner: &OwnerId,
    record: &OwnerRecord,
    by: FoundBy,
    keys: impl Iterator<Item = &'a ApiKey>,
) -> BTreeSet<OwnerPlace> {
    let texts: Vec<String> = match by {
        FoundBy::Suspension => record.suspension.iter().map(|_| String::new()).collect(),
        FoundBy::Id => vec![String::new()],
        FoundBy::Name => record.name.iter().map(|name| OwnerQuery::fold(name.as_str())).collect(),
        FoundBy::Email => record.email.iter().map(|email| OwnerQuery::fold(email.as_str())).collect(),
        FoundBy::Key => keys.map(|key| key.prefix.clone()).collect(),
    };
    texts.into_iter().map(|text| OwnerPlace::of(owner, by, text)).collect()
}
