use std::cmp::Reverse;
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::organizations::Memberships;
use domain::ports::{CredentialStore, Found, Retained, Retention, SessionStore, StoreError};
use domain::sessions::{SESSION_IDLE_MAX, Session, SessionRole, SessionUse, UserAgent};
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::yield_now;

use super::fault::Fault;

/// The time between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// A small correct store, except for one fault.
pub(crate) struct Saboteur {
    fault: Fault,
    rows: Mutex<Vec<Row>>,
    ended: Mutex<Vec<Row>>,
}

#[derive(Clone)]
struct Row {
    session: Session,
    digest: CredentialDigest,
}

type Rows<'a> = MutexGuard<'a, Vec<Row>>;

impl Saboteur {
    pub(crate) fn new(fault: Fault) -> Self {
        Self { fault, rows: Mutex::default(), ended: Mutex::default() }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// Lets other calls run between two steps that belong together, if this is the fault.
    async fn gap<'a>(&'a self, rows: Rows<'a>, fault: Fault) -> Rows<'a> {
        if !self.is(fault) {
            return rows;
        }
        drop(rows);
        tokio::time::sleep(STATEMENT_DURATION).await;
        self.rows.lock().await
    }

    fn as_written(&self, session: &Session) -> Session {
        let mut written = session.clone();
        match self.fault {
            Fault::LosesMilliseconds => {
                let millis = written.seen_at.unix_millis();
                written.seen_at = Timestamp::from_unix_millis(millis - millis.rem_euclid(1_000)).expect("a time");
            }
            Fault::ForgetsRoles => written.role = SessionRole::User,
            Fault::ForgetsMemberships => written.memberships = Ok(Memberships::default()),
            Fault::ForgetsAddresses => written.address = None,
            Fault::CutsUserAgents => {
                let cut = |agent: UserAgent| UserAgent::new(&agent.as_str().chars().take(64).collect::<String>());
                written.user_agent = written.user_agent.and_then(cut);
            }
            _ => {}
        }
        written
    }

    fn is_of(&self, session: &Session, owner: &OwnerId) -> bool {
        match self.fault {
            Fault::IgnoresIssuers => session.owner.subject() == owner.subject(),
            Fault::IgnoresCase => session.owner.subject().eq_ignore_ascii_case(owner.subject()),
            _ => session.owner == *owner,
        }
    }

    /// The digests of the sessions that end when this one is opened.
    fn surplus(&self, rows: &[Row], new: &Session, max: u32) -> Vec<CredentialDigest> {
        let at = new.created_at;
        let counts = |session: &Session| match self.fault {
            Fault::CountsEnded => true,
            Fault::CountsIdleAtTheInstant => is_good_at_the_instant(session, at),
            _ => session.is_good(at),
        };
        let is_alike = |role: &SessionRole| role.signs_in() == new.role.signs_in() || self.is(Fault::CountsLinks);
        let is_theirs = |session: &Session| self.is_of(session, &new.owner) && is_alike(&session.role);
        let theirs = rows.iter().filter(|row| is_theirs(&row.session) && counts(&row.session));
        let mut theirs: Vec<&Row> = theirs.collect();
        let order = |row: &&Row| match self.fault {
            Fault::EndsTheLeastSeen => Reverse((row.session.seen_at, row.session.id)),
            _ => Reverse((row.session.created_at, row.session.id)),
        };
        theirs.sort_by_key(order);
        let kept = match self.fault {
            Fault::ForgetsTheMaximum => usize::MAX,
            Fault::CountsOneTooFew => max as usize,
            _ => max as usize - 1,
        };
        if self.is(Fault::EndsTheNewOne) {
            return theirs.iter().skip(max as usize).map(|row| row.digest).collect();
        }
        theirs.iter().filter(|row| row.session.id != new.id).skip(kept).map(|row| row.digest).collect()
    }

    /// Deletes these rows, and returns their digests.
    async fn end_rows<'a>(&'a self, mut rows: Rows<'a>, digests: &[CredentialDigest]) -> Vec<CredentialDigest> {
        rows = self.gap(rows, Fault::FindsThenEnds).await;
        for digest in digests {
            if !self.is(Fault::EndsInName) {
                let (gone, left) = rows.drain(..).partition(|row| row.digest == *digest);
                *rows = left;
                self.ended.lock().await.extend::<Vec<Row>>(gone);
            }
            if self.is(Fault::EndsOneByOne) {
                yield_now().await;
            }
        }
        digests.to_vec()
    }
}

fn is_good_at_the_instant(session: &Session, at: Timestamp) -> bool {
    session.expires_at > at && session.seen_at.plus(SESSION_IDLE_MAX) >= at
}

#[async_trait]
impl SessionStore for Saboteur {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        _cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let mut rows = self.rows.lock().await;
        let new = self.as_written(session);
        let surplus_early = self.surplus(&rows, &new, max);
        if self.is(Fault::EndsBeforeItChecks) {
            rows.retain(|row| !surplus_early.contains(&row.digest));
        }
        let is_same_id = |row: &Row| row.session.id == new.id && !self.is(Fault::OverwritesIds);
        let is_same_digest = |row: &Row| row.digest == *digest && !self.is(Fault::OverwritesDigests);
        if rows.iter().any(|row| is_same_id(row) || is_same_digest(row)) {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        let counted = if self.is(Fault::CountsThenOpens) { Some(surplus_early) } else { None };
        rows = self.gap(rows, Fault::CountsThenOpens).await;
        rows.retain(|row| row.session.id != new.id && row.digest != *digest);
        rows.push(Row { session: new.clone(), digest: *digest });
        if self.is(Fault::OpensInTwoSteps) {
            drop(rows);
            yield_now().await;
            rows = self.rows.lock().await;
        }
        let surplus = counted.unwrap_or_else(|| self.surplus(&rows, &new, max));
        rows.retain(|row| !surplus.contains(&row.digest));
        let kept = rows.iter().filter(|row| row.session.owner == new.owner).map(|row| row.digest);
        Ok(if self.is(Fault::NamesWhatItKeeps) { kept.collect() } else { surplus })
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        let rows = self.rows.lock().await;
        let is_listed = |session: &&Session| {
            let is_theirs = self.is_of(session, owner) || self.is(Fault::ListsEverybody);
            let is_listed = session.role.signs_in() || self.is(Fault::ListsLinks);
            let is_good = match self.fault {
                Fault::ListsEnded => true,
                Fault::ListsIdleAtTheInstant => is_good_at_the_instant(session, at),
                _ => session.is_good(at),
            };
            is_theirs && is_good && is_listed
        };
        let mut listed: Vec<Session> = rows.iter().map(|row| &row.session).filter(is_listed).cloned().collect();
        listed.sort_by_key(|session| Reverse((session.created_at, session.id)));
        if self.is(Fault::ListsOldestFirst) {
            listed.reverse();
        }
        Ok(listed)
    }

    async fn end(
        &self,
        owner: &OwnerId,
        id: SessionId,
        _cause: &Cause,
    ) -> Result<Option<CredentialDigest>, StoreError> {
        let rows = self.rows.lock().await;
        let is_theirs = |row: &&Row| self.is_of(&row.session, owner) || self.is(Fault::EndsAnybodys);
        let Some(found) = rows.iter().filter(is_theirs).find(|row| row.session.id == id).map(|row| row.digest) else {
            return Ok(None);
        };
        let all = rows.iter().filter(is_theirs).map(|row| row.digest);
        let digests = if self.is(Fault::EndsAllOfTheOwner) { all.collect() } else { vec![found] };
        self.end_rows(rows, &digests).await;
        Ok(Some(found))
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        _cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let rows = self.rows.lock().await;
        let ends = |row: &&Row| match self.fault {
            Fault::EndsAllOfEverybody => Some(row.session.id) != kept,
            Fault::EndsTheKept => self.is_of(&row.session, owner),
            Fault::EndsAllButTheIdle if row.session.seen_at < row.session.created_at => false,
            _ => self.is_of(&row.session, owner) && Some(row.session.id) != kept,
        };
        let mut digests: Vec<CredentialDigest> = rows.iter().filter(ends).map(|row| row.digest).collect();
        let rows = self.gap(rows, Fault::ReadsThenEndsAll).await;
        digests.retain(|digest| rows.iter().any(|row| row.digest == *digest));
        Ok(self.end_rows(rows, &digests).await)
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        let rows = self.rows.lock().await;
        let is_counted = |session: &Session| match self.fault {
            Fault::CountsAllStored => true,
            Fault::CountsOnlyUnexpired => session.expires_at > at,
            Fault::CountsGoodAtTheirEnd => session.ends_at() >= at,
            _ => session.is_good(at),
        };
        let max = if self.is(Fault::IgnoresCountMax) { usize::MAX } else { max as usize };
        let good = rows.iter().take(max).filter(|row| is_counted(&row.session));
        Ok(u32::try_from(good.count()).expect("a few rows"))
    }
}

#[async_trait]
impl Retention for Saboteur {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        if what != Retained::Sessions {
            return Ok(0);
        }
        let mut rows = self.rows.lock().await;
        let is_past = |session: &Session| match self.fault {
            Fault::PurgesTheBoundary => session.ends_at() <= before,
            Fault::PurgesOnlyExpired => session.expires_at < before,
            Fault::PurgesOnlyIdle => session.seen_at.plus(SESSION_IDLE_MAX) < before,
            _ => session.ends_at() < before,
        };
        let max = if self.is(Fault::IgnoresPurgeMax) { usize::MAX } else { max as usize };
        let past = rows.iter().filter(|row| is_past(&row.session)).take(max);
        let past: Vec<CredentialDigest> = past.map(|row| row.digest).collect();
        rows = self.gap(rows, Fault::SelectsThenPurges).await;
        rows.retain(|row| !past.contains(&row.digest));
        Ok(u32::try_from(past.len()).expect("a few rows"))
    }
}

#[async_trait]
impl CredentialStore<Session> for Saboteur {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        let (rows, ended) = (self.rows.lock().await, self.ended.lock().await);
        let find = |digest: &CredentialDigest| {
            let equal = |row: &&Row| match self.fault {
                Fault::ComparesHalfTheDigest => row.digest.as_bytes()[..16] == digest.as_bytes()[..16],
                Fault::HidesEnded => row.digest == *digest && row.session.seen_at >= row.session.created_at,
                _ => row.digest == *digest,
            };
            let kept = || ended.iter().find(|row| self.is(Fault::KeepsEndedDigests) && row.digest == *digest);
            let found = rows.iter().find(equal).or_else(kept)?;
            let under = if self.is(Fault::FindsManyUnderOneDigest) { digests[0] } else { *digest };
            Some((under, found.session.clone()))
        };
        Found::from(Ok(digests.iter().filter_map(find).collect()))
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        let mut rows = self.rows.lock().await;
        let rows_read = rows.clone();
        rows = self.gap(rows, Fault::WritesWholeRows).await;
        if self.is(Fault::WritesWholeRows) {
            *rows = rows_read;
        }
        for used in uses {
            if self.is(Fault::UsesBringBack) {
                let (back, gone) = self.ended.lock().await.drain(..).partition(|row| row.session.id == used.id);
                rows.extend::<Vec<Row>>(back);
                *self.ended.lock().await = gone;
            }
            let Some(row) = rows.iter_mut().find(|row| row.session.id == used.id) else {
                if self.is(Fault::FailsOnUnknownUses) {
                    return Err(StoreError::Unavailable("sabotage".into()));
                }
                continue;
            };
            let is_last = uses.iter().rfind(|other| other.id == used.id) == Some(used);
            let seen_at = row.session.seen_at;
            row.session.seen_at = match self.fault {
                Fault::UsesMoveBack => used.at,
                Fault::LastInBatchCounts if !is_last => seen_at,
                _ => seen_at.max(used.at),
            };
            if self.is(Fault::UsesProlong) {
                row.session.expires_at = row.session.expires_at.plus(STATEMENT_DURATION);
            }
            if self.is(Fault::WritesUsesOneByOne) {
                yield_now().await;
            }
        }
        Ok(())
    }
}
