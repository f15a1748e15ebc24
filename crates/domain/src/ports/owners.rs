use async_trait::async_trait;

use super::store_error::StoreError;
use crate::audit::Cause;
use crate::{
    InvalidMetadata, OwnerChange, OwnerId, OwnerPage, OwnerPlace, OwnerQuery, OwnerRecord, OwnerStateChange, Timestamp,
};

/// Asks for [`OwnerStore::change`].
#[derive(Clone, Debug)]
pub struct ChangeOwnerRequest {
    /// The owner.
    pub owner: OwnerId,
    /// The change, which decides by the stored record.
    pub change: OwnerChange,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`OwnerStore::set_state`].
#[derive(Clone, Debug)]
pub struct SetOwnerStateRequest {
    /// The owner.
    pub owner: OwnerId,
    /// The new state.
    pub state: OwnerStateChange,
    /// The time of the change.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedOwner {
    /// The record is stored as the change asks.
    Changed(Box<OwnerRecord>),
    /// The metadata would break a limit; nothing changed.
    Refused(InvalidMetadata),
}

/// Asks for [`OwnerStore::list`].
#[derive(Clone, Debug)]
pub struct ListOwnersRequest {
    /// The provider of the owners: their [`OwnerId::provider`].
    pub issuer: String,
    /// What matches; `None` for all owners.
    pub query: Option<OwnerQuery>,
    /// Only suspended owners, or only active ones.
    pub is_suspended: Option<bool>,
    /// The owners behind this place.
    pub after: Option<OwnerPlace>,
    /// The most owners of the answer.
    pub max: u32,
    /// The time at which keys are active.
    pub at: Timestamp,
}

impl ListOwnersRequest {
    /// The issuers of the users and of the organizations.
    pub fn issuers(&self) -> [String; 2] {
        OwnerId::issuers_of(&self.issuer)
    }
}

/// Stores what hosts set for owners. It is one store with those of keys, sessions and webhooks, which obey the records.
///
/// **Limits.** [`KeyStore::insert_within`](super::KeyStore::insert_within) and
/// [`SubscriptionStore::insert_within`](super::SubscriptionStore::insert_within) read the owner's
/// [`OwnerLimits`](crate::OwnerLimits) in their transaction, in place of the maximum of the request. So the maximum is
/// exact, and a changed one holds for every creation that begins after the change.
///
/// **Rate limits.** [`Found::rates`](super::Found::rates) has them with the keys and the sessions of the owner.
///
/// **Suspension.** As long as an owner is suspended
/// - [`Found::suspended`](super::Found::suspended) has the keys and the sessions of the owner;
/// - [`DeliveryQueue::claim`](super::DeliveryQueue::claim) claims nothing of the owner's lanes, and no publication claims
///   of them for the dispatcher of its process. Deliveries of these lanes are stored and wait.
///
/// When it ends, all of this is as before. [`Breaker::rested`](crate::webhooks::Breaker::rested) says what it means for
/// the lanes: the days of a suspension are not days of failure. A claim counts the run of a delivery from
/// [`OwnerRecord::rested_until`] at the earliest, so that no schedule runs out while it waits.
#[async_trait]
pub trait OwnerStore: Send + Sync {
    /// The record of the owner; the default record if nothing is set.
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError>;

    /// Changes the owner's record by [`OwnerChange::apply_to`].
    ///
    /// - No change is lost when changes run in parallel.
    /// - [`Cause::owner_changed`] is the event of a call that changes the record.
    /// - A call that changes [`OwnerRecord::rates`] reports
    ///   [`CredentialDigest::of_owner`](crate::CredentialDigest::of_owner) to the [`ChangeFeed`](super::ChangeFeed), and no
    ///   other call does, so that a new name costs no cache anything.
    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError>;

    /// Changes the owner's record by [`OwnerStateChange::apply_to`], and returns it.
    ///
    /// - [`Suspension::by`](crate::Suspension::by) comes back: the host and the identity provider each end their own suspension
    ///   only.
    /// - However many keys and sessions the owner has, none of them is written.
    /// - [`Cause::owner_changed`] is the event of a call that changes the record. Such a call reports
    ///   [`CredentialDigest::of_owner`](crate::CredentialDigest::of_owner) to the [`ChangeFeed`](super::ChangeFeed).
    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError>;

    /// The owners with a record, a key or a subscription that is stored, which [`OwnerSearch`](crate::OwnerSearch) admits,
    /// from `after` on.
    ///
    /// - An owner comes once, however much matches. One who is in the list and does not change is on exactly one page,
    ///   whatever else changes between the pages.
    /// - The store reads what [`OwnerSearch::next_read`](crate::OwnerSearch::next_read) names, by an index: the time does
    ///   not depend on the number of owners, nor on how many of them match.
    /// - [`OwnerCounts`] count the active keys at `at`, and the subscriptions that are neither disabled nor deleted.
    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError>;
}

/// Asks for [`Erasure::erase`].
#[derive(Clone, Debug)]
pub struct EraseRequest {
    /// The owner.
    pub owner: OwnerId,
    /// The time of the call.
    pub at: Timestamp,
    /// Rows of subscriptions go that were deleted before this time.
    pub settled: Timestamp,
    /// About the most rows of the call.
    pub max: u32,
}

/// Erases owners. It is one store with those of keys, sessions, webhooks and the audit log.
///
/// It deletes keys, sessions, subscriptions with their secrets, deliveries, attempts with the answers of receivers, payloads,
/// the ids of publishers, the record. Events of the audit log stay without their changes and addresses. Counts by the hour
/// stay, which name keys and subscriptions only, and so does the id of the owner at events without deliveries, until their
/// retention ends. See decision 139.
#[async_trait]
pub trait Erasure: Send + Sync {
    /// At most `max` owners with [`OwnerRecord::erasing_since`], those first who have waited longest.
    async fn erasing(&self, max: u32) -> Result<Vec<OwnerId>, StoreError>;

    /// Erases about `max` rows of the owner, if the owner is being erased, and returns how many; 0 if none is left that can
    /// be erased now. Rows of any other owner stay.
    ///
    /// - Subscriptions are deleted first, so that no publication adds deliveries to them. Their rows go last.
    /// - An attempt in progress stores no result.
    /// - Events that are to be announced stay until they are.
    async fn erase(&self, request: &EraseRequest) -> Result<u32, StoreError>;

    /// Ends the erasure if the owner has no rows left but the record, which it deletes. Returns whether the erasure has ended. [`Cause::owner_erased`] is the event. Reports [`CredentialDigest::of_owner`](crate::CredentialDigest::of_owner)
    /// to the [`ChangeFeed`](super::ChangeFeed).
    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Result<bool, StoreError>;
}
