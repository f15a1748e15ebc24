use std::collections::BTreeMap;
use std::ops::AddAssign;

use diesel::sql_types::{Array, BigInt, Binary, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::{CountsTable, HourRow, Kept, owner_statement, statement, stored_count};
use domain::{Hour, HourRange, InHour, OwnerId};

use crate::attempt::{Failure, Work};
use crate::transaction::on_its_node;

/// Adds counts in one statement.
///
/// The rows come in the order of their keys, so that they are locked in that order, and two instances cannot deadlock.
pub(crate) struct AddCounts<Id, Counts> {
    table: &'static CountsTable,
    sums: BTreeMap<(Hour, Id), Counts>,
}

impl<Id: Copy + Ord, Counts: Copy + Default + AddAssign> AddCounts<Id, Counts> {
    pub(crate) fn to(table: &'static CountsTable, counts: &[InHour<Id, Counts>]) -> Self {
        Self { table, sums: InHour::sums(counts) }
    }
}

impl<Id, Counts> Work for AddCounts<Id, Counts>
where
    Id: AsRef<[u8; 16]> + Sync,
    Counts: Copy + Into<[u64; 3]> + Sync,
{
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let addition = format!(
            concat!(on_its_node!("INSERT INTO {} ({}) SELECT * FROM unnest($1, $2, $3, $4, $5)"), " {}"),
            self.table.name,
            self.table.columns(),
            self.table.addition(),
        );
        let hours: Vec<i64> = self.sums.keys().map(|(hour, _)| hour.number()).collect();
        let ids: Vec<&[u8]> = self.sums.keys().map(|(_, id)| id.as_ref().as_slice()).collect();
        let counts: Vec<[i64; 3]> = self.sums.values().map(|counts| (*counts).into().map(stored_count)).collect();
        let column = |number: usize| counts.iter().map(|counts| counts[number]).collect::<Vec<i64>>();
        let addition = statement(addition)
            .bind::<Array<BigInt>, _>(hours)
            .bind::<Array<Binary>, _>(ids)
            .bind::<Array<BigInt>, _>(column(0))
            .bind::<Array<BigInt>, _>(column(1))
            .bind::<Array<BigInt>, _>(column(2));
        // The statement may have run: a second attempt would add the counts again.
        Kept(addition).execute(&mut &*connection).await.map_err(Failure::of_statement)?;
        Ok(())
    }
}

/// Reads the row of each hour of each key or subscription by the primary key.
pub(crate) struct ReadCounts<'a> {
    pub(crate) table: &'static CountsTable,
    pub(crate) owner: &'a OwnerId,
    pub(crate) id: Option<[u8; 16]>,
    pub(crate) hours: HourRange,
}

impl Work for ReadCounts<'_> {
    type Answer = Vec<HourRow>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<HourRow>, Failure> {
        let CountsTable { name, id, owned, .. } = self.table;
        let [first, second, third] = self.table.counts;
        // `OFFSET 0` keeps the server from joining the table as a whole.
        let reading = format!(
            "SELECT wanted.hour AS hour, {}
            FROM ({owned}) AS owned
            CROSS JOIN generate_series($4, $5) AS wanted (hour)
            LEFT JOIN LATERAL (
                SELECT {first}, {second}, {third} FROM {name} AS counts
                WHERE counts.hour = wanted.hour AND counts.{id} = owned.id OFFSET 0
            ) AS counts ON true
            GROUP BY wanted.hour",
            self.table.sums(),
        );
        let reading = owner_statement(reading, self.owner)
            .bind::<Nullable<Binary>, _>(self.id.map(Vec::from))
            .bind::<BigInt, _>(self.hours.first.number())
            .bind::<BigInt, _>(self.hours.last.number());
        Ok(Kept(reading).load(&mut &*connection).await?)
    }
}
