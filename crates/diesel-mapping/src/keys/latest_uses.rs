use std::collections::BTreeMap;

use domain::{KeyId, KeyUse, Timestamp};

/// The latest use of each key, in the order of their ids: no statement may meet a row twice, and two that lock rows in
/// one order never wait for each other in a circle.
pub fn latest_uses(uses: &[KeyUse]) -> BTreeMap<KeyId, Timestamp> {
    let mut latest = BTreeMap::new();
    for used in uses {
        let at = latest.entry(used.id).or_insert(used.at);
        *at = used.at.max(*at);
    }
    latest
}
