use std::collections::BTreeMap;
use std::fmt::Write;

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_mapping::keys::latest_uses;
use domain::{KeyId, KeyUse, Timestamp};

/// Moves `last_used_at` forward only. The keys are one JSON object, because diesel would prepare a statement for each key
/// again each time. SQLite reads the object in its order, which is the order of the index.
/// See decision 40.
const RECORD_USES: &str = "UPDATE api_keys SET last_used_at = used.at
    FROM (SELECT unhex(key) AS id, atom AS at FROM json_each(?)) AS used
    WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)";

/// Records all uses in one statement.
pub(crate) fn record_uses(connection: &mut SqliteConnection, uses: &[KeyUse]) -> QueryResult<()> {
    diesel::sql_query(RECORD_USES).bind::<Text, _>(json(&latest_uses(uses))).execute(connection)?;
    Ok(())
}

/// A JSON object from key id, in hexadecimal digits, to Unix milliseconds.
fn json(uses: &BTreeMap<KeyId, Timestamp>) -> String {
    let mut json = String::with_capacity(uses.len() * 50 + 2);
    for (id, at) in uses {
        json.push(if json.is_empty() { '{' } else { ',' });
        // Writing to a String cannot fail.
        let _ = write!(json, "\"{:032x}\":{}", u128::from_be_bytes(*id.as_bytes()), at.unix_millis());
    }
    json.push('}');
    json
}
