use async_trait::async_trait;
use diesel::deserialize::QueryableByName;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{Kept, statement};
use domain::ports::{ChangeFeed, CredentialChanges, FeedPosition, FeedRead, StoreError};
use domain::{CredentialDigest, Timestamp};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};

/// The changes of each writer after the number that the reader has seen: the writers `$1` and the numbers `$2`. At most `$3`
/// of each writer. Returns at least one row. See decision 114.
///
/// The writers are found one after another in the index, because their changes may be many. `width_bucket` searches `$1`,
/// which is sorted, by halves: looking through it for each writer took four seconds with 20,000 of them.
const CHANGES_SINCE: &str = "WITH RECURSIVE writers AS (
        (SELECT writer FROM credential_changes ORDER BY writer LIMIT 1)
        UNION ALL
        SELECT (SELECT writer FROM credential_changes WHERE writer > last.writer ORDER BY writer LIMIT 1)
        FROM writers AS last WHERE last.writer IS NOT NULL
    )
    SELECT pg_is_in_recovery() AS is_standby, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS unix_millis,
        read.writer, read.number, read.digests
    FROM (VALUES (1)) AS once LEFT JOIN LATERAL (
        SELECT writer, (SELECT max(number) FROM credential_changes WHERE writer = writers.writer) AS number, ARRAY(
            SELECT digest FROM credential_changes WHERE writer = writers.writer
                AND number > CASE ($1::bigint[])[width_bucket(writers.writer, $1::bigint[])]
                    WHEN writers.writer THEN ($2::bigint[])[width_bucket(writers.writer, $1::bigint[])] ELSE 0 END
            LIMIT $3
        ) AS digests
        FROM writers WHERE writer IS NOT NULL
    ) AS read ON true";

/// Deletes changes that the position `$1` and `$2` has seen, `$3` at most. Instances that delete at the same time skip each
/// other's rows.
///
/// A join, and not `IN`: with the settings of this connection the planner compares each row of the table with the whole list,
/// if the list does not fit `work_mem`. 50,000 of 150,000 changes took more than a minute, so that each call was cancelled
/// and the feed only grew.
const FORGET: &str = "WITH old AS MATERIALIZED (
        SELECT old.writer, old.number, old.digest
        FROM unnest($1::bigint[], $2::bigint[]) AS seen (writer, number) CROSS JOIN LATERAL (
            SELECT writer, number, digest FROM credential_changes
            WHERE writer = seen.writer AND number <= seen.number LIMIT $3 FOR UPDATE SKIP LOCKED
        ) AS old LIMIT $3
    )
    DELETE FROM credential_changes AS change USING old
    WHERE change.writer = old.writer AND change.number = old.number AND change.digest = old.digest";

/// The most changes that one statement deletes, which takes about 0.1 s.
const FORGOTTEN_MAX: u16 = 10_000;

#[async_trait]
impl ChangeFeed for PostgresStore {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        // Before a connection is taken: the next read finds a later promotion.
        let promotions = self.server.timelines().promotions();
        let since = since.and_then(Place::parse).filter(|since| since.promotions == promotions);
        self.run_on_feed(&ChangesSince { since, promotions, max }).await
    }

    /// Returns after a notification, and after the listening connection was lost and opened again. For one reader at a
    /// time: each notification wakes one reader.
    async fn hint(&self) {
        self.change_signal.wait_for_keys().await;
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        match Place::parse(before) {
            Some(before) => {
                let forgetting = Forget { before };
                while self.run(&forgetting).await? == usize::from(FORGOTTEN_MAX) {}
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// The content of a [`FeedPosition`] of this adapter: the highest number of each writer that has changes, in the order of
/// the writers, and the number of promotions so far. A promotion may lose changes, so an earlier position is not used.
#[derive(Default)]
struct Place {
    promotions: u64,
    writers: Vec<i64>,
    numbers: Vec<i64>,
}

impl Place {
    fn parse(position: &FeedPosition) -> Option<Self> {
        let mut words = position.as_str().split(' ');
        let promotions = words.next()?.parse().ok()?;
        let seen = words.map(|word| {
            let (writer, number) = word.split_once(':')?;
            Some((writer.parse::<i64>().ok()?, number.parse::<i64>().ok()?))
        });
        let (writers, numbers) = seen.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Self { promotions, writers, numbers })
    }

    fn position(&self) -> FeedPosition {
        let seen = self.writers.iter().zip(&self.numbers);
        FeedPosition::new(
            seen.fold(self.promotions.to_string(), |text, (writer, number)| format!("{text} {writer}:{number}")),
        )
    }
}

struct ChangesSince {
    since: Option<Place>,
    promotions: u64,
    max: u32,
}

#[derive(QueryableByName)]
struct FeedRow {
    #[diesel(sql_type = Bool)]
    is_standby: bool,
    #[diesel(sql_type = BigInt)]
    unix_millis: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    writer: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = Nullable<Array<Binary>>)]
    digests: Option<Vec<Vec<u8>>>,
}

impl Work for ChangesSince {
    type Answer = FeedRead;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<FeedRead, Failure> {
        let listed_max = self.since.as_ref().map_or(0, |_| i64::from(self.max) + 1);
        let nowhere = Place::default();
        let since = self.since.as_ref().unwrap_or(&nowhere);
        let query = statement(CHANGES_SINCE)
            .bind::<Array<BigInt>, _>(&since.writers)
            .bind::<Array<BigInt>, _>(&since.numbers)
            .bind::<BigInt, _>(listed_max);
        let rows: Vec<FeedRow> = Kept(query).load(&mut &*connection).await?;
        let first = rows.as_slice().first().ok_or(Error::NotFound)?;
        if first.is_standby {
            return Err(standby());
        }
        let at = Timestamp::from_unix_millis(first.unix_millis).unwrap_or(Timestamp::MIN);
        let mut seen: Vec<(i64, i64)> = rows.iter().filter_map(|row| row.writer.zip(row.number)).collect();
        seen.sort_unstable();
        let (writers, numbers) = seen.into_iter().unzip();
        let position = Place { promotions: self.promotions, writers, numbers }.position();
        let listed = self.since.as_ref().and_then(|_| digests(&rows));
        let listed = listed.filter(|digests| digests.len() <= self.max as usize);
        Ok(FeedRead { changes: listed.map_or(CredentialChanges::OfAny, CredentialChanges::Of), position, at })
    }
}

/// The digests; `None` if a change is of a kind that this version does not know, which must not stop the feed.
fn digests(rows: &[FeedRow]) -> Option<Vec<CredentialDigest>> {
    let stored = rows.iter().filter_map(|row| row.digests.as_deref()).flatten();
    stored.map(|digest| digest.as_slice().try_into().map(CredentialDigest::from_bytes).ok()).collect()
}

/// A standby may be behind without limit. This failure closes the connection, so that the next attempt finds the
/// primary.
fn standby() -> Failure {
    let refusal = Box::new("the server is a standby".to_owned());
    Failure::Undone(Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, refusal))
}

struct Forget {
    before: Place,
}

impl Work for Forget {
    /// How many changes were deleted.
    type Answer = usize;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<usize, Failure> {
        let deletion = statement(FORGET)
            .bind::<Array<BigInt>, _>(&self.before.writers)
            .bind::<Array<BigInt>, _>(&self.before.numbers)
            .bind::<BigInt, _>(i64::from(FORGOTTEN_MAX));
        Ok(Kept(deletion).execute(&mut &*connection).await?)
    }
}
