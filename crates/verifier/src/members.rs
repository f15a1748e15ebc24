use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{CredentialStore, Found, OwnerStore, StoreError};
use domain::{ApiKey, CredentialDigest, KeyUse, OwnerId};
use futures_util::stream::{self, StreamExt};

/// The most concurrent reads of records for one look-up.
const READS_MAX: usize = 8;

/// Keys of organizations that are suspended with the member who made them, however many there are: nothing is written to them.
/// See decision 142.
pub(crate) struct KeysOfMembers {
    pub(crate) keys: Arc<dyn CredentialStore<ApiKey>>,
    /// The records of the members.
    pub(crate) members: Arc<dyn OwnerStore>,
}

impl KeysOfMembers {
    /// Whether each of these members is suspended.
    async fn suspended(&self, members: HashSet<OwnerId>) -> HashMap<OwnerId, Result<bool, StoreError>> {
        let read = async |member: OwnerId| {
            let record = self.members.find(&member).await;
            (member, record.map(|record| record.suspension.is_some()))
        };
        stream::iter(members).map(read).buffer_unordered(READS_MAX).collect().await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for KeysOfMembers {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        let mut found = self.keys.find_by_digests(digests).await;
        let members: HashSet<OwnerId> = found.stored.iter().filter_map(|(_, key)| key.created_by.clone()).collect();
        if members.is_empty() {
            return found;
        }
        let mut states = self.suspended(members).await;
        let is_known =
            |key: &ApiKey| key.created_by.as_ref().is_none_or(|member| matches!(states.get(member), Some(Ok(_))));
        found.stored.retain(|(_, key)| is_known(key));
        let is_suspended =
            |key: &ApiKey| key.created_by.as_ref().is_some_and(|member| matches!(states.get(member), Some(Ok(true))));
        found.suspended.extend(found.stored.iter().filter(|(_, key)| is_suspended(key)).map(|(digest, _)| *digest));
        // Without its member's record, it is unknown whether a key is good.
        found.failure = found.failure.or_else(|| states.drain().find_map(|(_, state)| state.err()));
        found
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.keys.record_uses(uses).await
    }
}
