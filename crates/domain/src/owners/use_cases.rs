use std::sync::Arc;

use super::owner_change::{OwnerChange, OwnerProfile, OwnerStateChange};
use super::owner_record::OwnerRecord;
use crate::audit::{Cause, Origin};
use crate::ports::{
    ChangeOwnerRequest, ChangedOwner, Clock, Entropy, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use crate::{InvalidMetadata, OwnerId, OwnerPage, OwnerPlace, OwnerQuery, Patch};

/// The use cases of the records of owners, which hosts see and change.
#[derive(Clone)]
pub struct Owners {
    store: Arc<dyn OwnerStore>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

/// Which owners a list has.
#[derive(Clone, Debug)]
pub struct OwnerFilter {
    /// The provider that knows the owners.
    pub issuer: String,
    /// What matches; `None` for all owners.
    pub query: Option<OwnerQuery>,
    /// Only suspended owners, or only active ones.
    pub is_suspended: Option<bool>,
}

/// Why a record was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeOwnerError {
    /// The metadata would break a limit.
    #[error(transparent)]
    Metadata(#[from] InvalidMetadata),
    /// The store failed. The record may be changed all the same.
    #[error("the record of the owner could not be changed")]
    Store(#[from] StoreError),
}

impl Owners {
    /// The use cases on these ports.
    pub fn new(store: Arc<dyn OwnerStore>, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { store, clock, entropy }
    }

    /// The record of the owner.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        self.store.find(owner).await
    }

    /// A page of at most `max` owners, with what they have now.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(
        &self,
        filter: OwnerFilter,
        after: Option<OwnerPlace>,
        max: u32,
    ) -> Result<OwnerPage, StoreError> {
        let OwnerFilter { issuer, query, is_suspended } = filter;
        let at = self.clock.now();
        self.store.list(&ListOwnersRequest { issuer, query, is_suspended, after, max, at }).await
    }

    /// Changes the record, and returns it. Of two changes at once the last one wins for each field, and none is lost.
    ///
    /// # Errors
    ///
    /// See [`ChangeOwnerError`].
    pub async fn change(
        &self,
        owner: &OwnerId,
        change: OwnerChange,
        origin: &Origin,
    ) -> Result<OwnerRecord, ChangeOwnerError> {
        let cause = Cause::new(origin, self.clock.now(), &*self.entropy);
        match self.store.change(&ChangeOwnerRequest { owner: owner.clone(), change, cause }).await? {
            ChangedOwner::Changed(record) => Ok(*record),
            ChangedOwner::Refused(invalid) => Err(invalid.into()),
        }
    }

    /// Sets a name and an address that nobody has set, from what the identity provider says of a user who signs in. A
    /// suspended user may be one whom the provider has deleted, and stays without.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn fill(&self, owner: &OwnerId, profile: OwnerProfile, origin: &Origin) -> Result<(), StoreError> {
        let OwnerProfile { name, email } = profile;
        let before = self.find(owner).await?;
        let is_new = (name.is_some() && before.name.is_none()) || (email.is_some() && before.email.is_none());
        if !is_new || before.suspension.is_some() {
            return Ok(());
        }
        let (name, email) = (name.map_or(Patch::Keep, Patch::Set), email.map_or(Patch::Keep, Patch::Set));
        let change = OwnerChange { name, email, keeps_profile: true, ..OwnerChange::default() };
        let cause = Cause::new(origin, self.clock.now(), &*self.entropy);
        self.store.change(&ChangeOwnerRequest { owner: owner.clone(), change, cause }).await.map(drop)
    }

    /// Suspends or activates the owner, and returns the record.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn set_state(
        &self,
        owner: &OwnerId,
        state: OwnerStateChange,
        origin: &Origin,
    ) -> Result<OwnerRecord, StoreError> {
        let at = self.clock.now();
        let cause = Cause::new(origin, at, &*self.entropy);
        self.store.set_state(&SetOwnerStateRequest { owner: owner.clone(), state, at, cause }).await
    }
}
