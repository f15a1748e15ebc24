use std::collections::{BTreeMap, HashSet};
use std::future::pending;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{
    ChangeKeyRequest, ChangedKey, CredentialStore, Found, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore,
    ListExpiringRequest, Retained, Retention, Revocation, RevokeDigestsRequest, RevokeKeyRequest,
    RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError, UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyId, KeyUsage, KeyUse, ListView, OwnerId, Timestamp, UsageCounts};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::yield_now;

use super::fault::Fault;

/// The time between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// A small correct store, except for one fault.
pub(crate) struct Saboteur {
    pub(crate) fault: Fault,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) rows: Vec<Row>,
    purged: Vec<Row>,
    usage: BTreeMap<(Hour, KeyId), UsageCounts>,
    /// The owner and the rows of a list that is being read, which some faults return for other lists.
    reading: Option<(OwnerId, Vec<Row>)>,
    /// Set while a call holds the lock of [`Fault::LeavesItsLockBehind`].
    held: bool,
}

#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) key: ApiKey,
    pub(crate) digest: CredentialDigest,
}

impl State {
    fn position(&self, id: KeyId) -> Option<usize> {
        self.rows.iter().position(|row| row.key.id == id)
    }
}

impl Saboteur {
    pub(crate) fn new(fault: Fault) -> Self {
        Self { fault, state: Mutex::default() }
    }

    pub(crate) fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    async fn lock(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock().await;
        if state.held {
            drop(state);
            return pending().await;
        }
        state
    }

    /// Lets other calls run between two steps that belong together, if this is the fault.
    async fn gap<'a>(&'a self, state: MutexGuard<'a, State>, fault: Fault) -> MutexGuard<'a, State> {
        if !self.is(fault) {
            return state;
        }
        drop(state);
        tokio::time::sleep(STATEMENT_DURATION).await;
        self.lock().await
    }

    /// A point at which the call may be dropped, which leaves the lock behind if this is the fault.
    async fn suspend(&self, state: &mut State) {
        if self.is(Fault::LeavesItsLockBehind) {
            state.held = true;
            yield_now().await;
            state.held = false;
        }
    }
}

#[async_trait]
impl KeyStore for Saboteur {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        let &InsertKeyRequest { ref key, ref digest, limit, view, .. } = request;
        if self.is(Fault::FailsInRaces) || self.is(Fault::IsFullInRaces) {
            let Ok(_alone) = self.state.try_lock() else {
                return if self.is(Fault::FailsInRaces) {
                    Err(failure())
                } else {
                    Ok(Insertion::LimitReached { max: limit.max })
                };
            };
            tokio::time::sleep(STATEMENT_DURATION).await;
        }
        let mut state = self.lock().await;
        let key = self.as_written(key);
        if state.rows.iter().any(|row| self.collides(row, &key, digest)) {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        state = self.gap(state, Fault::ChecksDuplicatesThenInserts).await;
        state.rows.retain(|row| row.key.id != key.id && row.digest != *digest);
        let full = self.is_full(&state, &key.owner, limit);
        state = self.gap(state, Fault::CountsThenInserts).await;
        let before = self.list_of(&state, &key.owner, view);
        if !full || self.is(Fault::StoresWhatItRefuses) {
            let digest_now =
                if self.is(Fault::StoresDigestsLater) { CredentialDigest::from_bytes([9; 32]) } else { *digest };
            state.rows.push(Row { key: key.clone(), digest: digest_now });
        }
        if full {
            return Ok(Insertion::LimitReached { max: limit.max });
        }
        if self.is(Fault::StoresDigestsLater) {
            yield_now().await;
            state.rows.last_mut().expect("the row just stored").digest = *digest;
        }
        self.suspend(&mut state).await;
        state = self.gap(state, Fault::ListsAfterCommit).await;
        let after = self.list_of(&state, &key.owner, view);
        Ok(Insertion::Stored(if self.is(Fault::AnswersWithTheListBefore) { before } else { after }))
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        let mut state = self.lock().await;
        if !self.is(Fault::MixesParallelLists) && !self.is(Fault::JoinsEarlierReads) {
            return Ok(self.list_of(&state, owner, view));
        }
        let now = (owner.clone(), state.rows.clone());
        let (first, rows) = state.reading.get_or_insert(now).clone();
        drop(state);
        tokio::time::sleep(STATEMENT_DURATION).await;
        self.lock().await.reading = None;
        let owner = if self.is(Fault::MixesParallelLists) { &first } else { owner };
        Ok(self.list_of(&State { rows, ..State::default() }, owner, view))
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let &RevokeKeyRequest { ref owner, id, at, view, .. } = request;
        let mut state = self.lock().await;
        let Some(index) = state.position(id) else {
            return Ok(if self.is(Fault::UnknownIsNotOwned) { Revocation::NotOwned } else { Revocation::NotFound });
        };
        let is_theirs = self.same_owner(&state.rows[index].key.owner, owner);
        if !is_theirs && !self.is(Fault::RevokesAnybodys) {
            return Ok(if self.is(Fault::HidesOthersKeys) { Revocation::NotFound } else { Revocation::NotOwned });
        }
        let before = self.list_of(&state, owner, view);
        let found = state.rows[index].key.clone();
        let hidden =
            self.is(Fault::RevokesOnlyUnexpired) && found.expires_at.is_some_and(|expires_at| expires_at <= at);
        state = self.gap(state, Fault::ChecksThenRevokes).await;
        if !hidden && (found.revoked_at.is_none() || self.is(Fault::OverwritesRevocations)) {
            state.rows[index].key.revoked_at = Some(at);
        }
        match self.fault {
            Fault::RevocationIsAUse => state.rows[index].key.last_used_at = Some(at),
            Fault::RevokesAllOfTheOwner => {
                let theirs = state.rows.iter_mut().filter(|row| row.key.owner == *owner);
                theirs.for_each(|row| row.key.revoked_at = row.key.revoked_at.or(Some(at)));
            }
            _ => {}
        }
        self.suspend(&mut state).await;
        let after = self.list_of(&state, owner, view);
        let keys = if self.is(Fault::AnswersWithTheListBefore) { before } else { after };
        Ok(Revocation::Revoked { digest: self.answered(state.rows[index].digest), keys })
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let &RotateKeyRequest { ref owner, id, ref rotation, ref digest, view, .. } = request;
        if self.is(Fault::FailsInRaces) {
            let Ok(_alone) = self.state.try_lock() else { return Err(failure()) };
            tokio::time::sleep(STATEMENT_DURATION).await;
        }
        let mut state = self.lock().await;
        let Some(index) = state.position(id) else {
            return Ok(if self.is(Fault::UnknownIsNotOwned) { Rotation::NotOwned } else { Rotation::NotFound });
        };
        let old = state.rows[index].clone();
        if !self.same_owner(&old.key.owner, owner) && !self.is(Fault::RotatesAnybodys) {
            return Ok(Rotation::NotOwned);
        }
        let before = self.list_of(&state, owner, view);
        let decided = self.decide(&state, owner, rotation, &old.key);
        state = self.gap(state, Fault::ChecksThenRotates).await;
        let rotated = match decided {
            Ok(rotated) => rotated,
            Err(refusal) => {
                if self.is(Fault::StoresRefusedSuccessors) {
                    state.rows.push(Row { key: ApiKey { id: rotation.successor, ..old.key }, digest: *digest });
                }
                return Ok(Rotation::Refused(refusal));
            }
        };
        let taken = state.rows.iter().any(|row| self.collides(row, &rotated.successor, digest));
        if !taken || self.is(Fault::MarksBeforeItChecks) {
            state.rows[index].key = rotated.replaced;
        }
        if taken {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        state = self.gap(state, Fault::RotatesInTwoSteps).await;
        self.suspend(&mut state).await;
        state.rows.retain(|row| row.key.id != rotation.successor && row.digest != *digest);
        state.rows.push(Row { key: rotated.successor, digest: *digest });
        let after = self.list_of(&state, owner, view);
        let keys = if self.is(Fault::AnswersWithTheListBefore) { before } else { after };
        Ok(Rotation::Rotated { replaced: self.answered(old.digest), keys })
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        let &ChangeKeyRequest { ref owner, id, ref change, at, .. } = request;
        let mut state = self.lock().await;
        let Some(index) = state.position(id) else { return Ok(ChangedKey::NotFound) };
        let Row { key: before, digest } = state.rows[index].clone();
        if !self.same_owner(&before.owner, owner) && !self.is(Fault::ChangesAnybodys) {
            return Ok(ChangedKey::NotOwned);
        }
        state = self.gap(state, Fault::ChecksThenChanges).await;
        let asked = if self.is(Fault::ChangesEnded) {
            ApiKey { revoked_at: None, expires_at: None, ..before.clone() }
        } else {
            before
        };
        let changed = match change.decide(&asked, at) {
            Ok(key) if key == asked => return Ok(ChangedKey::Unchanged(Box::new(key))),
            Ok(key) => self.as_written(&key),
            Err(refusal) => return Ok(ChangedKey::Refused(refusal)),
        };
        state.rows[index].key = changed.clone();
        Ok(ChangedKey::Changed { digest: self.answered(digest), key: Box::new(changed) })
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        let &RevokeDigestsRequest { ref digests, at, .. } = request;
        let mut state = self.lock().await;
        if self.is(Fault::RefusesLargeBatches) && digests.len() >= 1_000 {
            return Err(failure());
        }
        let (mut named, mut answer) = (HashSet::new(), Vec::new());
        for digest in digests.iter().filter(|digest| named.insert(**digest) || self.is(Fault::AnswersDigestsTwice)) {
            let Some(index) = state.rows.iter().position(|row| row.digest == *digest) else {
                if self.is(Fault::FailsOnUnknownDigests) {
                    return Err(failure());
                }
                continue;
            };
            let found = state.rows[index].key.clone();
            if self.is(Fault::RevokesDigestsOfOneOwner) && found.owner.subject() != "alice" {
                continue;
            }
            state = self.gap(state, Fault::ChecksThenRevokes).await;
            if found.revoked_at.is_none() || self.is(Fault::OverwritesRevocations) {
                state.rows[index].key.revoked_at = Some(at);
            }
            if self.is(Fault::RevokesDigestsOneByOne) {
                yield_now().await;
            }
            let after = state.rows[index].key.clone();
            answer.push((*digest, if self.is(Fault::AnswersWithTheListBefore) { found } else { after }));
        }
        Ok(answer)
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        let &RevokeUserKeysRequest { ref of, created_before, at, max, .. } = request;
        let mut state = self.lock().await;
        let max = if self.is(Fault::IgnoresRevokeMax) { usize::MAX } else { max as usize };
        let found = state.rows.iter().filter(|row| self.is_revoked_with_all(&row.key, of, created_before, at));
        let digests: Vec<CredentialDigest> = found.map(|row| row.digest).take(max).collect();
        state = self.gap(state, Fault::ChecksThenRevokes).await;
        for row in state.rows.iter_mut().filter(|row| digests.contains(&row.digest)) {
            row.key.revoked_at = Some(at);
            if self.is(Fault::RevokesDigestsOneByOne) {
                yield_now().await;
            }
        }
        Ok(digests)
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        let &ListExpiringRequest { after, until, max } = request;
        let state = self.lock().await;
        let max = if self.is(Fault::IgnoresExpiringMax) { usize::MAX } else { max as usize };
        let is_shown = |key: &&ApiKey| {
            (key.revoked_at.is_none() || self.is(Fault::WarnsOfRevokedKeys))
                && (key.replaced_by.is_none() || self.is(Fault::WarnsOfReplacedKeys))
        };
        let is_within = |(at, id): (Timestamp, KeyId)| {
            let is_later = if self.is(Fault::SkipsKeysOfOneInstant) { at > after.0 } else { (at, id) > after };
            is_later && if self.is(Fault::MissesTheLastInstant) { at < until } else { at <= until }
        };
        let place = |key: &ApiKey| key.expires_at.map(|at| (at, key.id));
        let keys = state.rows.iter().map(|row| &row.key).filter(is_shown);
        let mut found: Vec<ApiKey> = keys.filter(|key| place(key).is_some_and(is_within)).cloned().collect();
        if !self.is(Fault::ListsExpiringInAnyOrder) {
            found.sort_by_key(place);
        }
        found.truncate(max);
        Ok(found)
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for Saboteur {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        let state = self.lock().await;
        let find = |digest: &CredentialDigest| {
            let equal = |row: &&Row| match self.fault {
                Fault::ComparesHalfTheDigest => row.digest.as_bytes()[..16] == digest.as_bytes()[..16],
                Fault::HidesRevoked => row.digest == *digest && row.key.revoked_at.is_none(),
                Fault::FindsManyButTheRevoked => {
                    row.digest == *digest && (digests.len() == 1 || row.key.revoked_at.is_none())
                }
                _ => row.digest == *digest,
            };
            let found = state.rows.iter().chain(&state.purged).find(equal)?;
            let under = if self.fault == Fault::FindsManyUnderOneDigest { digests[0] } else { *digest };
            Some((under, found.key.clone()))
        };
        Found::from(Ok(digests.iter().filter_map(find).collect()))
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        let mut state = self.lock().await;
        if self.is(Fault::RefusesLargeBatches) && uses.len() > 1_000 {
            return Err(failure());
        }
        let rows_read = state.rows.clone();
        state = self.gap(state, Fault::WritesWholeRows).await;
        if self.is(Fault::WritesWholeRows) {
            state.rows = rows_read;
        }
        for used in self.uses_taken(uses) {
            match state.position(used.id) {
                Some(index) => self.note(&mut state.rows[index].key, used.at),
                None if self.is(Fault::FailsOnUnknownUses) => return Err(failure()),
                None => {}
            }
            if self.is(Fault::WritesUsesOneByOne) {
                yield_now().await;
            }
        }
        Ok(())
    }
}

#[async_trait]
impl KeyUsageStore for Saboteur {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        let mut state = self.lock().await;
        if self.is(Fault::RefusesLargeBatches) && usage.len() > 1_000 {
            return Err(failure());
        }
        let mut seen = HashSet::new();
        let seen = |one: &&KeyUsage| !self.is(Fault::CountsOncePerCall) || seen.insert((one.hour, one.id));
        for one in usage.iter().filter(seen) {
            let before = state.usage.get(&(one.hour, one.id)).copied().unwrap_or_default();
            state = self.gap(state, Fault::AddsInTwoSteps).await;
            let mut sum = if self.is(Fault::OverwritesCounts) { UsageCounts::default() } else { before };
            sum += one.counts;
            state.usage.insert((one.hour, one.id), sum);
            if self.is(Fault::AddsOneByOne) {
                yield_now().await;
            }
        }
        Ok(())
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        let &UsageRequest { ref owner, id, hours } = request;
        let state = self.lock().await;
        let is_shown = |row: &Row| self.is(Fault::ShowsAnybodysUsage) || row.key.owner == *owner;
        let is_hidden = |hour: Hour| self.is(Fault::HidesTheLastHour) && hour == hours.last;
        let known = state.position(id).is_some_and(|index| is_shown(&state.rows[index]));
        let counts = state.usage.iter().filter(|((hour, key), _)| *key == id && hours.contains(*hour));
        let counts = counts.filter(|((hour, _), _)| !is_hidden(*hour)).map(|((hour, _), counts)| (*hour, *counts));
        Ok(known.then(|| counts.collect()))
    }
}

#[async_trait]
impl Retention for Saboteur {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        match what {
            Retained::Keys => Ok(self.purge_ended(before, max).await),
            Retained::KeyUsage => Ok(self.purge_usage(Hour::of(before), max).await),
            _ => Ok(0),
        }
    }
}

impl Saboteur {
    async fn purge_ended(&self, before: Timestamp, max: u32) -> u32 {
        let mut state = self.lock().await;
        let max = if self.is(Fault::IgnoresPurgeMax) { usize::MAX } else { max as usize };
        let past = state.rows.iter().filter(|row| self.is_past(&row.key, before)).take(max);
        let past: Vec<Row> = past.cloned().collect();
        state = self.gap(state, Fault::SelectsThenPurges).await;
        for purged in &past {
            state.rows.retain(|row| row.key.id != purged.key.id);
            if self.is(Fault::PurgesOneByOne) {
                yield_now().await;
            }
        }
        if self.is(Fault::PurgeUnlinksSuccessors) {
            let gone = |id: KeyId| past.iter().any(|row| row.key.id == id);
            let heirs = state.rows.iter_mut().filter(|row| row.key.replaced_by.is_some_and(gone));
            heirs.for_each(|row| row.key.replaced_by = None);
        }
        let deleted = if self.is(Fault::MiscountsPurges) { max.min(3) } else { past.len() };
        if self.is(Fault::KeepsPurgedDigests) {
            state.purged.extend(past);
        }
        u32::try_from(deleted).expect("a few rows")
    }

    async fn purge_usage(&self, before: Hour, max: u32) -> u32 {
        let mut state = self.lock().await;
        let max = if self.is(Fault::IgnoresCountsMax) { usize::MAX } else { max as usize };
        let is_past = |hour: Hour| hour < before || (hour == before && self.is(Fault::PurgesTheHourItself));
        let past: Vec<_> = state.usage.keys().filter(|(hour, _)| is_past(*hour)).take(max).copied().collect();
        state.usage.retain(|key, _| !past.contains(key));
        u32::try_from(past.len()).expect("a few rows")
    }
}

fn failure() -> StoreError {
    StoreError::Unavailable("sabotage".into())
}
