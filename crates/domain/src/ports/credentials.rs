use std::collections::{HashMap, HashSet};

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::sessions::Session;
use crate::{ApiKey, CredentialDigest, CredentialUse, KeyId, OwnerRates, SessionId};

/// A record that is stored under the digest of a credential.
pub trait StoredCredential: Send + Sync + 'static {
    /// Identifies it among the records of its kind.
    type Id: Copy + Send + Sync + 'static;
}

impl StoredCredential for ApiKey {
    type Id = KeyId;
}

impl StoredCredential for Session {
    type Id = SessionId;
}

/// The part of a store that verification calls: for API keys, and for sessions.
#[async_trait]
pub trait CredentialStore<Stored: StoredCredential>: Send + Sync {
    /// The records that are stored under these digests, in any state: ended ones too. [`Found::suspended`] says whose
    /// owner is suspended, and [`Found::rates`] which rate limits the owner has ([`OwnerStore`](super::OwnerStore)).
    ///
    /// - It sees every earlier commit. It never reads a cache, or a replica that lags behind.
    /// - Callers pass at most [`CredentialDigest::LOOK_UP_MAX`] digests, each once. Each cold verification waits for
    ///   this, mostly with one digest.
    /// - If a part of the store fails, the answer has the records of the other parts, and the failure.
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Stored>;

    /// [`CredentialStore::find_by_digests`] for one digest; `None` if no record is stored under it.
    async fn find_by_digest(&self, digest: &CredentialDigest) -> Result<Option<Stored>, StoreError> {
        let found = self.find_by_digests(&[*digest]).await.complete()?;
        Ok(found.into_iter().next().map(|(_, stored)| stored))
    }

    /// Moves the last use of each named credential forward to `at`, never back, and changes no other field.
    ///
    /// Ids that are not stored are skipped: a use never brings back a session that was ended. Of several uses of one
    /// credential, the latest counts.
    async fn record_uses(&self, uses: &[CredentialUse<Stored::Id>]) -> Result<(), StoreError>;
}

/// The result of a look-up of several digests.
#[derive(Debug)]
pub struct Found<Stored> {
    /// The records that were found, each with its digest, in any order.
    pub stored: Vec<(CredentialDigest, Stored)>,
    /// Those of the digests whose record belongs to a suspended owner. Verification refuses them.
    pub suspended: HashSet<CredentialDigest>,
    /// The rate limits of the owner, for those of the digests whose owner has any.
    pub rates: HashMap<CredentialDigest, OwnerRates>,
    /// The error that kept the store from looking for all of them. Without it, the other digests are not stored.
    pub failure: Option<StoreError>,
}

impl<Stored> Found<Stored> {
    /// The answer of a store that succeeds or fails as a whole.
    pub fn of(outcome: Result<Vec<LookedUp<Stored>>, StoreError>) -> Self {
        outcome.map_or_else(Self::from, Self::from_iter)
    }

    /// The rate limits of the owner of the record with this digest.
    pub fn rates_of(&self, digest: &CredentialDigest) -> OwnerRates {
        self.rates.get(digest).copied().unwrap_or_default()
    }

    /// The same without the records of suspended owners.
    #[must_use]
    pub fn of_active_owners(mut self) -> Self {
        self.stored.retain(|(digest, _)| !self.suspended.contains(digest));
        self
    }

    /// All records.
    ///
    /// # Errors
    ///
    /// If the store did not look for all of them.
    pub fn complete(self) -> Result<Vec<(CredentialDigest, Stored)>, StoreError> {
        self.failure.map_or(Ok(self.stored), Err)
    }
}

/// A record that was looked up.
#[derive(Clone, Debug)]
pub struct LookedUp<Stored> {
    /// The digest under which it is stored.
    pub digest: CredentialDigest,
    /// The record.
    pub stored: Stored,
    /// Whether its owner is suspended.
    pub is_suspended: bool,
    /// The rate limits of its owner.
    pub rates: OwnerRates,
}

impl<Stored> FromIterator<LookedUp<Stored>> for Found<Stored> {
    fn from_iter<Records: IntoIterator<Item = LookedUp<Stored>>>(records: Records) -> Self {
        let (mut stored, mut suspended, mut rates) = (Vec::new(), HashSet::new(), HashMap::new());
        for record in records {
            if record.is_suspended {
                suspended.insert(record.digest);
            }
            if record.rates != OwnerRates::default() {
                rates.insert(record.digest, record.rates);
            }
            stored.push((record.digest, record.stored));
        }
        Self { stored, suspended, rates, failure: None }
    }
}

impl<Stored> From<StoreError> for Found<Stored> {
    fn from(error: StoreError) -> Self {
        Self { failure: Some(error), ..Self::from_iter([]) }
    }
}

/// The answer of a store without records of owners.
impl<Stored> From<Result<Vec<(CredentialDigest, Stored)>, StoreError>> for Found<Stored> {
    fn from(outcome: Result<Vec<(CredentialDigest, Stored)>, StoreError>) -> Self {
        let found = |stored| Self { stored, ..Self::from_iter([]) };
        outcome.map_or_else(Self::from, found)
    }
}
