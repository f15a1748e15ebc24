use std::time::Duration;

use diesel::OptionalExtension;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::statement;
use domain::ports::HeldSnapshot;

use crate::attempt::{Failure, Work};

/// The obstacles to removing dead rows: sessions of this database with a snapshot or an open change, replication slots,
/// which have no time, and prepared transactions. The server ignores vacuums for this. Transactions of other roles are
/// only visible to members of `pg_read_all_stats`. See decision 61.
macro_rules! holders {
    () => {
        "(
            SELECT format('session %s (%s, %s)', pid, application_name, state) AS holder, kept.xmin, xact_start AS since
            FROM pg_stat_activity CROSS JOIN unnest(ARRAY[backend_xid, backend_xmin]) AS kept (xmin)
            WHERE kept.xmin IS NOT NULL AND pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'
                AND (datname = current_database() OR datname IS NULL)
            UNION ALL
            SELECT format('replication slot %s', slot_name), xmin, NULL FROM pg_replication_slots WHERE xmin IS NOT NULL
            UNION ALL
            SELECT format('prepared transaction %s', gid), transaction, prepared FROM pg_prepared_xacts
            WHERE database = current_database()
        ) AS holders"
    };
}

const FIND_AGE: &str = concat!(
    "SELECT COALESCE((extract(epoch FROM max(clock_timestamp() - since)) * 1000)::bigint, 0) AS millis FROM ",
    holders!()
);

/// Only if a thousand transactions have begun since.
const FIND_HOLDER: &str = concat!(
    "SELECT holder, xmin::text AS state FROM ",
    holders!(),
    " WHERE age(xmin) > 1000 ORDER BY age(xmin) DESC LIMIT 1"
);

/// How old the oldest snapshot is. One statement.
pub(super) struct FindSnapshotAge;

#[derive(QueryableByName)]
struct AgeRow {
    #[diesel(sql_type = BigInt)]
    millis: i64,
}

impl Work for FindSnapshotAge {
    type Answer = Duration;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Duration, Failure> {
        let row: AgeRow = statement(FIND_AGE).get_result(&mut &*connection).await?;
        Ok(Duration::from_millis(u64::try_from(row.millis).unwrap_or_default()))
    }
}

/// The holder of the oldest snapshot. One statement.
pub(super) struct FindSnapshotHolder;

#[derive(QueryableByName)]
struct HolderRow {
    #[diesel(sql_type = Text)]
    holder: String,
    #[diesel(sql_type = Text)]
    state: String,
}

impl Work for FindSnapshotHolder {
    type Answer = Option<HeldSnapshot>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let found = statement(FIND_HOLDER).get_result::<HolderRow>(&mut &*connection).await.optional()?;
        Ok(found.map(|row| HeldSnapshot { holder: row.holder, state: row.state }))
    }
}
