use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable};
use diesel_mapping::owners::{StandingRow, looked_up};
use diesel_mapping::schema::sessions;
use diesel_mapping::sessions::{
    COUNT_GOOD, END_ALL, END_ONE, END_SURPLUS, NewSessionRow, SessionRow, list_sessions, seen_since, session_by_digest,
};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{
    CountRow, DigestRow, Kept, StoredInstant, digests_of, ids_of, owner_statement, statement, values_of,
};
use domain::audit::Cause;
use domain::ports::{CredentialStore, Found, LookedUp, SessionStore, StoreError};
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};

use crate::SqliteStore;
use crate::audit::write_events;
use crate::record_uses::SESSION_USES;
use crate::undo::Undo;

#[async_trait]
impl SessionStore for SqliteStore {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let (session, digest, cause) = (session.clone(), *digest, cause.clone());
        self.writer.write(move |connection| open_session(connection, &session, &digest, max, &cause)).await
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        let owner = owner.clone();
        let list = move |connection: &mut SqliteConnection| {
            let rows: Vec<SessionRow> = list_sessions(&owner, at).load(connection)?;
            Ok(values_of(rows)?)
        };
        self.readers.read(list).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        let (owner, cause) = (owner.clone(), cause.clone());
        let end = move |connection: &mut SqliteConnection| end_sessions(connection, END_ONE, &owner, Some(id), &cause);
        let ended = self.writer.write(end).await?;
        Ok(ended.into_iter().next())
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let (owner, cause) = (owner.clone(), cause.clone());
        self.writer.write(move |connection| end_sessions(connection, END_ALL, &owner, kept, &cause)).await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        let count = move |connection: &mut SqliteConnection| {
            let query = statement(COUNT_GOOD)
                .bind::<BigInt, i64>(max.into())
                .bind::<Instant, StoredInstant>(at.into())
                .bind::<Instant, StoredInstant>(seen_since(at));
            let row: CountRow = Kept(query).get_result(connection)?;
            Ok(u32::try_from(row.count).unwrap_or(max))
        };
        self.readers.read(count).await
    }
}

#[async_trait]
impl CredentialStore<Session> for SqliteStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        let digests = digests.to_vec();
        let find_all = move |connection: &mut SqliteConnection| {
            let mut found = Vec::new();
            for digest in digests {
                found.extend(find(connection, &digest)?);
            }
            Ok(found)
        };
        Found::of(self.readers.read(find_all).await)
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        self.write_uses(SESSION_USES, uses).await
    }
}

/// See [`SessionStore::open`]. No other write comes in between: SQLite has one writer
/// at a time.
fn open_session(
    connection: &mut SqliteConnection,
    session: &Session,
    digest: &CredentialDigest,
    max: u32,
    cause: &Cause,
) -> Result<Vec<CredentialDigest>, Undo> {
    diesel::insert_into(sessions::table).values(NewSessionRow::new(session, digest)).execute(connection)?;
    let surplus = owner_statement(END_SURPLUS, &session.owner)
        .bind::<Binary, _>(session.id.as_bytes().as_slice())
        .bind::<Instant, StoredInstant>(session.created_at.into())
        .bind::<Instant, StoredInstant>(seen_since(session.created_at))
        .bind::<Bool, _>(!session.role.signs_in())
        .bind::<BigInt, i64>(i64::from(max) - 1);
    let ended: Vec<DigestRow> = Kept(surplus).load(connection)?;
    let ids = ids_of("sessions", &ended, SessionId::from_bytes)?;
    write_events(connection, &cause.session_opened(session, ids))?;
    Ok(digests_of("sessions", &ended)?)
}

/// Ends sessions of one user by a statement that takes the owner and an id. See
/// [`SessionStore::end`] and [`SessionStore::end_all`].
fn end_sessions(
    connection: &mut SqliteConnection,
    deletion: &'static str,
    owner: &OwnerId,
    id: Option<SessionId>,
    cause: &Cause,
) -> Result<Vec<CredentialDigest>, Undo> {
    let id = id.as_ref().map(|id| id.as_bytes().as_slice());
    let deletion = owner_statement(deletion, owner).bind::<Nullable<Binary>, _>(id);
    let ended: Vec<DigestRow> = Kept(deletion).load(connection)?;
    let ids = ids_of("sessions", &ended, SessionId::from_bytes)?;
    write_events(connection, &cause.sessions_ended(owner, ids))?;
    Ok(digests_of("sessions", &ended)?)
}

fn find(connection: &mut SqliteConnection, digest: &CredentialDigest) -> Result<Option<LookedUp<Session>>, Undo> {
    let row: Option<(SessionRow, StandingRow)> = session_by_digest(digest).first(connection).optional()?;
    let Some((row, standing)) = row else { return Ok(None) };
    let session = Session::try_from(row)?;
    Ok(Some(looked_up(&session.owner.clone(), *digest, session, standing)?))
}
