use std::collections::BTreeMap;

use diesel::deserialize::QueryableByName;
use diesel::sql_types::BigInt;
use domain::Hour;

/// A table of counts by the hour. See decision 76.
#[derive(Debug)]
pub struct CountsTable {
    /// The name of the table.
    pub name: &'static str,
    /// The column of the key or subscription.
    pub id: &'static str,
    /// The columns of the counts, in their order.
    pub counts: [&'static str; 3],
    /// Selects the ids that a reading shows: `$1` and `$2` are the owner, `$3` is an id or NULL.
    pub owned: &'static str,
}

/// The verifications of keys.
pub const KEY_USAGE: CountsTable = CountsTable {
    name: "usage_by_hour",
    id: "key_id",
    counts: ["good", "limited", "refused"],
    owned: "SELECT id FROM api_keys WHERE id = $3 AND owner_issuer = $1 AND owner_subject = $2",
};

/// The outcomes of attempts at the deliveries of subscriptions.
pub const SUBSCRIPTION_OUTCOMES: CountsTable = CountsTable {
    name: "deliveries_by_hour",
    id: "subscription_id",
    counts: ["delivered", "retried", "exhausted"],
    owned: "SELECT id FROM webhook_subscriptions
        WHERE owner_issuer = $1 AND owner_subject = $2 AND deleted_at IS NULL AND (id = $3 OR $3 IS NULL)",
};

impl CountsTable {
    /// The clause of an upsert that adds the counts to those of a stored row.
    pub fn addition(&self) -> String {
        let Self { name, id, counts, .. } = self;
        let sums = counts.map(|count| format!("{count} = {name}.{count} + excluded.{count}")).join(", ");
        format!("ON CONFLICT (hour, {id}) DO UPDATE SET {sums}")
    }

    /// The columns that every row has.
    pub fn columns(&self) -> String {
        format!("hour, {}, {}", self.id, self.counts.join(", "))
    }

    /// The sums of a reading.
    pub fn sums(&self) -> String {
        let [first, second, third] = self.counts.map(|count| format!("CAST(coalesce(sum({count}), 0) AS BIGINT)"));
        format!("{first} AS first, {second} AS second, {third} AS third")
    }

    /// Deletes at most `$2` rows before the hour `$1`.
    pub fn purge(&self) -> String {
        let Self { name, id, .. } = self;
        format!("DELETE FROM {name} WHERE (hour, {id}) IN (SELECT hour, {id} FROM {name} WHERE hour < $1 LIMIT $2)")
    }
}

/// The counts of one hour, in the order of their columns.
#[derive(Debug, QueryableByName)]
pub struct HourRow {
    #[diesel(sql_type = BigInt)]
    hour: i64,
    #[diesel(sql_type = BigInt)]
    first: i64,
    #[diesel(sql_type = BigInt)]
    second: i64,
    #[diesel(sql_type = BigInt)]
    third: i64,
}

impl HourRow {
    /// The counts of the hours that have any; `None` without rows: each key or subscription that is found has a row for
    /// each hour.
    pub fn counts_of<Counts: From<[u64; 3]>>(rows: &[Self]) -> Option<BTreeMap<Hour, Counts>> {
        let counts = |row: &Self| [row.first, row.second, row.third].map(|count| u64::try_from(count).unwrap_or(0));
        let counted = rows.iter().map(|row| (Hour::from_number(row.hour), counts(row)));
        let counted = counted.filter(|(_, counts)| *counts != [0; 3]);
        (!rows.is_empty()).then(|| counted.map(|(hour, counts)| (hour, counts.into())).collect())
    }
}

/// A count as the databases keep it.
pub fn stored_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
