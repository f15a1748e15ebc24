use std::cmp::Reverse;
use std::future::pending;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{ActiveLimit, Insertion, KeyStore, Revocation, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, KeyUse, Label, ListView, Timestamp, UserId};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::yield_now;

use crate::fault::Fault;

/// What lies between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// A small store that is right but for one fault.
pub(crate) struct Saboteur {
    fault: Fault,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rows: Vec<Row>,
    purged: Vec<Row>,
    /// Set while a call holds the lock of [`Fault::LeavesItsLockBehind`].
    held: bool,
}

#[derive(Clone)]
struct Row {
    key: ApiKey,
    digest: KeyDigest,
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

    fn is(&self, fault: Fault) -> bool {
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

    /// Lets others in between two steps that belong together, if this is the fault.
    async fn gap<'a>(&'a self, state: MutexGuard<'a, State>, fault: Fault) -> MutexGuard<'a, State> {
        if !self.is(fault) {
            return state;
        }
        drop(state);
        tokio::time::sleep(STATEMENT_DURATION).await;
        self.lock().await
    }

    /// A point at which the caller may go away, which leaves the lock behind if this is the fault.
    async fn suspend(&self, state: &mut State) {
        if self.is(Fault::LeavesItsLockBehind) {
            state.held = true;
            yield_now().await;
            state.held = false;
        }
    }

    fn as_written(&self, key: &ApiKey) -> ApiKey {
        let mut key = key.clone();
        match self.fault {
            Fault::LosesMilliseconds => {
                key.created_at = whole_second(key.created_at);
                key.last_used_at = key.last_used_at.map(whole_second);
                key.expires_at = key.expires_at.map(whole_second);
                key.revoked_at = key.revoked_at.map(whole_second);
            }
            Fault::ForgetsExpiry => key.expires_at = None,
            Fault::CutsLabelsAt64 => {
                let start: String = key.label.as_str().chars().take(64).collect();
                key.label = Label::parse(&start).expect("the start of a label is one");
            }
            _ => {}
        }
        key
    }

    fn same_owner(&self, one: &UserId, other: &UserId) -> bool {
        let joined = |user: &UserId| format!("{}{}", user.issuer(), user.subject());
        match self.fault {
            Fault::IgnoresIssuers => one.subject() == other.subject(),
            Fault::IgnoresCase => one.subject().eq_ignore_ascii_case(other.subject()) && one.issuer() == other.issuer(),
            Fault::TrimsSubjects => one.subject().trim() == other.subject().trim() && one.issuer() == other.issuer(),
            Fault::JoinsIssuerAndSubject => joined(one) == joined(other),
            _ => one == other,
        }
    }

    fn is_active(&self, key: &ApiKey, at: Timestamp) -> bool {
        let expired = |at| key.expires_at.is_some_and(|expires_at| expires_at <= at);
        match self.fault {
            Fault::CountsExpiredAtTheInstant => {
                key.revoked_at.is_none() && key.expires_at.is_none_or(|expires_at| expires_at >= at)
            }
            Fault::CountsRevoked => !expired(at),
            Fault::CountsRevokedAhead => !expired(at) && key.revoked_at.is_none_or(|revoked_at| revoked_at > at),
            _ => key.is_active(at),
        }
    }

    fn list_of(&self, state: &State, owner: &UserId, view: ListView) -> Vec<ApiKey> {
        let keys = state.rows.iter().map(|row| row.key.clone());
        let keys = keys.filter(|key| self.is(Fault::ListsEverybody) || self.same_owner(&key.owner, owner));
        let (mut shown, mut ended): (Vec<_>, Vec<_>) = keys.partition(|key| self.is_active(key, view.at));
        ended.sort_by_key(|key| match self.fault {
            Fault::PicksEndedByCreation => Reverse((Some(key.created_at), key.id)),
            Fault::EndsByRevocationBeforeExpiry => Reverse((key.revoked_at.or(key.expires_at), key.id)),
            _ => Reverse((key.ended_at(view.at), key.id)),
        });
        if !self.is(Fault::ListsAllEnded) {
            ended.truncate(view.ended_max as usize);
        }
        shown.append(&mut ended);
        shown.sort_by_key(|key| Reverse((key.created_at, key.id)));
        match self.fault {
            Fault::ListsOldestFirst => shown.reverse(),
            Fault::BreaksTiesBackwards => shown.sort_by_key(|key| (Reverse(key.created_at), key.id)),
            Fault::ListsEndedMaxInAll => shown.truncate(view.ended_max as usize),
            _ => {}
        }
        shown
    }

    /// Whether the row stands in the way of this key.
    fn collides(&self, row: &Row, key: &ApiKey, digest: &KeyDigest) -> bool {
        match self.fault {
            Fault::OverwritesStoredIds => row.digest == *digest,
            Fault::OverwritesStoredDigests => row.key.id == key.id,
            _ => row.key.id == key.id || row.digest == *digest,
        }
    }

    fn is_full(&self, state: &State, owner: &UserId, limit: ActiveLimit) -> bool {
        let counts = |row: &&Row| {
            let theirs = self.is(Fault::CountsEverybody) || self.same_owner(&row.key.owner, owner);
            theirs && self.is_active(&row.key, limit.at)
        };
        let counted = state.rows.iter().filter(counts).count();
        match self.fault {
            Fault::ForgetsTheLimit => false,
            Fault::CountsOneTooFew => counted > limit.max as usize,
            _ => counted >= limit.max as usize,
        }
    }

    /// The batch as the fault sees it.
    fn uses_taken(&self, uses: &[KeyUse]) -> Vec<KeyUse> {
        match self.fault {
            Fault::TakesAThousandUses => uses[..uses.len().min(1_000)].to_vec(),
            Fault::LastInBatchCounts => {
                let is_last = |index: usize| uses[index + 1..].iter().all(|later| later.id != uses[index].id);
                (0..uses.len()).filter(|index| is_last(*index)).map(|index| uses[index]).collect()
            }
            _ => uses.to_vec(),
        }
    }

    fn note(&self, key: &mut ApiKey, at: Timestamp) {
        match self.fault {
            Fault::UsesMoveBack => key.last_used_at = Some(at),
            Fault::UsesSkipRevoked if key.revoked_at.is_some() => {}
            _ => key.last_used_at = key.last_used_at.max(Some(at)),
        }
        if self.is(Fault::UsesRevive) {
            key.revoked_at = None;
        }
    }

    fn is_past(&self, key: &ApiKey, before: Timestamp) -> bool {
        let ended_at = key.ended_at(before);
        match self.fault {
            Fault::PurgesTheBoundary => ended_at.is_some_and(|ended_at| ended_at <= before),
            Fault::PurgesOnlyRevoked => key.revoked_at.is_some_and(|revoked_at| revoked_at < before),
            Fault::PurgesByCreation => key.created_at < before,
            Fault::PurgesOnlyOneOwner => {
                key.owner.subject() == "alice" && ended_at.is_some_and(|ended_at| ended_at < before)
            }
            _ => ended_at.is_some_and(|ended_at| ended_at < before),
        }
    }
}

#[async_trait]
impl KeyStore for Saboteur {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError> {
        if self.is(Fault::FailsInRaces) || self.is(Fault::IsFullInRaces) {
            let Ok(_alone) = self.state.try_lock() else {
                return if self.is(Fault::FailsInRaces) { Err(failure()) } else { Ok(Insertion::LimitReached) };
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
            let digest_now = if self.is(Fault::StoresDigestsLater) { KeyDigest::from_bytes([9; 32]) } else { *digest };
            state.rows.push(Row { key: key.clone(), digest: digest_now });
        }
        if full {
            return Ok(Insertion::LimitReached);
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

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Ok(self.list_of(&*self.lock().await, owner, view))
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError> {
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
        Ok(Revocation::Revoked(if self.is(Fault::AnswersWithTheListBefore) { before } else { after }))
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError> {
        let state = self.lock().await;
        let equal = |row: &&Row| match self.fault {
            Fault::ComparesHalfTheDigest => row.digest.as_bytes()[..16] == digest.as_bytes()[..16],
            Fault::HidesRevoked => row.digest == *digest && row.key.revoked_at.is_none(),
            _ => row.digest == *digest,
        };
        Ok(state.rows.iter().chain(&state.purged).find(equal).map(|row| row.key.clone()))
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

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
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
        let deleted = if self.is(Fault::MiscountsPurges) { max.min(3) } else { past.len() };
        if self.is(Fault::KeepsPurgedDigests) {
            state.purged.extend(past);
        }
        Ok(u32::try_from(deleted).expect("a few rows"))
    }
}

fn whole_second(at: Timestamp) -> Timestamp {
    let millis = at.unix_millis();
    Timestamp::from_unix_millis(millis - millis.rem_euclid(1_000)).unwrap_or(at)
}

fn failure() -> StoreError {
    StoreError::Unavailable("sabotage".into())
}
