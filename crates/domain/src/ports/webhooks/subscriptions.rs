use async_trait::async_trait;

use crate::audit::Cause;
use crate::ports::StoreError;
use crate::webhooks::{
    ChangedSubscription, DisableReason, InvalidOptions, SealedSecret, SealedSecrets, SigningKind, Subscription,
    SubscriptionChange, SubscriptionHealth,
};
use crate::{KeyId, OwnerId, SubscriptionId, Timestamp};

/// Asks for [`SubscriptionStore::insert_within`].
#[derive(Clone, Debug)]
pub struct InsertSubscriptionRequest {
    /// The subscription to store.
    pub subscription: Subscription,
    /// Its secret.
    pub secret: SealedSecret,
    /// The most subscriptions of the owner, the new one included.
    /// [`OwnerLimits::max_subscriptions`](crate::OwnerLimits::max_subscriptions) takes its place.
    pub max: u32,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`SubscriptionStore::list`].
#[derive(Clone, Debug)]
pub struct ListSubscriptionsRequest {
    /// The user who owns the subscriptions.
    pub owner: OwnerId,
    /// The subscriptions have ids below this one.
    pub before: Option<SubscriptionId>,
    /// The most subscriptions of the answer.
    pub max: u32,
}

/// Asks for [`SubscriptionStore::update`].
#[derive(Clone, Debug)]
pub struct ChangeSubscriptionRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub id: SubscriptionId,
    /// The change.
    pub change: SubscriptionChange,
    /// The time of the change.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`SubscriptionStore::disable_set_by`].
#[derive(Clone, Debug)]
pub struct DisableSetByRequest {
    /// The keys.
    pub keys: Vec<KeyId>,
    /// Why the subscriptions are disabled.
    pub reason: DisableReason,
    /// The time of the change.
    pub at: Timestamp,
    /// The most subscriptions that the call disables.
    pub max: u32,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`SubscriptionStore::rotate_secret`].
#[derive(Clone, Debug)]
pub struct RotateSecretRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub id: SubscriptionId,
    /// The kind that the current secret must have; `None` for any.
    pub of_kind: Option<SigningKind>,
    /// The new secret.
    pub secret: SealedSecret,
    /// Until when the previous secret signs.
    pub previous_until: Timestamp,
    /// The time of the change.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

impl RotateSecretRequest {
    /// The secrets after the rotation; `None` if it is refused, because the current secret is of another kind, or by
    /// [`SealedSecrets::allow_rotation`].
    pub fn applied_to(&self, before: &SealedSecrets) -> Option<SealedSecrets> {
        let is_of_kind = self.of_kind.is_none_or(|kind| before.is_of(kind));
        let is_allowed = is_of_kind && before.allow_rotation(self.at, self.previous_until);
        is_allowed.then(|| SealedSecrets {
            current: self.secret.clone(),
            previous: Some((before.current.clone(), self.previous_until)),
            options: before.options.clone(),
        })
    }
}

/// Asks for [`SubscriptionStore::delete`].
#[derive(Clone, Debug)]
pub struct DeleteSubscriptionRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub id: SubscriptionId,
    /// The time of the deletion.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// The result of inserting a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionInsertion {
    /// Stored.
    Stored,
    /// Not stored: the owner already has the maximum of subscriptions.
    LimitReached {
        /// The maximum that holds for the owner.
        max: u32,
    },
    /// Not stored: the owner has deleted too many subscriptions that are still stored for the log.
    TooManyDeleted {
        /// The maximum of deleted ones that holds for the owner.
        max: u32,
    },
}

impl SubscriptionInsertion {
    /// How many deleted subscriptions an owner may have for each one of the maximum. Lists of deliveries read all of
    /// them.
    pub const DELETED_MAX: u32 = 100;

    /// Decides about another subscription of an owner with `existing` subscriptions and `deleted` ones that are still
    /// stored.
    #[must_use]
    pub fn within(max: u32, existing: u64, deleted: u64) -> Self {
        let deleted_max = max.saturating_mul(Self::DELETED_MAX);
        if existing >= max.into() {
            Self::LimitReached { max }
        } else if deleted >= deleted_max.into() {
            Self::TooManyDeleted { max: deleted_max }
        } else {
            Self::Stored
        }
    }
}

/// The result of changing a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptionUpdate {
    /// The subscription is stored as the change asks.
    Changed(Box<ChangedSubscription>),
    /// [`SubscriptionChange::applied_to`] refused. Nothing changed.
    Refused(InvalidOptions),
    /// There is no such subscription, or it belongs to another user.
    NotFound,
}

/// The result of giving a subscription a new secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretRotation {
    /// The new secret is stored.
    Rotated(Subscription),
    /// The call had no effect: [`RotateSecretRequest::applied_to`] refused. The subscription and its secrets as they are
    /// stored.
    Refused(Subscription, SealedSecrets),
    /// There is no such subscription, or it belongs to another user.
    NotFound,
}

/// Stores subscriptions. No method finds a deleted subscription. A change and the events of its [`Cause`] are one: see
/// [`AuditLog`](crate::ports::AuditLog).
#[async_trait]
pub trait SubscriptionStore: Send + Sync {
    /// Stores the subscription with every field unchanged, its secret and an empty lane, unless its owner already has
    /// `max` subscriptions. Its [`signing`](Subscription::signing) is always that of the stored secrets.
    ///
    /// - The maximum is exact under any concurrency, from any number of processes.
    /// - [`SubscriptionInsertion::within`] decides. Disabled subscriptions count as existing. Deleted ones count as
    ///   deleted until the purge forgets them ([`Retained::Webhooks`](crate::ports::Retained::Webhooks)). If the id is
    ///   stored already, the result is [`StoreError::Duplicate`].
    async fn insert_within(&self, request: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError>;

    /// A page of the owner's subscriptions, newest first.
    async fn list(&self, request: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError>;

    /// [`SubscriptionStore::list`], each with its health. It takes a few statements, however many there are.
    async fn list_with_health(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError>;

    /// The owner's subscription and its health; `None` if the owner has none with this id.
    async fn find(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError>;

    /// Changes the owner's subscription by [`SubscriptionChange::applied_to`], and returns the changed subscription.
    ///
    /// - No change is lost when changes run in parallel.
    /// - Enabling a disabled subscription opens its lane with a new [`Breaker`](crate::webhooks::Breaker). Disabling
    ///   closes the lane: see [`DeliveryQueue::end_closed`](crate::ports::DeliveryQueue::end_closed).
    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError>;

    /// Disables at most `max` subscriptions of any owners that have their URL from one of `keys`, for the reason of the
    /// request, and returns their number. Fewer than `max` mean that none remains. After an error some may remain.
    ///
    /// Each is disabled as by [`SubscriptionStore::update`]: its lane is closed, and `updated_at` becomes `at`.
    /// Subscriptions that are disabled for another reason get this one.
    async fn disable_set_by(&self, request: &DisableSetByRequest) -> Result<u32, StoreError>;

    /// Makes the secret of the request the current one and sets `updated_at`. The previous secret signs until
    /// `previous_until`; a third one is deleted.
    ///
    /// [`RotateSecretRequest::applied_to`] decides whether the stored secrets allow it. Of parallel rotations with an
    /// overlap, one stores its secret.
    async fn rotate_secret(&self, request: &RotateSecretRequest) -> Result<SecretRotation, StoreError>;

    /// Deletes the owner's subscription; `false` if the owner has none with this id. Its secrets and options are deleted at
    /// once, its lane is closed, and its deliveries stay in the log until they are purged.
    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError>;
}

/// Asks for [`SealedSecretStore::replace_secrets`].
#[derive(Clone, Debug)]
pub struct ReplaceSecretsRequest {
    /// The subscription, of any owner.
    pub id: SubscriptionId,
    /// The secrets that must be stored.
    pub from: SealedSecrets,
    /// The secrets to store.
    pub to: SealedSecrets,
}

/// Keeps the secrets of subscriptions sealed when the sealing key changes, and the check that detects a wrong key.
#[async_trait]
pub trait SealedSecretStore: Send + Sync {
    /// The stored secrets of at most `max` subscriptions of any owners, with ids above `after`, in the order of ids.
    /// They are read to be sealed again under another key.
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError>;

    /// The stored secrets of a subscription of any owner; `None` if there is no such subscription, or it is deleted. Their
    /// public part is for everybody, who does not know the owner.
    async fn find_secrets(&self, id: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError>;

    /// Replaces the stored secrets if they still equal those of the request, and returns whether they did.
    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError>;

    /// The check that [`SealedSecretStore::keep_check`] stored last, if there is one. Only reads.
    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError>;

    /// Stores `check` if the store has `replaced`, and returns the check that the store has afterwards. There is at
    /// most one check; `None` stands for no check. Callers pass the result of an earlier call as `replaced`.
    ///
    /// Of parallel calls that replace the same check, one stores its own, and all return it.
    async fn keep_check(
        &self,
        replaced: Option<&SealedSecret>,
        check: &SealedSecret,
    ) -> Result<SealedSecret, StoreError>;
}
