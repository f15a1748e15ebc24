//! The questions of `gatepost doctor` to the server, which no call needs.

use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{CountRow, statement};
use domain::ports::StoreError;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::claimers::{Claimers, count_present};

/// The settings of the server that promises and pools depend on. Standbys are counted, and not their states, which only
/// members of `pg_monitor` see.
const REPORT: &str = "SELECT current_database()::text AS database, current_user::text AS role,
        least(
            current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
            (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
            (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
        )::bigint AS connections_max,
        (SELECT count(*) FROM pg_stat_activity
            WHERE datname <> current_database() OR (datname IS NOT NULL AND usename <> current_user)
        ) AS connections_of_others,
        current_setting('fsync') = 'on' AS fsync,
        current_setting('full_page_writes') = 'on' AS full_page_writes,
        current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('synchronous_standby_names') AS synchronous_standby_names,
        (SELECT count(*) FROM pg_stat_replication) AS standbys";

/// The settings and the state of the server.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct ServerReport {
    /// The name of the database.
    #[diesel(sql_type = Text)]
    pub database: String,
    /// The role of the connections.
    #[diesel(sql_type = Text)]
    pub role: String,
    /// How many connections this role may open to this database, at most.
    #[diesel(sql_type = BigInt)]
    pub connections_max: i64,
    /// Open connections of other roles and to other databases.
    #[diesel(sql_type = BigInt)]
    pub connections_of_others: i64,
    /// Instances that run on this database.
    #[diesel(sql_type = BigInt)]
    pub instances: i64,
    /// Whether the server waits until its files are on disk.
    #[diesel(sql_type = Bool)]
    pub fsync: bool,
    /// Whether the log has whole pages, so that a page that was half written can be restored.
    #[diesel(sql_type = Bool)]
    pub full_page_writes: bool,
    /// Whether a commit waits: `on`, `off`, `local`, `remote_write` or `remote_apply`.
    #[diesel(sql_type = Text)]
    pub synchronous_commit: String,
    /// The standbys for which each commit waits; empty without one.
    #[diesel(sql_type = Text)]
    pub synchronous_standby_names: String,
    /// Standbys that are connected.
    #[diesel(sql_type = BigInt)]
    pub standbys: i64,
}

impl PostgresStore {
    /// Reads the settings of the server.
    ///
    /// # Errors
    ///
    /// When the server does not answer.
    pub async fn server_report(&self) -> Result<ServerReport, StoreError> {
        self.run(&ReadReport { claimers: &self.claimers }).await
    }

    /// Whether the server tells its timeline, as far as a connection has asked it. Otherwise a former primary is not
    /// recognized.
    pub fn tells_timeline(&self) -> bool {
        !self.server.timelines().are_refused()
    }

    /// Counts ended deliveries in the queue, up to `max`. The queue should have none.
    ///
    /// # Errors
    ///
    /// When the server does not answer.
    pub async fn count_ended_in_queue(&self, max: i64) -> Result<i64, StoreError> {
        self.run(&CountEndedInQueue { max }).await
    }
}

/// Ended deliveries in the queue, up to `$1`. See decision 105.
const COUNT_ENDED_IN_QUEUE: &str = "SELECT count(*) AS count FROM (
        SELECT FROM webhook_due AS due CROSS JOIN LATERAL (
            SELECT FROM webhook_deliveries
            WHERE subscription_id = due.subscription_id AND id = due.delivery_id OFFSET 0
        ) AS ended
        LIMIT $1
    ) AS doubled";

struct CountEndedInQueue {
    max: i64,
}

impl Work for CountEndedInQueue {
    type Answer = i64;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<i64, Failure> {
        let query = statement(COUNT_ENDED_IN_QUEUE).bind::<BigInt, _>(self.max);
        Ok(query.get_result::<CountRow>(&mut &*connection).await?.count)
    }
}

struct ReadReport<'a> {
    claimers: &'a Claimers,
}

impl Work for ReadReport<'_> {
    type Answer = ServerReport;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<ServerReport, Failure> {
        let instances = count_present(connection, self.claimers).await?;
        let report = statement(format!("{REPORT}, $1 AS instances")).bind::<BigInt, _>(instances);
        Ok(report.get_result(&mut &*connection).await?)
    }
}
