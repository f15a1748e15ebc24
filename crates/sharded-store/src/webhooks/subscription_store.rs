use async_trait::async_trait;
use domain::ports::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RotateSecretRequest, SealedSecretStore, SecretRotation,
    StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
};
use domain::webhooks::{SealedSecret, SealedSecrets, Subscription, SubscriptionHealth};
use domain::{OwnerId, SubscriptionId};

use crate::ShardedStore;
use crate::audit::part_of;
use crate::fan_out::{all, first};
use crate::pages::in_order;

#[async_trait]
impl SubscriptionStore for ShardedStore {
    async fn insert_within(&self, request: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError> {
        self.of(&request.subscription.owner).store.webhooks.subscriptions.insert_within(request).await
    }

    async fn list(&self, request: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError> {
        self.of(&request.owner).store.webhooks.subscriptions.list(request).await
    }

    async fn list_with_health(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        self.of(&request.owner).store.webhooks.subscriptions.list_with_health(request).await
    }

    async fn find(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        self.of(owner).store.webhooks.subscriptions.find(owner, id).await
    }

    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError> {
        self.of(&request.owner).store.webhooks.subscriptions.update(request).await
    }

    async fn disable_set_by(&self, request: &DisableSetByRequest) -> Result<u32, StoreError> {
        let (mut count, mut part, mut failure) = (0, 0, None);
        for shard in &self.shards {
            let (cause, left) = (part_of(&request.cause, part), request.max - count);
            if left == 0 {
                break;
            }
            let request = DisableSetByRequest { max: left, cause, ..request.clone() };
            match shard.long_part(shard.store.webhooks.subscriptions.disable_set_by(&request)).await {
                Ok(0) => {}
                Ok(disabled) => (count, part) = (count + disabled, part + 1),
                // The subscriptions of the other shards do not wait for this one.
                Err(error) => (failure, part) = (Some(error), part + 1),
            }
        }
        failure.filter(|_| count < request.max).map_or(Ok(count), Err)
    }

    async fn rotate_secret(&self, request: &RotateSecretRequest) -> Result<SecretRotation, StoreError> {
        self.of(&request.owner).store.webhooks.subscriptions.rotate_secret(request).await
    }

    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        self.of(&request.owner).store.webhooks.subscriptions.delete(request).await
    }
}

#[async_trait]
impl SealedSecretStore for ShardedStore {
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        let lists = all(&self.shards, |shard| shard.store.webhooks.secrets.list_secrets(after, max)).await?;
        Ok(in_order(lists, |(id, _)| *id, max))
    }

    async fn find_secrets(&self, id: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError> {
        first(self.near(id.home()), |shard| shard.store.webhooks.secrets.find_secrets(id)).await
    }

    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        let replaced = first(self.near(request.id.home()), |shard| async move {
            let replaced = shard.store.webhooks.secrets.replace_secrets(request).await?;
            Ok(replaced.then_some(()))
        });
        Ok(replaced.await?.is_some())
    }

    /// The check is in the first shard.
    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError> {
        self.shards[0].store.webhooks.secrets.find_check().await
    }

    async fn keep_check(
        &self,
        replaced: Option<&SealedSecret>,
        check: &SealedSecret,
    ) -> Result<SealedSecret, StoreError> {
        self.shards[0].store.webhooks.secrets.keep_check(replaced, check).await
    }
}
