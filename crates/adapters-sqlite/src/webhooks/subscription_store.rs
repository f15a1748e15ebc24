use async_trait::async_trait;
use domain::ports::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RotateSecretRequest, SealedSecretStore, SecretRotation,
    StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
};
use domain::webhooks::{SealedSecret, SealedSecrets, Subscription, SubscriptionHealth};
use domain::{OwnerId, SubscriptionId};

use super::change_subscription::change_subscription;
use super::create_subscription::create_subscription;
use super::delete_subscription::delete_subscription;
use super::disable_set_by::disable_set_by;
use super::find_subscription::{find_with_health, list_subscriptions, list_with_health};
use super::subscription_secrets::{find_check, find_secrets, keep_check, list_secrets, replace_secrets, rotate_secret};
use crate::SqliteStore;

#[async_trait]
impl SubscriptionStore for SqliteStore {
    async fn insert_within(&self, request: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError> {
        self.write(request, create_subscription).await
    }

    async fn list(&self, request: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError> {
        let request = request.clone();
        self.readers.read(move |connection| list_subscriptions(connection, &request)).await
    }

    async fn list_with_health(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        let request = request.clone();
        self.readers.read(move |connection| list_with_health(connection, &request)).await
    }

    async fn find(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| find_with_health(connection, &owner, id)).await
    }

    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError> {
        self.write_and_wake(request, change_subscription).await
    }

    async fn disable_set_by(&self, request: &DisableSetByRequest) -> Result<u32, StoreError> {
        self.write(request, disable_set_by).await
    }

    async fn rotate_secret(&self, request: &RotateSecretRequest) -> Result<SecretRotation, StoreError> {
        self.write(request, rotate_secret).await
    }

    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        self.write(request, delete_subscription).await
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

    async fn find_secrets(&self, id: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError> {
        self.readers.read(move |connection| find_secrets(connection, id)).await
    }

    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        self.write(request, replace_secrets).await
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
