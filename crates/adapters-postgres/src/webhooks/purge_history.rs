use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{IdRow, Kept, StoredInstant, statement};
use domain::ports::StoreError;
use domain::{EventId, Timestamp};
use futures_util::future::{join, join4};

use super::periods::{Period, day_of, load, lock};
use super::thin_period::{Progress, is_queued, lanes_of, thin};
use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, rolled_back, settle};

const FORGET_PUBLICATIONS: &str = "DELETE FROM webhook_publications WHERE event_id = ANY(ARRAY(
        SELECT event_id FROM webhook_publications WHERE event_id >= $1 AND event_id < $2
        ORDER BY event_id LIMIT $3 FOR UPDATE SKIP LOCKED
    ))";

/// Subscriptions that were deleted before the time and have no deliveries.
const PAST: &str = "SELECT subscription.id FROM webhook_subscriptions AS subscription
    WHERE subscription.deleted_at < $1
        AND NOT EXISTS (SELECT FROM webhook_due WHERE subscription_id = subscription.id)
        AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE subscription_id = subscription.id)
    ORDER BY subscription.deleted_at LIMIT $2 FOR UPDATE OF subscription SKIP LOCKED";

const PURGE_CONSUMERS: &str = "DELETE FROM webhook_consumers WHERE subscription_id = ANY($1)";

const PURGE_LANES: &str = "DELETE FROM webhook_lanes WHERE subscription_id = ANY($1)";

const PURGE_SUBSCRIPTIONS: &str = "DELETE FROM webhook_subscriptions WHERE id = ANY($1)";

/// Deletes at most `$2` events with ids below `$1` from logs.
const PURGE_PULLED: &str = concat!(
    lanes_of!("webhook_pulled"),
    ", old AS MATERIALIZED (
        SELECT old.* FROM lanes CROSS JOIN LATERAL (
            SELECT subscription_id, sequence FROM webhook_pulled
            WHERE subscription_id = lanes.subscription_id AND event_id < $1 ORDER BY event_id LIMIT $2
        ) AS old LIMIT $2
    )
    DELETE FROM webhook_pulled AS pulled USING old
    WHERE pulled.subscription_id = old.subscription_id AND pulled.sequence = old.sequence"
);

/// Citus keeps limits on the coordinator without this setting. Elsewhere it has no effect.
const LIMIT_EVERY_NODE: &str = "SET LOCAL citus.propagate_set_commands = 'local'";

/// How long a drop waits for autovacuum, which gives way after a second (`deadlock_timeout`). No call waits behind it.
const VACUUM_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '1500ms'";

/// How long a drop waits for the transactions that use the tables. All later transactions wait behind it.
const DROP_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '30ms'";

/// The waits after a period could not be dropped because a long transaction uses the tables. Each attempt holds
/// publications up for 30 ms at most.
const DROP_PAUSES_MILLIS: [u64; 4] = [100, 200, 400, 800];

/// The place at which the purge continues: a period, and the last row that the purge passed if the period has queued
/// deliveries. Without it, each step would pass all rows that stay. Each process has its own place, which costs only time.
#[derive(Debug)]
pub(crate) struct Place {
    first_day: i64,
    progress: Progress,
}

impl Place {
    pub(crate) const START: Self = Self::at(0);

    const fn at(first_day: i64) -> Self {
        Self { first_day, progress: Progress::START }
    }
}

impl PostgresStore {
    /// See [`Retained::Webhooks`](domain::ports::Retained::Webhooks).
    pub(crate) async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut pauses = DROP_PAUSES_MILLIS.into_iter();
        let step = PurgeHistory { before, max, place: &self.purge_place };
        let mut passes_all = step.place().first_day == 0;
        loop {
            match self.run_on_queue(&step).await? {
                Purged::Rows(0) => {}
                Purged::Rows(rows) => return Ok(rows),
                Purged::AllPassed if passes_all => return Ok(0),
                Purged::AllPassed => passes_all = true,
                Purged::Blocked => {
                    let Some(pause) = pauses.next() else {
                        let reason = "a long transaction uses the log: its old partitions cannot be dropped";
                        return Err(StoreError::Unavailable(reason.into()));
                    };
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
            }
        }
    }
}

/// One step of the purge: deletes some publication keys of the oldest period that has ended, or drops the period, or
/// deletes some rows of a period with queued deliveries, or deletes some subscriptions.
struct PurgeHistory<'a> {
    before: Timestamp,
    max: u32,
    place: &'a Mutex<Place>,
}

/// The result of a step.
enum Purged {
    /// This number of rows is deleted; a whole period counts as one.
    Rows(u32),
    /// No row was found behind the place, which is at the start again.
    AllPassed,
    /// A long transaction uses the tables, so the period cannot be dropped now.
    Blocked,
}

impl Work for PurgeHistory<'_> {
    type Answer = Purged;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Purged, Failure> {
        let pulled = self.purge_pulled(connection).await?;
        if pulled > 0 {
            return Ok(self.rows(pulled));
        }
        let today = day_of(self.before);
        let from = self.place().first_day;
        let ended = |period: &Period| period.first_day >= from && period.end_day <= today;
        for period in load(connection).await?.into_iter().filter(ended) {
            if is_queued(connection, period).await? {
                return self.thin(connection, period).await;
            }
            let forgotten = self.forget_publications(connection, period).await.map_err(Failure::of_statement)?;
            if forgotten > 0 {
                return Ok(self.rows(forgotten));
            }
            match drop_period(connection, period).await? {
                Dropping::Done => return Ok(Purged::Rows(1)),
                Dropping::Blocked => return Ok(Purged::Blocked),
                Dropping::Queued => {}
            }
        }
        let purged = self.purge_subscriptions(connection).await?;
        if purged > 0 {
            return Ok(self.rows(purged));
        }
        *self.place() = Place::START;
        Ok(Purged::AllPassed)
    }
}

impl PurgeHistory<'_> {
    fn rows(&self, rows: usize) -> Purged {
        Purged::Rows(u32::try_from(rows).unwrap_or(self.max))
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress_in(&self, period: Period) -> Progress {
        let place = self.place();
        if place.first_day == period.first_day { place.progress.clone() } else { Progress::START }
    }

    /// Deletes some rows of a period with queued deliveries, and moves the place.
    async fn thin(&self, connection: &AsyncPgConnection, period: Period) -> Result<Purged, Failure> {
        let (rows, progress) = thin(connection, period, self.progress_in(period), self.max).await?;
        *self.place() = match progress {
            Some(progress) => Place { first_day: period.first_day, progress },
            None => Place::at(period.end_day),
        };
        Ok(self.rows(rows))
    }

    async fn purge_pulled(&self, connection: &AsyncPgConnection) -> QueryResult<usize> {
        let below = EventId::first_at(self.before);
        let deletion =
            statement(PURGE_PULLED).bind::<Binary, _>(below.as_bytes().as_slice()).bind::<BigInt, i64>(self.max.into());
        Kept(deletion).execute(&mut &*connection).await
    }

    async fn forget_publications(&self, connection: &AsyncPgConnection, period: Period) -> QueryResult<usize> {
        let deletion = statement(FORGET_PUBLICATIONS)
            .bind::<Binary, _>(period.first_id())
            .bind::<Binary, _>(period.end_id())
            .bind::<BigInt, i64>(self.max.into());
        Kept(deletion).execute(&mut &*connection).await
    }

    async fn purge_subscriptions(&self, connection: &AsyncPgConnection) -> Result<usize, Failure> {
        let past =
            statement(PAST).bind::<Instant, StoredInstant>(self.before.into()).bind::<BigInt, i64>(self.max.into());
        let (begun, past) = join(Begin.execute(&mut &*connection), Kept(past).load(&mut &*connection)).await;
        let past = IdRow::ids(begun.and(past)?);
        let [consumers, lanes, subscriptions] = [PURGE_CONSUMERS, PURGE_LANES, PURGE_SUBSCRIPTIONS]
            .map(|sql| statement(sql).bind::<Array<Binary>, _>(&past));
        let (consumers, lanes, subscriptions, committed) = join4(
            Kept(consumers).execute(&mut &*connection),
            Kept(lanes).execute(&mut &*connection),
            Kept(subscriptions).execute(&mut &*connection),
            Commit.execute(&mut &*connection),
        )
        .await;
        settle(consumers.and(lanes).and(subscriptions), committed)
    }
}

async fn lock_and_remove(connection: &AsyncPgConnection, period: Period) -> QueryResult<()> {
    for statement in [LIMIT_EVERY_NODE, VACUUM_LOCK_TIMEOUT, &period.lock_out_vacuum(), DROP_LOCK_TIMEOUT] {
        (&mut &*connection).batch_execute(statement).await?;
    }
    lock(connection).await?;
    (&mut &*connection).batch_execute(&period.removal()).await
}

enum Dropping {
    Done,
    Blocked,
    Queued,
}

/// Drops the partitions of the period, which locks the whole tables. A delivery that was retried by hand in the
/// meantime is found under the locks.
async fn drop_period(connection: &AsyncPgConnection, period: Period) -> Result<Dropping, Failure> {
    Begin.execute(&mut &*connection).await?;
    let locked = lock_and_remove(connection, period).await;
    // The driver has no error kind for a lock that was not granted in time.
    if let Err(diesel::result::Error::DatabaseError(diesel::result::DatabaseErrorKind::Unknown, _)) = &locked {
        return rolled_back(connection, Dropping::Blocked).await;
    }
    locked?;
    if is_queued(connection, period).await? {
        return rolled_back(connection, Dropping::Queued).await;
    }
    settle(Ok(Dropping::Done), Commit.execute(&mut &*connection).await)
}
