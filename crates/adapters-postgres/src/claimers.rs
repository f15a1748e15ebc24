//! The processes that claim deliveries, and the ones that have ended. See decision 74.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{CountRow, StoredInstant, statement};
use domain::ports::VersionCount;
use tokio::time;

use crate::attempt::{Failure, Work};
use crate::shard::{Shard, is_true};
use crate::transaction::only_row;

/// The version of this process. All crates of the workspace have the same one.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first key of the advisory locks; the second is the number of the process. "gate" in ASCII. Each shard of a
/// database has another one, because it numbers its processes separately.
const LOCKS: i32 = 0x6761_7465;
/// How often a process looks for ended processes.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// A process without a lock that was not seen for this time counts as ended. A process that has only lost its
/// connection opens another one sooner.
const GONE_AFTER: Duration = Duration::from_secs(3);

/// Shared: a lost connection may still hold the lock when the process has opened another one.
const LOCK: &str = "SELECT FROM pg_advisory_lock_shared($1, $2)";
const REGISTER: &str = "INSERT INTO webhook_claimers (version) VALUES ($1) RETURNING number";
const REGISTER_AGAIN: &str = "INSERT INTO webhook_claimers (number, version) VALUES ($1, $2) ON CONFLICT DO NOTHING";
/// Where sessions are shared, a lock would be in the session of others. So each look writes its time there, by the
/// clock of the database. See decision 93.
const SEEN: &str = "INSERT INTO webhook_claimers (number, version, seen_at) VALUES ($1, $2, clock_timestamp())
    ON CONFLICT (number) DO UPDATE SET seen_at = excluded.seen_at";
/// How long a process counts as seen, with a margin.
pub(crate) const SEEN_FOR: Duration = Duration::from_millis(2_500);
/// The clock of the node that the instance is connected to, which also sets `seen_at`. In a statement with a table, Citus
/// reads the clock of the shard's node.
const CLOCK: &str = "SELECT clock_timestamp() AS at";
/// Whether a process was seen in the last two looks before `$2`, by [`CLOCK`], which may step back.
macro_rules! is_seen {
    () => {
        "abs(extract(epoch FROM $2 - seen_at)) < 2"
    };
}
/// The numbers of the processes that hold their lock; `$1` is the first key of the locks.
macro_rules! locked {
    () => {
        "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    };
}
/// Whether a process holds the lock of its number.
macro_rules! is_locked {
    () => {
        concat!("number::oid IN (", locked!(), ")")
    };
}
const ABSENT: &str = concat!(
    "SELECT number FROM webhook_claimers WHERE (seen_at IS NULL OR NOT ",
    is_seen!(),
    ") AND NOT ",
    is_locked!()
);
const VERSIONS: &str = concat!(
    "SELECT version, count(*) AS count FROM webhook_claimers WHERE ",
    is_seen!(),
    " OR ",
    is_locked!(),
    " GROUP BY version ORDER BY version"
);
/// Before migrations, no process was seen.
const HAS_TABLE: &str = "SELECT to_regclass('webhook_claimers') IS NOT NULL AS is_true";
const LOCKED: &str = concat!("SELECT count(DISTINCT objid) AS count FROM (", locked!(), ") AS locked");
const PRESENT: &str = concat!(
    "SELECT count(*) AS count FROM (",
    locked!(),
    " UNION SELECT number::oid FROM webhook_claimers WHERE ",
    is_seen!(),
    ") AS present"
);
/// The process that deletes the row ends the claims.
const FORGET: &str = "DELETE FROM webhook_claimers WHERE number = $1";

/// The number of a process that claims deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Claimer(i32);

impl Claimer {
    pub(crate) const fn number(self) -> i32 {
        self.0
    }
}

/// The number of this process, and the processes that it found ended.
#[derive(Clone)]
pub(crate) struct Claimers {
    /// The first key of their locks.
    locks: i32,
    own: Arc<OnceLock<Claimer>>,
    gone: Arc<Mutex<Vec<Claimer>>>,
}

impl Claimers {
    /// The claimers of this shard; `None` for a database that is not one of several shards.
    pub(crate) fn of(shard: Option<Shard>) -> Self {
        let place = shard.map_or(0, |shard| 1 + i32::from(shard.number));
        Self { locks: LOCKS.wrapping_add(place), own: Arc::default(), gone: Arc::default() }
    }

    /// The first key of their locks.
    pub(crate) const fn locks(&self) -> i32 {
        self.locks
    }

    /// The number of this process; `None` until it has reached the database.
    pub(crate) fn own(&self) -> Option<Claimer> {
        self.own.get().copied()
    }

    /// The processes that were found ended since the last call.
    pub(crate) fn take_gone(&self) -> Vec<Claimer> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A watch on a new connection.
    pub(crate) fn watch(&self, presence: Presence) -> Watch {
        let (claimers, absent_since, next_look) = (self.clone(), HashMap::new(), time::Instant::now());
        Watch { claimers, presence, is_registered: false, absent_since, next_look }
    }

    fn add_gone(&self, claimer: Claimer) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(claimer);
    }
}

/// How many serving processes are connected to this database, which need not have tables.
pub(crate) async fn count_present(connection: &AsyncPgConnection, claimers: &Claimers) -> QueryResult<i64> {
    let count = if is_true(connection, HAS_TABLE).await? {
        let present = statement(PRESENT).bind::<Integer, _>(claimers.locks);
        present.bind::<Instant, _>(clock(connection).await?).get_result::<CountRow>(&mut &*connection).await?
    } else {
        statement(LOCKED).bind::<Integer, _>(claimers.locks).get_result(&mut &*connection).await?
    };
    Ok(count.count)
}

#[derive(QueryableByName)]
struct ClockRow {
    #[diesel(sql_type = Instant)]
    at: StoredInstant,
}

async fn clock(connection: &AsyncPgConnection) -> QueryResult<StoredInstant> {
    Ok(statement(CLOCK).get_result::<ClockRow>(&mut &*connection).await?.at)
}

/// How many of the present processes have each version. See decision 74.
pub(crate) struct CountVersions {
    /// The first key of their locks.
    pub(crate) locks: i32,
}

#[derive(QueryableByName)]
struct VersionRow {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Work for CountVersions {
    type Answer = Vec<VersionCount>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let versions = statement(VERSIONS).bind::<Integer, _>(self.locks);
        let versions = versions.bind::<Instant, _>(clock(connection).await?);
        let rows: Vec<VersionRow> = versions.load(&mut &*connection).await?;
        let count = |row: VersionRow| VersionCount {
            version: row.version,
            instances: u32::try_from(row.count).unwrap_or(u32::MAX),
        };
        Ok(rows.into_iter().map(count).collect())
    }
}

/// How a process shows its presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// By a lock of its session.
    Locked,
    /// By the time of its last look.
    Seen,
}

/// Shows the presence of this process on one connection, and finds ended processes. It learns no news of them while
/// this process is cut off.
pub(crate) struct Watch {
    claimers: Claimers,
    presence: Presence,
    is_registered: bool,
    absent_since: HashMap<Claimer, time::Instant>,
    pub(crate) next_look: time::Instant,
}

#[derive(QueryableByName)]
struct ClaimerRow {
    #[diesel(sql_type = Integer)]
    number: i32,
}

impl Watch {
    /// Returns whether a process was found to have ended.
    pub(crate) async fn look(&mut self, connection: &AsyncPgConnection) -> QueryResult<bool> {
        let now = time::Instant::now();
        self.next_look = now + LOOK_INTERVAL;
        if !self.is_registered || self.presence == Presence::Seen {
            let is_new = !self.is_registered;
            // An error means that this database takes no writes now, so no process claims. The next look tries again.
            self.is_registered = self.register(connection).await.is_ok();
            if is_new || !self.is_registered {
                return Ok(false);
            }
        }
        let absent = statement(ABSENT).bind::<Integer, _>(self.claimers.locks);
        let absent = absent.bind::<Instant, _>(clock(connection).await?);
        let absent: Vec<ClaimerRow> = absent.load(&mut &*connection).await?;
        let absent = absent.into_iter().map(|row| Claimer(row.number));
        self.absent_since = absent.map(|claimer| (claimer, *self.absent_since.get(&claimer).unwrap_or(&now))).collect();
        let gone: Vec<Claimer> = self.gone(now).collect();
        for claimer in &gone {
            let forgotten = statement(FORGET).bind::<Integer, _>(claimer.0).execute(&mut &*connection).await?;
            if forgotten > 0 {
                self.claimers.add_gone(*claimer);
            }
        }
        Ok(!gone.is_empty())
    }

    fn gone(&self, now: time::Instant) -> impl Iterator<Item = Claimer> {
        self.absent_since.iter().filter(move |(_, since)| now - **since >= GONE_AFTER).map(|(claimer, _)| *claimer)
    }

    /// The lock comes after the row: a process without a lock for a moment does not count as ended.
    async fn register(&self, connection: &AsyncPgConnection) -> QueryResult<()> {
        let own = if let Some(own) = self.claimers.own() {
            own
        } else {
            let register = statement(REGISTER).bind::<Text, _>(VERSION);
            Claimer(only_row(register.load::<ClaimerRow>(&mut &*connection).await)?.number)
        };
        match self.presence {
            Presence::Locked => {
                let again = statement(REGISTER_AGAIN).bind::<Integer, _>(own.0).bind::<Text, _>(VERSION);
                again.execute(&mut &*connection).await?;
                let lock = statement(LOCK).bind::<Integer, _>(self.claimers.locks).bind::<Integer, _>(own.0);
                lock.execute(&mut &*connection).await?;
            }
            Presence::Seen => {
                let seen = statement(SEEN).bind::<Integer, _>(own.0).bind::<Text, _>(VERSION);
                seen.execute(&mut &*connection).await?;
            }
        }
        let _ = self.claimers.own.set(own);
        Ok(())
    }
}
