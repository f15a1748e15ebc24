use async_trait::async_trait;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sessions::{COUNT_GOOD, SessionRow, list_sessions, seen_since};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{CountRow, Kept, StoredInstant, statement, values_of};
use domain::audit::Cause;
use domain::ports::{CredentialStore, Found, SessionStore, StoreError};
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};

use super::end_session::{End, Which};
use super::find_sessions::{FindByDigest, FindByDigests};
use super::open_session::Open;
use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::record_uses::RecordUses;

#[async_trait]
impl SessionStore for PostgresStore {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let ended = self.run_in_turn(&session.owner, &Open { session, digest, max, cause }).await?;
        self.notify_if(!ended.is_empty());
        Ok(ended)
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.run(&List { owner, at }).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        let ended = self.run(&End { owner, which: Which::One(id), cause }).await?.pop();
        self.notify_if(ended.is_some());
        Ok(ended)
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let ended = self.run(&End { owner, which: Which::AllExcept(kept), cause }).await?;
        self.notify_if(!ended.is_empty());
        Ok(ended)
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.run(&CountGood { at, max }).await
    }
}

#[async_trait]
impl CredentialStore<Session> for PostgresStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        let found = match digests {
            [digest] => self.run_look_up(&FindByDigest(digest)).await,
            digests => self.run_look_up(&FindByDigests(digests)).await,
        };
        Found::of(found)
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        if uses.is_empty() {
            return Ok(());
        }
        self.run(&RecordUses::of_sessions(uses)).await
    }
}

struct List<'a> {
    owner: &'a OwnerId,
    at: Timestamp,
}

impl Work for List<'_> {
    type Answer = Vec<Session>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<Session>, Failure> {
        let rows: Vec<SessionRow> = list_sessions(self.owner, self.at).load(&mut &*connection).await?;
        Ok(values_of(rows)?)
    }
}

struct CountGood {
    at: Timestamp,
    max: u32,
}

impl Work for CountGood {
    type Answer = u32;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<u32, Failure> {
        let query = statement(COUNT_GOOD)
            .bind::<BigInt, i64>(self.max.into())
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Instant, StoredInstant>(seen_since(self.at));
        let row: CountRow = Kept(query).get_result(&mut &*connection).await?;
        Ok(u32::try_from(row.count).unwrap_or(self.max))
    }
}
