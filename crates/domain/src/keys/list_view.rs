use std::cmp::Reverse;

use crate::{ApiKey, Timestamp};

/// How many ended keys a list shows at most, the last ended ones first.
pub const LISTED_ENDED_KEYS_MAX: u32 = 100;

/// Selects the keys that a list shows: every good key, including keys with a successor, and the keys that ended last.
/// See decision 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListView {
    /// The instant at which keys count as good or ended.
    pub at: Timestamp,
    /// How many ended keys are shown.
    pub ended_max: u32,
}

impl ListView {
    /// The list that users see at `at`.
    pub fn at(at: Timestamp) -> Self {
        Self { at, ended_max: LISTED_ENDED_KEYS_MAX }
    }

    /// Selects from all keys of one owner, newest first (by creation, then by id).
    ///
    /// SQL adapters repeat this rule in SQL, and the conformance suite compares the two. Of keys that ended at the same
    /// instant, those with the greater ids are shown.
    pub fn select(self, keys: impl IntoIterator<Item = ApiKey>) -> Vec<ApiKey> {
        let end = |key: &ApiKey| key.ended_at(self.at).map(|at| (at, key.id));
        let mut shown: Vec<ApiKey> = keys.into_iter().collect();
        let mut ends: Vec<_> = shown.iter().filter_map(end).collect();
        ends.sort_unstable_by_key(|end| Reverse(*end));
        if let Some(first_hidden) = ends.get(self.ended_max as usize) {
            shown.retain(|key| end(key).is_none_or(|end| end > *first_hidden));
        }
        shown.sort_unstable_by_key(|key| Reverse((key.created_at, key.id)));
        shown
    }
}
