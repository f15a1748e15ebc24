use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::ports::{ActiveLimit, Insertion, KeyStore, Revocation, Rotation, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyRotation, KeyUse, ListView, Timestamp, UserId};

use crate::file::{self, Row, Rows};

/// Keys in a map, and the map in a text file, a line for each key. Every change replaces the file as a whole.
pub(crate) struct TextFileStore {
    path: PathBuf,
    rows: Mutex<Rows>,
}

type Answer<T> = Result<T, StoreError>;

impl TextFileStore {
    /// Reads the file, if there is one.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let rows = Mutex::new(file::read(&path)?);
        Ok(Self { path, rows })
    }

    /// Each method holds this lock and never awaits, so it is atomic, and dropping its future cannot cut it in half.
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the changes in a copy, which becomes durable first, and visible then.
    fn change<T>(&self, change: impl FnOnce(&mut Rows) -> Answer<T>) -> Answer<T> {
        let mut rows = self.rows();
        let mut changed = rows.clone();
        let answer = change(&mut changed)?;
        if changed != *rows {
            file::replace(&self.path, &changed).map_err(|error| StoreError::Unavailable(error.into()))?;
            *rows = changed;
        }
        Ok(answer)
    }
}

fn keys_of<'a>(rows: &'a Rows, owner: &'a UserId) -> impl Iterator<Item = ApiKey> + 'a {
    rows.values().map(|(key, _)| key).filter(move |key| key.owner == *owner).cloned()
}

fn store(rows: &mut Rows, key: &ApiKey, digest: &KeyDigest) -> Answer<()> {
    if rows.values().any(|(other, taken)| other.id == key.id || taken == digest) {
        return Err(StoreError::Duplicate { what: "id or digest" });
    }
    rows.insert(key.id, (key.clone(), *digest));
    Ok(())
}

fn revoke((key, digest): &mut Row, at: Timestamp) -> KeyDigest {
    key.revoked_at.get_or_insert(at);
    *digest
}

#[async_trait]
impl KeyStore for TextFileStore {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Answer<Insertion> {
        self.change(|rows| {
            if keys_of(rows, &key.owner).filter(|key| key.is_active(limit.at)).count() >= limit.max as usize {
                return Ok(Insertion::LimitReached);
            }
            store(rows, key, digest)?;
            Ok(Insertion::Stored(view.select(keys_of(rows, &key.owner))))
        })
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Answer<Vec<ApiKey>> {
        Ok(view.select(keys_of(&self.rows(), owner)))
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Answer<Revocation> {
        self.change(|rows| {
            let digest = match rows.get_mut(&id) {
                None => return Ok(Revocation::NotFound),
                Some((key, _)) if key.owner != *owner => return Ok(Revocation::NotOwned),
                Some(row) => revoke(row, at),
            };
            Ok(Revocation::Revoked { digest, keys: view.select(keys_of(rows, owner)) })
        })
    }

    async fn rotate(
        &self,
        owner: &UserId,
        id: KeyId,
        rotation: &KeyRotation,
        digest: &KeyDigest,
        view: ListView,
    ) -> Answer<Rotation> {
        self.change(|rows| {
            let overlapping = keys_of(rows, owner).filter(|key| key.is_being_replaced(rotation.at)).count();
            let (key, replaced) = match rows.get(&id) {
                None => return Ok(Rotation::NotFound),
                Some((key, _)) if key.owner != *owner => return Ok(Rotation::NotOwned),
                Some((key, digest)) => (key, *digest),
            };
            let rotated = match rotation.decide(key, u32::try_from(overlapping).unwrap_or(u32::MAX)) {
                Err(refusal) => return Ok(Rotation::Refused(refusal)),
                Ok(rotated) => rotated,
            };
            store(rows, &rotated.successor, digest)?;
            rows.insert(id, (rotated.replaced, replaced));
            Ok(Rotation::Rotated { replaced, keys: view.select(keys_of(rows, owner)) })
        })
    }

    async fn revoke_by_digests(&self, digests: &[KeyDigest], at: Timestamp) -> Answer<Vec<(KeyDigest, ApiKey)>> {
        self.change(|rows| {
            let leaked = rows.values_mut().filter(|(_, digest)| digests.contains(digest));
            Ok(leaked.map(|row| (revoke(row, at), row.0.clone())).collect())
        })
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Answer<Option<ApiKey>> {
        Ok(self.rows().values().find(|(_, stored)| stored == digest).map(|(key, _)| key.clone()))
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Answer<()> {
        self.change(|rows| {
            for used in uses {
                if let Some((key, _)) = rows.get_mut(&used.id) {
                    key.last_used_at = key.last_used_at.max(Some(used.at));
                }
            }
            Ok(())
        })
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Answer<u32> {
        self.change(|rows| {
            let past = rows.values().filter(|(key, _)| key.ended_at(before).is_some_and(|at| at < before));
            let past: Vec<KeyId> = past.map(|(key, _)| key.id).take(max as usize).collect();
            rows.retain(|id, _| !past.contains(id));
            Ok(u32::try_from(past.len()).unwrap_or(max))
        })
    }
}
