use std::collections::BTreeMap;

use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::sessions::SessionUse;
use domain::{CredentialUse, KeyId, KeyUse, SessionId, Timestamp};

use crate::attempt::{Failure, Work};

/// Never moves the time of the last use back. A row that would not change is neither locked nor written.
///
/// The uses come in the order of their ids, and the connection allows only joins that go through them one by one
/// ([`Purpose::Calls`](crate::server::Purpose)). So the rows are locked in that order, and two batches cannot deadlock, except
/// on Citus, whose nodes plan without these settings. An `ORDER BY` would make the server read the whole index of ids: the
/// connection allows no sort.
macro_rules! record_uses {
    ($table:literal, $column:literal) => {
        concat!(
            "UPDATE ",
            $table,
            " AS credential SET ",
            $column,
            " = used.at
            FROM (
                SELECT stored.id, noted.at
                FROM unnest($1, $2) AS noted (id, at)
                JOIN ",
            $table,
            " AS stored ON stored.id = noted.id
                WHERE stored.",
            $column,
            " IS NULL OR stored.",
            $column,
            " < noted.at
                FOR NO KEY UPDATE OF stored
            ) AS used
            WHERE credential.id = used.id
                AND (credential.",
            $column,
            " IS NULL OR credential.",
            $column,
            " < used.at)"
        )
    };
}

/// Moves the last uses forward. One statement, which may be repeated.
pub(crate) struct RecordUses<Id> {
    statement: &'static str,
    latest: BTreeMap<Id, Timestamp>,
}

impl RecordUses<KeyId> {
    /// The latest use of each key.
    pub(crate) fn of_keys(uses: &[KeyUse]) -> Self {
        Self { statement: record_uses!("api_keys", "last_used_at"), latest: CredentialUse::latest(uses) }
    }
}

impl RecordUses<SessionId> {
    /// The latest use of each session.
    pub(crate) fn of_sessions(uses: &[SessionUse]) -> Self {
        Self { statement: record_uses!("sessions", "seen_at"), latest: CredentialUse::latest(uses) }
    }
}

impl<Id: AsRef<[u8; 16]> + Sync> Work for RecordUses<Id> {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let ids: Vec<&[u8]> = self.latest.keys().map(|id| id.as_ref().as_slice()).collect();
        let instants: Vec<StoredInstant> = self.latest.values().map(|at| StoredInstant::from(*at)).collect();
        let update = statement(self.statement).bind::<Array<Binary>, _>(ids).bind::<Array<Instant>, _>(instants);
        Kept(update).execute(&mut &*connection).await?;
        Ok(())
    }
}
