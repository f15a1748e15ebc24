use async_trait::async_trait;
use domain::ports::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RotateSecretRequest, SealedSecretStore, SecretRotation,
    StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
};
use domain::webhooks::{SealedSecret, SealedSecrets, Subscription, SubscriptionHealth};
use domain::{OwnerId, Patch, SubscriptionId};

use super::find_subscription::FindSubscription;
use super::list_subscriptions::{List, ListWithHealth};
use super::subscription_secrets::{FindCheck, FindSecrets, KeepCheck, ListSecrets};
use crate::PostgresStore;

#[async_trait]
impl SubscriptionStore for PostgresStore {
    async fn insert_within(&self, request: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError> {
        self.run_in_turn(&request.subscription.owner, request).await
    }

    async fn list(&self, request: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError> {
        self.run(&List(request)).await
    }

    async fn list_with_health(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        self.run(&ListWithHealth(request)).await
    }

    async fn find(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        self.run(&FindSubscription { owner, id }).await
    }

    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError> {
        let updated = self.run(request).await?;
        if request.change.options.max_per_second != Patch::Keep {
            self.change_signal.notify_of_deliveries();
        }
        Ok(updated)
    }

    async fn disable_set_by(&self, request: &DisableSetByRequest) -> Result<u32, StoreError> {
        self.run(request).await
    }

    async fn rotate_secret(&self, request: &RotateSecretRequest) -> Result<SecretRotation, StoreError> {
        self.run(request).await
    }

    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        self.run(request).await
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

    async fn find_secrets(&self, id: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError> {
        self.run(&FindSecrets(id)).await
    }

    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        self.run(request).await
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
