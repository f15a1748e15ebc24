use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::audit::MemoryAuditLog;
use super::by_hour::MemoryCounts;
use super::change_feed::MemoryChangeFeed;
use super::lock;
use super::owners::MemoryOwners;
use crate::ports::{
    ChangeFeed, ChangeKeyRequest, ChangedKey, CredentialStore, FeedPosition, FeedRead, Found, InsertKeyRequest,
    Insertion, KeyStore, KeyUsageStore, ListExpiringRequest, NotReady, ReadinessCheck, Retained, Retention, Revocation,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
    UsageRequest,
};
use crate::{ApiKey, CredentialDigest, Hour, KeyId, KeyUsage, KeyUse, ListView, OwnerId, Timestamp, UsageCounts};

/// Keys in maps behind one lock. Each method holds the lock, and is therefore atomic.
#[derive(Debug, Default)]
pub struct MemoryKeyStore {
    tables: Arc<Mutex<Tables>>,
    changes: MemoryChangeFeed,
    audit: MemoryAuditLog,
    owners: MemoryOwners,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Sorted, so that a purge depends only on its arguments.
    keys: BTreeMap<KeyId, ApiKey>,
    ids: HashMap<CredentialDigest, KeyId>,
    owned: HashMap<OwnerId, BTreeSet<KeyId>>,
    usage: MemoryCounts<KeyId, UsageCounts>,
}

impl Tables {
    fn insert(&mut self, key: &ApiKey, digest: &CredentialDigest) -> Result<(), StoreError> {
        if self.keys.contains_key(&key.id) || self.ids.contains_key(digest) {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        self.keys.insert(key.id, key.clone());
        self.ids.insert(*digest, key.id);
        self.owned.entry(key.owner.clone()).or_default().insert(key.id);
        Ok(())
    }

    /// The owner's keys.
    pub(super) fn of(&self, owner: &OwnerId) -> impl Iterator<Item = &ApiKey> {
        self.owned.get(owner).into_iter().flatten().filter_map(|id| self.keys.get(id))
    }

    /// The keys of all owners.
    pub(super) fn all(&self) -> impl Iterator<Item = &ApiKey> {
        self.keys.values()
    }

    fn digest_of(&self, id: KeyId) -> Option<CredentialDigest> {
        self.ids.iter().find_map(|(digest, other)| (*other == id).then_some(*digest))
    }

    /// Revokes the key, and returns whether it was not revoked before.
    fn revoke(&mut self, id: KeyId, digest: CredentialDigest, at: Timestamp, changes: &MemoryChangeFeed) -> bool {
        let Some(key) = self.keys.get_mut(&id) else { return false };
        changes.report([digest]);
        let is_new = key.revoked_at.is_none();
        key.revoked_at.get_or_insert(at);
        is_new
    }

    fn list(&self, owner: &OwnerId, view: ListView) -> Vec<ApiKey> {
        view.select(self.of(owner).cloned())
    }

    /// Deletes every key of the owner, and returns how many.
    pub(super) fn erase(&mut self, owner: &OwnerId) -> u32 {
        let theirs = self.owned.remove(owner).unwrap_or_default();
        self.keys.retain(|id, _| !theirs.contains(id));
        self.ids.retain(|_, id| !theirs.contains(id));
        u32::try_from(theirs.len()).unwrap_or(u32::MAX)
    }

    fn purge_ended(&mut self, before: Timestamp, max: u32) -> u32 {
        let past = self.keys.extract_if(.., |_, key| key.ended_at(before).is_some_and(|ended_at| ended_at < before));
        let past: HashSet<KeyId> = past.take(max as usize).map(|(id, _)| id).collect();
        self.ids.retain(|_, id| !past.contains(id));
        for owned in self.owned.values_mut() {
            owned.retain(|id| !past.contains(id));
        }
        u32::try_from(past.len()).unwrap_or(max)
    }
}

impl MemoryKeyStore {
    /// A store that reports its changes to this feed.
    pub fn reporting_to(changes: MemoryChangeFeed) -> Self {
        Self { changes, ..Self::default() }
    }

    /// The store, which writes to this audit log from now on.
    #[must_use]
    pub fn writing_to(self, audit: MemoryAuditLog) -> Self {
        Self { audit, ..self }
    }

    /// The store, which obeys these records from now on.
    #[must_use]
    pub fn obeying(self, owners: MemoryOwners) -> Self {
        Self { owners, ..self }
    }

    /// The keys, which other stores look at.
    pub(super) fn keys(&self) -> Arc<Mutex<Tables>> {
        Arc::clone(&self.tables)
    }
}

#[async_trait]
impl KeyStore for MemoryKeyStore {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        let &InsertKeyRequest { ref key, digest, view, ref cause, .. } = request;
        let mut tables = lock(&self.tables);
        let limit = request.limit.of(self.owners.limits(&key.owner));
        let active = tables.of(&key.owner).filter(|other| other.is_active(limit.at)).count() as u64;
        if active >= limit.max.into() {
            return Ok(Insertion::LimitReached { max: limit.max });
        }
        tables.insert(key, &digest)?;
        self.audit.write([cause.key_created(key)].into_iter().chain(cause.key_limit_reached(key, active, limit)));
        Ok(Insertion::Stored(tables.list(&key.owner, view)))
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Ok(lock(&self.tables).list(owner, view))
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let &RevokeKeyRequest { ref owner, id, at, view, ref cause } = request;
        let mut tables = lock(&self.tables);
        match (tables.keys.get(&id), tables.digest_of(id)) {
            (Some(key), _) if key.owner != *owner => Ok(Revocation::NotOwned),
            (Some(_), Some(digest)) => {
                let is_new = tables.revoke(id, digest, at, &self.changes);
                let keys = tables.list(owner, view);
                if is_new {
                    self.audit.write(cause.key_revoked(id, owner, &keys, at));
                }
                Ok(Revocation::Revoked { digest, keys })
            }
            _ => Ok(Revocation::NotFound),
        }
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let &RotateKeyRequest { ref owner, id, ref rotation, digest, view, ref cause } = request;
        let mut tables = lock(&self.tables);
        let (key, replaced) = match (tables.keys.get(&id), tables.digest_of(id)) {
            (Some(key), _) if key.owner != *owner => return Ok(Rotation::NotOwned),
            (Some(key), Some(replaced)) => (key, replaced),
            _ => return Ok(Rotation::NotFound),
        };
        let overlapping = tables.of(owner).filter(|key| key.is_being_replaced(rotation.at)).count();
        let before = key.clone();
        let rotation = rotation.of(self.owners.limits(owner));
        let rotated = match rotation.decide(&before, u32::try_from(overlapping).unwrap_or(u32::MAX)) {
            Ok(rotated) => rotated,
            Err(refusal) => return Ok(Rotation::Refused(refusal)),
        };
        tables.insert(&rotated.successor, &digest)?;
        self.audit.write([cause.key_rotated(&before, &rotated)]);
        tables.keys.insert(id, rotated.replaced);
        self.changes.report([replaced]);
        Ok(Rotation::Rotated { replaced, keys: tables.list(owner, view) })
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        let &ChangeKeyRequest { ref owner, id, ref change, at, ref cause } = request;
        let mut tables = lock(&self.tables);
        let (before, digest) = match (tables.keys.get(&id), tables.digest_of(id)) {
            (Some(key), _) if key.owner != *owner => return Ok(ChangedKey::NotOwned),
            (Some(key), Some(digest)) => (key, digest),
            _ => return Ok(ChangedKey::NotFound),
        };
        let key = match change.decide(before, at) {
            Ok(key) if key == *before => return Ok(ChangedKey::Unchanged(Box::new(key))),
            Ok(key) => key,
            Err(refusal) => return Ok(ChangedKey::Refused(refusal)),
        };
        self.audit.write(cause.key_changed(before, &key));
        tables.keys.insert(id, key.clone());
        self.changes.report([digest]);
        Ok(ChangedKey::Changed { digest, key: Box::new(key) })
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        let &RevokeDigestsRequest { ref digests, at, ref cause } = request;
        let mut tables = lock(&self.tables);
        let (mut revoked, mut leaked) = (Vec::new(), Vec::new());
        for digest in digests.iter().collect::<HashSet<_>>() {
            if let Some(id) = tables.ids.get(digest).copied() {
                let is_new = tables.revoke(id, *digest, at, &self.changes);
                revoked.extend(tables.keys.get(&id).map(|key| (*digest, key.clone())));
                leaked.extend(tables.keys.get(&id).filter(|_| is_new).cloned());
            }
        }
        self.audit.write(cause.keys_leaked(&leaked));
        Ok(revoked)
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        let &RevokeUserKeysRequest { ref of, created_before, at, max, ref cause } = request;
        let mut tables = lock(&self.tables);
        let left = tables.all().filter(|key| {
            of.has(&key.owner, key.created_by.as_ref()) && key.revoked_at.is_none() && key.created_at < created_before
        });
        let keys: Vec<&ApiKey> = left.take(max as usize).collect();
        self.audit.write(cause.keys_revoked(keys.iter().map(|key| (key.owner.clone(), key.id))));
        let ids: Vec<KeyId> = keys.into_iter().map(|key| key.id).collect();
        let revoke = |id| {
            let digest = tables.digest_of(id)?;
            tables.revoke(id, digest, at, &self.changes).then_some(digest)
        };
        Ok(ids.into_iter().filter_map(revoke).collect())
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        let tables = lock(&self.tables);
        let place = |key: &&ApiKey| key.expires_at.map(|at| (at, key.id));
        let is_shown = |key: &&ApiKey| key.revoked_at.is_none() && key.replaced_by.is_none();
        let expiring = tables.keys.values().filter(is_shown);
        let mut found: Vec<&ApiKey> = expiring
            .filter(|key| place(key).is_some_and(|place| place > request.after && place.0 <= request.until))
            .collect();
        found.sort_by_key(place);
        Ok(found.into_iter().take(request.max as usize).cloned().collect())
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for MemoryKeyStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        let tables = lock(&self.tables);
        let find = |digest: &CredentialDigest| {
            let key = tables.keys.get(tables.ids.get(digest)?)?;
            Some(self.owners.looked_up(&key.owner, *digest, key.clone()))
        };
        digests.iter().filter_map(find).collect()
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        let mut tables = lock(&self.tables);
        for used in uses {
            if let Some(key) = tables.keys.get_mut(&used.id) {
                key.last_used_at = key.last_used_at.max(Some(used.at));
            }
        }
        Ok(())
    }
}

#[async_trait]
impl KeyUsageStore for MemoryKeyStore {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        lock(&self.tables).usage.add(usage);
        Ok(())
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        let tables = lock(&self.tables);
        let is_theirs = tables.keys.get(&request.id).is_some_and(|key| key.owner == request.owner);
        Ok(is_theirs.then(|| tables.usage.of(&[request.id], request.hours)))
    }
}

#[async_trait]
impl Retention for MemoryKeyStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut tables = lock(&self.tables);
        Ok(match what {
            Retained::Keys => tables.purge_ended(before, max),
            Retained::KeyUsage => tables.usage.purge(Hour::of(before), max),
            _ => 0,
        })
    }
}

#[async_trait]
impl ChangeFeed for MemoryKeyStore {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        self.changes.changes_since(since, max).await
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        self.changes.forget_changes(before).await
    }
}

#[async_trait]
impl ReadinessCheck for MemoryKeyStore {
    async fn check(&self) -> Result<(), NotReady> {
        Ok(())
    }
}
