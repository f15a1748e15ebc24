use std::cmp::Reverse;

use crate::{ApiKey, Timestamp};

/// How many revoked or expired keys a list shows beside the good ones: the most recently ended.
pub const LISTED_ENDED_KEYS_MAX: u32 = 100;

/// Which of an owner's keys a list shows: every good one, those that are being replaced included, and the most
/// recently ended. See decision 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListView {
    /// The instant at which "good" and "ended" are decided.
    pub at: Timestamp,
    /// How many ended keys are shown, those that ended last.
    pub ended_max: u32,
}

impl ListView {
    /// What users see at `at`.
    pub fn at(at: Timestamp) -> Self {
        Self { at, ended_max: LISTED_ENDED_KEYS_MAX }
    }

    /// Picks what the view shows of all keys of one owner, newest first (by creation, then by id).
    ///
    /// The reference for what SQL adapters say in SQL. Of keys that ended at the same instant, the ones with the
    /// greater id are shown.
    pub fn select(self, keys: impl IntoIterator<Item = ApiKey>) -> Vec<ApiKey> {
        let (mut shown, mut ended): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| key.is_good(self.at));
        ended.sort_by_key(|key| Reverse((key.ended_at(self.at), key.id)));
        ended.truncate(self.ended_max as usize);
        shown.append(&mut ended);
        shown.sort_by_key(|key| Reverse((key.created_at, key.id)));
        shown
    }
}
