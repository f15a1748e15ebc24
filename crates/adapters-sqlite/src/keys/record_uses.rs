use std::collections::BTreeMap;
use std::fmt::Write;

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_mapping::keys::latest_uses;
use domain::{KeyId, KeyUse, Timestamp};

/// Forward only: a use that is not newer than the stored one changes nothing. The keys come as one JSON object, because
/// a statement for each of them would be prepared anew each time; it is read in its order, which is that of the index.
/// See decision 40.
const RECORD_USES: &str = "UPDATE api_keys SET last_used_at = used.at
    FROM (SELECT unhex(key) AS id, atom AS at FROM json_each(?)) AS used
    WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)";

/// Moves `last_used_at` forward, in one statement.
pub(crate) fn record_uses(connection: &mut SqliteConnection, uses: &[KeyUse]) -> QueryResult<()> {
    diesel::sql_query(RECORD_USES).bind::<Text, _>(json(&latest_uses(uses))).execute(connection)?;
    Ok(())
}

/// Unix milliseconds by the hexadecimal digits of the id.
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
