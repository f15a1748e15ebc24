use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::{SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth};
use crate::{SubscriptionId, Timestamp, UserId};

/// What became of a subscription's insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionInsertion {
    /// Stored.
    Stored,
    /// Not stored: the owner has as many as allowed.
    LimitReached,
}

/// Stores subscriptions. One that is deleted is found by none of these methods.
#[async_trait]
pub trait SubscriptionStore: Send + Sync {
    /// Stores `subscription` as it is given, with its secret and an empty lane, unless its owner has `max` already.
    ///
    /// - Exact under any concurrency, from any number of processes.
    /// - Disabled ones count, deleted ones do not. An id that is stored already is [`StoreError::Duplicate`].
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
    ) -> Result<SubscriptionInsertion, StoreError>;

    /// The owner's subscriptions with ids below `before`, the newest first, at most `max`.
    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError>;

    /// The owner's subscription and how it fares; `None` when there is none, or it is another user's.
    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError>;

    /// Changes the owner's subscription as [`SubscriptionChange::applied_to`] says, and answers with it as it is then;
    /// `None` when there is none, or it is another user's.
    ///
    /// - Of parallel changes none is lost.
    /// - Enabling what was disabled opens the lane with a [`Breaker`](crate::webhooks::Breaker) as new. Disabling
    ///   closes it: see [`DeliveryQueue::end_closed`](crate::ports::DeliveryQueue::end_closed).
    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
    ) -> Result<Option<Subscription>, StoreError>;

    /// Makes `secret` the current one; the one before signs until `previous_until`, and a third is forgotten. Sets
    /// `updated_at`. `None` when there is no such subscription, or it is another user's.
    async fn rotate_secret(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        secret: &SealedSecret,
        previous_until: Timestamp,
        at: Timestamp,
    ) -> Result<Option<Subscription>, StoreError>;

    /// Deletes the owner's subscription; `false` when there is none, or it is another user's. Its secrets are gone at
    /// once, its lane is closed, and its deliveries stay in the log until they are purged.
    async fn delete(&self, owner: &UserId, id: SubscriptionId, at: Timestamp) -> Result<bool, StoreError>;

    /// The stored secrets of all owners' subscriptions with ids above `after`, in order, at most `max`: for sealing
    /// them again under another key.
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError>;

    /// Puts `to` in the place of `from`, if that is still what is stored, and answers whether it was.
    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError>;
}
