use async_trait::async_trait;
use diesel::deserialize::QueryableByName;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use domain::ports::{ChangeFeed, CredentialChanges, FeedPosition, FeedRead, StoreError};
use domain::{CredentialDigest, Timestamp};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};

/// The current run of the server: its cluster, the start of its postmaster, and its last recovery from a crash.
///
/// Positions are comparable only within one run of one server. A promoted standby, or a server that recovers, may use
/// the number of an unsaved transaction again. The start of the postmaster is not enough: if a single backend crashes,
/// the server recovers, but the postmaster keeps running. A recovery always resets the statistics.
macro_rules! server_run {
    () => {
        "concat_ws(':', (SELECT system_identifier FROM pg_control_system()),
            extract(epoch FROM pg_postmaster_start_time()),
            extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()))"
    };
}

/// The changes that were committed between the snapshot `$1` and the snapshot of this statement: a transaction that was
/// running at `$1` is not visible in `$1`, however long it has run. Rows with the number of a later transaction were
/// restored from another server. Returns at least one row, with the position. See decision 42.
const CHANGES_SINCE: &str = concat!(
    "SELECT ",
    server_run!(),
    " AS server, pg_current_snapshot()::text AS snapshot, pg_is_in_recovery() AS is_standby, change.digest,
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS unix_millis
    FROM (SELECT $1::pg_snapshot AS last) AS since LEFT JOIN LATERAL (
        SELECT digest FROM credential_changes
        WHERE transaction_id >= pg_snapshot_xmin(since.last) AND NOT pg_visible_in_snapshot(transaction_id, since.last)
            AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())
        LIMIT $2
    ) AS change ON true"
);

/// Deletes changes from before the snapshot. Instances that delete at the same time skip each other's rows.
const FORGET: &str = concat!(
    "DELETE FROM credential_changes WHERE (transaction_id, digest) IN (
        SELECT transaction_id, digest FROM credential_changes
        WHERE transaction_id < pg_snapshot_xmin($1::pg_snapshot) AND $2 = ",
    server_run!(),
    " ORDER BY transaction_id LIMIT $3 FOR UPDATE SKIP LOCKED
    )"
);

/// The most changes that one statement deletes, which takes about 100 ms.
const FORGOTTEN_MAX: i64 = 50_000;

#[async_trait]
impl ChangeFeed for PostgresStore {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        self.run_on_feed(&ChangesSince { since: since.and_then(Place::of), max }).await
    }

    /// Returns after a notification, and after the listening connection was lost and opened again. For one reader at a
    /// time: each notification wakes one reader.
    async fn hint(&self) {
        self.change_signal.wait_for_keys().await;
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        match Place::of(before) {
            Some(before) => self.run(&Forget { before }).await,
            None => Ok(()),
        }
    }
}

/// The content of a [`FeedPosition`] of this adapter: the server's run, and the snapshot of a read.
#[derive(Clone, Copy)]
struct Place<'a> {
    server: &'a str,
    snapshot: &'a str,
}

impl<'a> Place<'a> {
    fn of(position: &'a FeedPosition) -> Option<Self> {
        let (server, snapshot) = position.as_str().split_once(' ')?;
        Some(Self { server, snapshot })
    }
}

struct ChangesSince<'a> {
    since: Option<Place<'a>>,
    max: u32,
}

#[derive(QueryableByName)]
struct FeedRow {
    #[diesel(sql_type = Text)]
    server: String,
    #[diesel(sql_type = Text)]
    snapshot: String,
    #[diesel(sql_type = Bool)]
    is_standby: bool,
    #[diesel(sql_type = Nullable<Binary>)]
    digest: Option<Vec<u8>>,
    #[diesel(sql_type = BigInt)]
    unix_millis: i64,
}

impl Work for ChangesSince<'_> {
    type Answer = FeedRead;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<FeedRead, Failure> {
        let query = diesel::sql_query(CHANGES_SINCE)
            .bind::<Nullable<Text>, _>(self.since.map(|since| since.snapshot))
            .bind::<BigInt, _>(i64::from(self.max) + 1);
        let rows: Vec<FeedRow> = Kept(query).load(&mut &*connection).await?;
        let first = rows.as_slice().first().ok_or(Error::NotFound)?;
        if first.is_standby {
            return Err(standby());
        }
        let position = FeedPosition::new(format!("{} {}", first.server, first.snapshot));
        let is_listed = self.since.is_some_and(|since| since.server == first.server) && rows.len() <= self.max as usize;
        let listed = if is_listed { digests(&rows) } else { None };
        let changes = listed.map_or(CredentialChanges::OfAny, CredentialChanges::Of);
        let at = Timestamp::from_unix_millis(first.unix_millis).unwrap_or(Timestamp::MIN);
        Ok(FeedRead { changes, position, at })
    }
}

/// The digests; `None` if a change is of a kind that this version does not know, which must not stop the feed.
fn digests(rows: &[FeedRow]) -> Option<Vec<CredentialDigest>> {
    let stored = rows.iter().filter_map(|row| row.digest.as_deref());
    stored.map(|digest| digest.try_into().map(CredentialDigest::from_bytes).ok()).collect()
}

/// A standby may be behind without limit. This failure closes the connection, so that the next attempt finds the
/// primary.
fn standby() -> Failure {
    let refusal = Box::new("the server is a standby".to_owned());
    Failure::Undone(Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, refusal))
}

struct Forget<'a> {
    before: Place<'a>,
}

impl Work for Forget<'_> {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let deletion = diesel::sql_query(FORGET)
            .bind::<Text, _>(self.before.snapshot)
            .bind::<Text, _>(self.before.server)
            .bind::<BigInt, _>(FORGOTTEN_MAX);
        Kept(deletion).execute(&mut &*connection).await?;
        Ok(())
    }
}
