use std::collections::BTreeMap;

use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::latest_uses;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::{KeyId, KeyUse, Timestamp};

use crate::attempt::{Failure, Work};

/// Never moves the time of the last use back. The rows are locked in the order of their ids, so that two batches cannot
/// deadlock. A row that would not change is neither locked nor written.
const RECORD_USES: &str = "UPDATE api_keys SET last_used_at = used.at
    FROM (
        SELECT key.id, noted.at
        FROM unnest($1, $2) AS noted (id, at)
        JOIN api_keys AS key ON key.id = noted.id
        WHERE key.last_used_at IS NULL OR key.last_used_at < noted.at
        ORDER BY key.id
        FOR NO KEY UPDATE OF key
    ) AS used
    WHERE api_keys.id = used.id AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < used.at)";

/// Moves `last_used_at` forward. One statement; repeating it changes nothing.
pub(crate) struct RecordUses(BTreeMap<KeyId, Timestamp>);

impl RecordUses {
    /// The latest use of each key.
    pub(crate) fn new(uses: &[KeyUse]) -> Self {
        Self(latest_uses(uses))
    }
}

impl Work for RecordUses {
    type Answer = ();

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<(), Failure> {
        let ids: Vec<&[u8]> = self.0.keys().map(|id| id.as_bytes().as_slice()).collect();
        let instants: Vec<StoredInstant> = self.0.values().map(|at| StoredInstant::from(*at)).collect();
        let update = diesel::sql_query(RECORD_USES).bind::<Array<Binary>, _>(ids).bind::<Array<Instant>, _>(instants);
        Kept(update).execute(&mut &*connection).await?;
        Ok(())
    }
}
