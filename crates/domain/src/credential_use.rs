use std::collections::{BTreeMap, HashMap};

use crate::Timestamp;

/// One use of a credential, by the id of its kind: an API key that was verified, or a session that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialUse<Id> {
    /// The credential.
    pub id: Id,
    /// When it was used.
    pub at: Timestamp,
}

impl<Id: Copy + Ord> CredentialUse<Id> {
    /// The latest use of each credential, in the order of the ids. No SQL statement may update a row twice, and two
    /// statements that lock rows in the same order cannot deadlock.
    pub fn latest(uses: &[Self]) -> BTreeMap<Id, Timestamp> {
        let mut latest = BTreeMap::new();
        for used in uses {
            let at = latest.entry(used.id).or_insert(used.at);
            *at = used.at.max(*at);
        }
        latest
    }
}

/// Uses of credentials that are noted and may not be stored yet. The verifier implements this for API keys and for
/// sessions.
pub trait RecentUses<Id>: Send + Sync {
    /// The latest noted use of each of these credentials. Credentials without a noted use are absent.
    fn last_uses(&self, ids: &[Id]) -> HashMap<Id, Timestamp>;
}

/// For callers that note no uses: no credential has a recent use.
impl<Id> RecentUses<Id> for () {
    fn last_uses(&self, _: &[Id]) -> HashMap<Id, Timestamp> {
        HashMap::new()
    }
}
