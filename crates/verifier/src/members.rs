use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{CredentialStore, Found, OwnerStore, StoreError};
use domain::{ApiKey, CredentialDigest, KeyUse, OwnerId};
use futures_util::stream::{self, StreamExt};

/// The most concurrent reads of records for one look-up.
const READS_MAX: usize = 8;

/// Finds keys of organizations as suspended if the member who made them is. A suspension writes nothing to the keys. See decision
/// 142.
pub(crate) struct KeysOfMembers {
    pub(crate) keys: Arc<dyn CredentialStore<ApiKey>>,
    /// The records of the members.
    pub(crate) members: Arc<dyn OwnerStore>,
}

impl KeysOfMembers {
    /// Whether these members are suspended.
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
        let states = self.suspended(members).await;
        let suspended = &mut found.suspended;
        found.stored.retain(|(digest, key)| match key.created_by.as_ref().and_then(|member| states.get(member)) {
            None | Some(Ok(false)) => true,
            Some(Ok(true)) => {
                suspended.insert(*digest);
                true
            }
            Some(Err(_)) => false,
        });
        // Whether the removed keys are good is unknown.
        found.failure = found.failure.or_else(|| states.into_values().find_map(Result::err));
        found
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.keys.record_uses(uses).await
    }
}
