use std::collections::BTreeMap;

use domain::{KeyId, KeyUse, Timestamp};

/// The latest use of each key, in the order of the key ids. No statement may update a row twice, and two statements that
/// lock rows in the same order cannot deadlock.
pub fn latest_uses(uses: &[KeyUse]) -> BTreeMap<KeyId, Timestamp> {
    let mut latest = BTreeMap::new();
    for used in uses {
        let at = latest.entry(used.id).or_insert(used.at);
        *at = used.at.max(*at);
    }
    latest
}
