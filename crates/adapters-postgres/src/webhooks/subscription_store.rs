use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{SealedSecretStore, SecretRotation, StoreError, SubscriptionInsertion, SubscriptionStore};
use domain::webhooks::{
    DisableReason, SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
};
use domain::{KeyId, SubscriptionId, Timestamp, UserId};

use super::change_subscription::ChangeSubscription;
use super::create_subscription::InsertSubscription;
use super::delete_subscription::DeleteSubscription;
use super::disable_set_by::DisableSetBy;
use super::find_subscription::FindSubscription;
use super::list_subscriptions::{ListSubscriptions, ListWithHealth};
use super::subscription_secrets::{FindCheck, KeepCheck, ListSecrets, ReplaceSecrets, RotateSecret};
use crate::PostgresStore;

#[async_trait]
impl SubscriptionStore for PostgresStore {
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
        cause: &Cause,
    ) -> Result<SubscriptionInsertion, StoreError> {
        self.run_in_turn(&subscription.owner, &InsertSubscription { subscription, secret, max, cause }).await
    }

    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError> {
        self.run(&ListSubscriptions { owner, before, max }).await
    }

    async fn list_with_health(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        self.run(&ListWithHealth { owner, before, max }).await
    }

    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        self.run(&FindSubscription { owner, id }).await
    }

    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Subscription>, StoreError> {
        self.run(&ChangeSubscription { owner, id, change, at, cause }).await
    }

    async fn disable_set_by(
        &self,
        keys: &[KeyId],
        reason: DisableReason,
        at: Timestamp,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        self.run(&DisableSetBy { keys, reason, at, max, cause }).await
    }

    async fn rotate_secret(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        secret: &SealedSecret,
        previous_until: Timestamp,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<SecretRotation, StoreError> {
        self.run(&RotateSecret { owner, id, secret, previous_until, at, cause }).await
    }

    async fn delete(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<bool, StoreError> {
        self.run(&DeleteSubscription { owner, id, at, cause }).await
    }
}

#[async_trait]
impl SealedSecretStore for PostgresStore {
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        self.run(&ListSecrets { after, max }).await
    }

    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError> {
        self.run(&ReplaceSecrets { id, from, to }).await
    }

    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError> {
        self.run(&FindCheck).await
    }

    async fn keep_check(
        &self,
        replaced: Option<&SealedSecret>,
        check: &SealedSecret,
    ) -> Result<SealedSecret, StoreError> {
        self.run(&KeepCheck { replaced, check }).await
    }
}
