use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::ports::{
    ActiveLimit, ChangeFeed, FeedPosition, FeedRead, Insertion, KeyChanges, KeyStore, NotReady, ReadinessCheck,
    RecentUses, Revocation, Rotation, StoreError,
};
use crate::{ApiKey, KeyDigest, KeyId, KeyRotation, KeyUse, ListView, Timestamp, UserId};

/// Keys in maps behind one lock. Each method holds the lock, and is therefore atomic.
#[derive(Debug, Default)]
pub struct MemoryKeyStore(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    /// Sorted, so that what a purge deletes depends on nothing but its arguments.
    keys: BTreeMap<KeyId, ApiKey>,
    ids: HashMap<KeyDigest, KeyId>,
    owned: HashMap<UserId, BTreeSet<KeyId>>,
    /// The digests of all changed keys. A position in the feed is how many changes there were.
    changes: Vec<KeyDigest>,
    /// How often the feed was read. This is the clock of this store: it moves by a millisecond with each read.
    feed_reads: i64,
}

impl Tables {
    fn insert(&mut self, key: &ApiKey, digest: &KeyDigest) -> Result<(), StoreError> {
        if self.keys.contains_key(&key.id) || self.ids.contains_key(digest) {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        self.keys.insert(key.id, key.clone());
        self.ids.insert(*digest, key.id);
        self.owned.entry(key.owner.clone()).or_default().insert(key.id);
        Ok(())
    }

    fn of(&self, owner: &UserId) -> impl Iterator<Item = &ApiKey> {
        self.owned.get(owner).into_iter().flatten().filter_map(|id| self.keys.get(id))
    }

    fn digest_of(&self, id: KeyId) -> Option<KeyDigest> {
        self.ids.iter().find_map(|(digest, other)| (*other == id).then_some(*digest))
    }

    fn revoke(&mut self, id: KeyId, digest: KeyDigest, at: Timestamp) {
        if let Some(key) = self.keys.get_mut(&id) {
            key.revoked_at.get_or_insert(at);
            self.changes.push(digest);
        }
    }

    fn list(&self, owner: &UserId, view: ListView) -> Vec<ApiKey> {
        view.select(self.of(owner).cloned())
    }
}

impl MemoryKeyStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl KeyStore for MemoryKeyStore {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError> {
        let mut tables = self.tables();
        if tables.of(&key.owner).filter(|other| other.is_active(limit.at)).count() >= limit.max as usize {
            return Ok(Insertion::LimitReached);
        }
        tables.insert(key, digest)?;
        Ok(Insertion::Stored(tables.list(&key.owner, view)))
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Ok(self.tables().list(owner, view))
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError> {
        let mut tables = self.tables();
        match (tables.keys.get(&id), tables.digest_of(id)) {
            (Some(key), _) if key.owner != *owner => Ok(Revocation::NotOwned),
            (Some(_), Some(digest)) => {
                tables.revoke(id, digest, at);
                Ok(Revocation::Revoked { digest, keys: tables.list(owner, view) })
            }
            _ => Ok(Revocation::NotFound),
        }
    }

    async fn rotate(
        &self,
        owner: &UserId,
        id: KeyId,
        rotation: &KeyRotation,
        digest: &KeyDigest,
        view: ListView,
    ) -> Result<Rotation, StoreError> {
        let mut tables = self.tables();
        let (key, replaced) = match (tables.keys.get(&id), tables.digest_of(id)) {
            (Some(key), _) if key.owner != *owner => return Ok(Rotation::NotOwned),
            (Some(key), Some(replaced)) => (key, replaced),
            _ => return Ok(Rotation::NotFound),
        };
        let overlapping = tables.of(owner).filter(|key| key.is_being_replaced(rotation.at)).count();
        let rotated = match rotation.decide(key, u32::try_from(overlapping).unwrap_or(u32::MAX)) {
            Ok(rotated) => rotated,
            Err(refusal) => return Ok(Rotation::Refused(refusal)),
        };
        tables.insert(&rotated.successor, digest)?;
        tables.keys.insert(id, rotated.replaced);
        tables.changes.push(replaced);
        Ok(Rotation::Rotated { replaced, keys: tables.list(owner, view) })
    }

    async fn revoke_by_digests(
        &self,
        digests: &[KeyDigest],
        at: Timestamp,
    ) -> Result<Vec<(KeyDigest, ApiKey)>, StoreError> {
        let mut tables = self.tables();
        let mut revoked = Vec::new();
        for digest in digests.iter().collect::<HashSet<_>>() {
            if let Some(id) = tables.ids.get(digest).copied() {
                tables.revoke(id, *digest, at);
                revoked.extend(tables.keys.get(&id).map(|key| (*digest, key.clone())));
            }
        }
        Ok(revoked)
    }

    async fn revoke_user_keys(
        &self,
        owner: &UserId,
        created_before: Timestamp,
        at: Timestamp,
        max: u32,
    ) -> Result<Vec<KeyDigest>, StoreError> {
        let mut tables = self.tables();
        let left = tables.of(owner).filter(|key| key.revoked_at.is_none() && key.created_at < created_before);
        let ids: Vec<KeyId> = left.map(|key| key.id).take(max as usize).collect();
        let revoke = |id| tables.digest_of(id).inspect(|digest| tables.revoke(id, *digest, at));
        Ok(ids.into_iter().filter_map(revoke).collect())
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError> {
        let tables = self.tables();
        Ok(tables.ids.get(digest).and_then(|id| tables.keys.get(id)).cloned())
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        let mut tables = self.tables();
        for used in uses {
            if let Some(key) = tables.keys.get_mut(&used.id) {
                key.last_used_at = key.last_used_at.max(Some(used.at));
            }
        }
        Ok(())
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut tables = self.tables();
        let past = tables.keys.values().filter(|key| key.ended_at(before).is_some_and(|ended_at| ended_at < before));
        let past: HashSet<KeyId> = past.map(|key| key.id).take(max as usize).collect();
        tables.keys.retain(|id, _| !past.contains(id));
        tables.ids.retain(|_, id| !past.contains(id));
        for owned in tables.owned.values_mut() {
            owned.retain(|id| !past.contains(id));
        }
        Ok(u32::try_from(past.len()).unwrap_or(max))
    }
}

#[async_trait]
impl ChangeFeed for MemoryKeyStore {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let mut tables = self.tables();
        tables.feed_reads += 1;
        let at = Timestamp::from_unix_millis(tables.feed_reads).unwrap_or(Timestamp::MAX);
        let new = since.and_then(|since| tables.changes.get(since.as_str().parse::<usize>().ok()?..));
        let changes = new.filter(|new| new.len() <= max as usize).map(<[KeyDigest]>::to_vec);
        let changes = changes.map_or(KeyChanges::OfAnyKey, KeyChanges::Of);
        Ok(FeedRead { changes, position: FeedPosition::new(tables.changes.len().to_string()), at })
    }

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl ReadinessCheck for MemoryKeyStore {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn check(&self) -> Result<(), NotReady> {
        Ok(())
    }
}

/// For callers that note no uses: no key has a recent use.
impl RecentUses for () {
    fn last_uses(&self, _: &[KeyId]) -> HashMap<KeyId, Timestamp> {
        HashMap::new()
    }
}
