use diesel::OptionalExtension;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use domain::ports::HeldSnapshot;

use crate::attempt::{Failure, Work};

/// What keeps the server from removing dead rows, if a thousand transactions have begun since: sessions of this database
/// with a snapshot or an open change, replication slots, and prepared transactions. The server ignores the snapshots of
/// vacuums for this. Sessions of other roles are visible to members of `pg_read_all_stats`. See decision 61.
const OLDEST: &str = "SELECT holder, xmin::text AS state FROM (
        SELECT format('session %s (%s, %s)', pid, application_name, state) AS holder, held.xmin
        FROM pg_stat_activity CROSS JOIN unnest(ARRAY[backend_xid, backend_xmin]) AS held (xmin)
        WHERE pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'
            AND (datname = current_database() OR datname IS NULL)
        UNION ALL SELECT format('replication slot %s', slot_name), xmin FROM pg_replication_slots
        UNION ALL SELECT format('prepared transaction %s', gid), transaction FROM pg_prepared_xacts
            WHERE database = current_database()
    ) AS held
    WHERE age(xmin) > 1000 ORDER BY age(xmin) DESC LIMIT 1";

/// Finds the oldest snapshot. One statement.
pub(super) struct FindOldestSnapshot;

impl Work for FindOldestSnapshot {
    type Answer = Option<HeldSnapshot>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let oldest = Kept(diesel::sql_query(OLDEST)).get_result::<SnapshotRow>(&mut &*connection).await.optional()?;
        Ok(oldest.map(|row| HeldSnapshot { holder: row.holder, state: row.state }))
    }
}

#[derive(QueryableByName)]
struct SnapshotRow {
    #[diesel(sql_type = Text)]
    holder: String,
    #[diesel(sql_type = Text)]
    state: String,
}
