use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::audit::Cause;
use domain::ports::{SealedSecretStore, SecretRotation, StoreError, SubscriptionInsertion, SubscriptionStore};
use domain::webhooks::{
    DisableReason, SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
};
use domain::{KeyId, SubscriptionId, Timestamp, UserId};

use super::change_subscription::change_subscription;
use super::create_subscription::create_subscription;
use super::delete_subscription::delete_subscription;
use super::disable_set_by::disable_set_by;
use super::find_subscription::{find_with_health, list_subscriptions, list_with_health};
use super::subscription_secrets::{find_check, keep_check, list_secrets, replace_secrets, rotate_secret};
use crate::SqliteStore;

#[async_trait]
impl SubscriptionStore for SqliteStore {
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
        cause: &Cause,
    ) -> Result<SubscriptionInsertion, StoreError> {
        let (subscription, secret, cause) = (subscription.clone(), secret.clone(), cause.clone());
        self.writer.write(move |connection| create_subscription(connection, &subscription, &secret, max, &cause)).await
    }

    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| list_subscriptions(connection, &owner, before, max)).await
    }

    async fn list_with_health(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| list_with_health(connection, &owner, before, max)).await
    }

    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| find_with_health(connection, &owner, id)).await
    }

    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Subscription>, StoreError> {
        let (owner, change, wake, cause) = (owner.clone(), change.clone(), self.wake.clone(), cause.clone());
        let work =
            move |connection: &mut SqliteConnection| change_subscription(connection, &owner, id, &change, at, &cause);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn disable_set_by(
        &self,
        keys: &[KeyId],
        reason: DisableReason,
        at: Timestamp,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        let (keys, cause) = (keys.to_vec(), cause.clone());
        self.writer.write(move |connection| disable_set_by(connection, &keys, reason, at, max, &cause)).await
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
        let (owner, secret, cause) = (owner.clone(), secret.clone(), cause.clone());
        let rotate = move |connection: &mut SqliteConnection| {
            rotate_secret(connection, &owner, id, &secret, previous_until, at, &cause)
        };
        self.writer.write(rotate).await
    }

    async fn delete(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<bool, StoreError> {
        let (owner, cause) = (owner.clone(), cause.clone());
        self.writer.write(move |connection| delete_subscription(connection, &owner, id, at, &cause)).await
    }
}

#[async_trait]
impl SealedSecretStore for SqliteStore {
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        self.readers.read(move |connection| list_secrets(connection, after, max)).await
    }

    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError> {
        let (from, to) = (from.clone(), to.clone());
        self.writer.write(move |connection| replace_secrets(connection, id, &from, &to)).await
    }

    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError> {
        self.readers.read(find_check).await
    }

    async fn keep_check(
        &self,
        replaced: Option<&SealedSecret>,
        check: &SealedSecret,
    ) -> Result<SealedSecret, StoreError> {
        let (replaced, check) = (replaced.cloned(), check.clone());
        self.writer.write(move |connection| keep_check(connection, replaced.as_ref(), &check)).await
    }
}
