//! The log of webhooks is partitioned by the time of publication. A period is some whole days (UTC), and has one
//! partition of each table of the log. An id begins with its time, so a period is a range of ids. See decision 48.

use std::collections::BTreeSet;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_mapping::{Kept, statement};
use domain::Timestamp;

use super::list_deliveries::first_id_at;

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// The partitioned tables, in the order in which every transaction locks them. A drop that locks them in another order
/// waits for a transaction that waits for the drop.
///
/// A statement locks its tables in two ways: when it is planned, in the order of its text; when its plan is kept, first
/// the tables of the main query, then the tables of each `WITH`. So a statement that needs several of these tables has
/// them in their order in its `WITH`s, and none in its main query; or it inserts into the first of them.
pub(super) const TABLES: [&str; 3] = ["webhook_deliveries", "webhook_events", "webhook_attempts"];

/// One transaction at a time changes periods, and readers of the table do not wait.
const LOCK: &str = "LOCK TABLE webhook_periods IN SHARE ROW EXCLUSIVE MODE";

const PERIODS: &str = "SELECT first_day, end_day FROM webhook_periods ORDER BY first_day";

/// Whole days, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
pub(super) struct Period {
    #[diesel(sql_type = BigInt)]
    pub(super) first_day: i64,
    /// The day after the last one.
    #[diesel(sql_type = BigInt)]
    pub(super) end_day: i64,
}

/// The day of this instant, counted from 1970-01-01.
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.unix_millis().max(0) / DAY_MILLIS
}

/// The day on which the event with this id, or its delivery, was published.
pub(super) fn day_of_id(id: &[u8]) -> i64 {
    id.iter().take(6).fold(0, |millis, byte| millis << 8 | i64::from(*byte)) / DAY_MILLIS
}

impl Period {
    /// The first bytes of the period's ids.
    pub(super) fn first_id(self) -> Vec<u8> {
        id_at(self.first_day)
    }

    /// The first bytes of the ids after the period.
    pub(super) fn end_id(self) -> Vec<u8> {
        id_at(self.end_day)
    }

    /// The name of the period's partition of the table.
    fn partition(self, table: &str) -> String {
        let begin = Timestamp::from_unix_millis(self.first_day * DAY_MILLIS).unwrap_or(Timestamp::MAX);
        let date: String = begin.to_string().chars().take(10).collect();
        format!("{table}_{}", date.replace('-', "_"))
    }

    /// The statements that create the period's partitions. Attaching a partition does not wait for readers and writers
    /// of the table; creating it in place would. One at a time, as in [`crate::migrations`].
    fn creation(self) -> Vec<String> {
        let (first, end) = (hexadecimal(&self.first_id()), hexadecimal(&self.end_id()));
        let partitions = TABLES.iter().flat_map(|table| {
            let partition = self.partition(table);
            [
                format!("CREATE TABLE {partition} (LIKE {table} INCLUDING ALL)"),
                format!(
                    "ALTER TABLE {table} ATTACH PARTITION {partition} FOR VALUES FROM ('\\x{first}') TO ('\\x{end}')"
                ),
            ]
        });
        let period = format!("INSERT INTO webhook_periods VALUES ({}, {})", self.first_day, self.end_day);
        partitions.chain([period]).collect()
    }

    /// The statement that waits until autovacuum has left the period's partitions. Readers and writers continue during
    /// the wait.
    pub(super) fn lock_out_vacuum(self) -> String {
        let partitions = TABLES.map(|table| self.partition(table));
        format!("LOCK TABLE {} IN SHARE UPDATE EXCLUSIVE MODE", partitions.join(", "))
    }

    /// The statements that drop the period's partitions.
    pub(super) fn removal(self) -> String {
        let tables = TABLES.map(|table| format!("DROP TABLE {};", self.partition(table)));
        format!("{} DELETE FROM webhook_periods WHERE first_day = {};", tables.concat(), self.first_day)
    }
}

fn id_at(day: i64) -> Vec<u8> {
    first_id_at(Timestamp::from_unix_millis(day * DAY_MILLIS).unwrap_or(Timestamp::MAX))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The range of ids of the partitions that have these deliveries and their events. A statement with the range as
/// arguments leaves out the other partitions before it starts.
pub(super) fn id_range<'a>(ids: impl Iterator<Item = &'a [u8]> + Clone) -> (Vec<u8>, Vec<u8>) {
    let time = |id: &'a [u8]| id.get(..6).unwrap_or(id);
    let first = ids.clone().min().map_or(Vec::new(), |id| time(id).to_vec());
    let last = ids.max().map_or(Vec::new(), |id| [time(id), &[0xFF; 10]].concat());
    (first, last)
}

/// The periods that exist, oldest first.
pub(super) async fn load(connection: &AsyncPgConnection) -> QueryResult<Vec<Period>> {
    Kept(statement(PERIODS)).load(&mut &*connection).await
}

/// Keeps other transactions from changing periods until the end of this one.
pub(super) async fn lock(connection: &AsyncPgConnection) -> QueryResult<()> {
    (&mut &*connection).batch_execute(LOCK).await
}

/// Creates the period. The caller has the lock.
pub(super) async fn create(connection: &AsyncPgConnection, period: Period) -> QueryResult<()> {
    for statement in period.creation() {
        (&mut &*connection).batch_execute(&statement).await?;
    }
    Ok(())
}

/// Creates the periods that these ids of events and deliveries lack, of one day each. No other transaction may change
/// periods.
pub(crate) async fn create_periods_of(connection: &AsyncPgConnection, ids: &BTreeSet<&[u8]>) -> QueryResult<()> {
    let days: BTreeSet<i64> = ids.iter().map(|id| day_of_id(id)).collect();
    if days.is_empty() {
        return Ok(());
    }
    let mut known = load(connection).await?;
    for day in days {
        for period in missing(&known, day, day, 1) {
            create(connection, period).await?;
            known.push(period);
        }
    }
    Ok(())
}

/// The missing periods of these days: of `width` days each, from a multiple of `width`, or less between neighbours.
pub(super) fn missing(known: &[Period], first_day: i64, last_day: i64, width: i64) -> Vec<Period> {
    let (mut missing, mut day) = (Vec::new(), first_day);
    while day <= last_day {
        if let Some(period) = known.iter().find(|period| (period.first_day..period.end_day).contains(&day)) {
            day = period.end_day;
            continue;
        }
        let aligned = day - day.rem_euclid(width);
        let before = known.iter().map(|period| period.end_day).filter(|end| *end <= day).max();
        let after = known.iter().map(|period| period.first_day).filter(|first| *first > day).min();
        let period = Period {
            first_day: before.map_or(aligned, |end| end.max(aligned)),
            end_day: after.map_or(aligned + width, |first| first.min(aligned + width)),
        };
        day = period.end_day;
        missing.push(period);
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(first_day: i64, end_day: i64) -> Period {
        Period { first_day, end_day }
    }

    #[test]
    fn each_day_has_one_period() {
        assert_eq!(missing(&[], 20, 22, 1), [period(20, 21), period(21, 22), period(22, 23)]);
        assert_eq!(missing(&[period(21, 22)], 20, 22, 1), [period(20, 21), period(22, 23)]);
        assert_eq!(missing(&[period(10, 40)], 20, 22, 1), []);
    }

    #[test]
    fn wide_periods_begin_at_multiples_and_end_at_their_neighbours() {
        assert_eq!(missing(&[], 25, 26, 10), [period(20, 30)]);
        assert_eq!(missing(&[], 25, 30, 10), [period(20, 30), period(30, 40)]);
        assert_eq!(missing(&[period(21, 24), period(28, 29)], 25, 29, 10), [period(24, 28), period(29, 30)]);
        assert_eq!(missing(&[period(0, 10), period(40, 50)], 25, 25, 30), [period(10, 30)]);
    }

    #[test]
    fn a_period_is_a_range_of_ids() {
        let at = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        let (day, id) = (day_of(at), first_id_at(at));
        assert_eq!(day_of_id(&id), day);
        let period = period(day, day + 1);
        assert!(period.first_id() <= id && id < period.end_id());
        assert_eq!(period.partition("webhook_events"), "webhook_events_2026_11_21");
    }
}
