use std::collections::BTreeMap;
use std::ops::AddAssign;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel_mapping::{CountsTable, HourRow, owner_statement, statement, stored_count};
use domain::{Hour, HourRange, InHour, OwnerId};

use crate::record_uses::hexadecimal;
use crate::undo::Undo;

/// Adds all counts in one statement, which goes through the rows in the order of their key. The counts are one JSON array,
/// as in [`record_uses`](crate::record_uses).
pub(crate) fn add_counts<Id, Counts>(
    connection: &mut SqliteConnection,
    table: &CountsTable,
    counts: &[InHour<Id, Counts>],
) -> Result<(), Undo>
where
    Id: Copy + Ord + AsRef<[u8; 16]>,
    Counts: Copy + Default + AddAssign + Into<[u64; 3]>,
{
    // `WHERE true` tells SQLite that `ON` does not belong to a join.
    let addition = format!(
        "INSERT INTO {} ({})
        SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3, value ->> 4 FROM json_each($1) WHERE true {}",
        table.name,
        table.columns(),
        table.addition(),
    );
    statement(addition).bind::<Text, _>(json(&InHour::sums(counts))).execute(connection)?;
    Ok(())
}

/// Reads the row of each hour of each key or subscription by the primary key, which `CROSS JOIN` makes SQLite do. The hours
/// come first, because the rows of an hour are next to each other: 1,000 subscriptions with 31 days took twice as long
/// otherwise.
pub(crate) fn read_counts<Counts: From<[u64; 3]>>(
    connection: &mut SqliteConnection,
    table: &CountsTable,
    owner: &OwnerId,
    id: Option<&[u8; 16]>,
    hours: HourRange,
) -> Result<Option<BTreeMap<Hour, Counts>>, Undo> {
    let reading = owner_statement(read_statement(table), owner)
        .bind::<Nullable<Binary>, _>(id.map(<[u8; 16]>::as_slice))
        .bind::<BigInt, _>(hours.first.number())
        .bind::<BigInt, _>(hours.last.number());
    let rows: Vec<HourRow> = reading.load(connection)?;
    Ok(HourRow::counts_of(&rows))
}

/// `?4` is the fourth value. `$4` would be the name of the value that comes first.
pub(crate) fn read_statement(table: &CountsTable) -> String {
    let CountsTable { name, id, owned, .. } = table;
    let owned = owned.replace('$', "?");
    format!(
        "WITH RECURSIVE wanted (hour) AS (SELECT ?4 UNION ALL SELECT hour + 1 FROM wanted WHERE hour < ?5)
        SELECT wanted.hour AS hour, {}
        FROM wanted CROSS JOIN ({owned}) AS owned
        LEFT JOIN {name} AS counts ON counts.hour = wanted.hour AND counts.{id} = owned.id
        GROUP BY wanted.hour",
        table.sums(),
    )
}

/// An array of arrays: the hour, the id in hexadecimal digits, and the counts.
fn json<Id: AsRef<[u8; 16]>, Counts: Copy + Into<[u64; 3]>>(sums: &BTreeMap<(Hour, Id), Counts>) -> String {
    let rows = sums.iter().map(|((hour, id), counts)| {
        let [first, second, third] = (*counts).into().map(stored_count);
        (hour.number(), hexadecimal(id), first, second, third)
    });
    serde_json::to_string(&rows.collect::<Vec<_>>()).expect("numbers and strings always serialize")
}

#[cfg(test)]
mod tests {
    use diesel_mapping::{KEY_USAGE, SUBSCRIPTION_OUTCOMES};
    use domain::ports::Schema as _;

    use super::*;
    use crate::statements_tests::plan;
    use crate::{SqliteSettings, SqliteStore};

    /// A reading and a purge find their rows by the primary key, however many rows there are.
    #[tokio::test]
    async fn counts_are_found_by_their_hour_and_id() {
        let folder = tempfile::tempdir().unwrap();
        let settings = SqliteSettings { path: folder.path().join("test.db"), readers: 1 };
        let store = SqliteStore::open(settings).await.unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.file.connect().unwrap();
        for table in [KEY_USAGE, SUBSCRIPTION_OUTCOMES] {
            let reading = plan(&mut connection, &read_statement(&table));
            let by_key = format!("SEARCH counts USING PRIMARY KEY (hour=? AND {}=?) LEFT-JOIN", table.id);
            assert!(reading.contains(&by_key), "{reading:#?}");
            let purge = plan(&mut connection, &table.purge());
            assert!(!purge.iter().any(|step| step.starts_with("SCAN") && !step.contains("SUBQUERY")), "{purge:#?}");
        }
    }
}
