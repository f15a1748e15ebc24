use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{SealedSecretStore, SecretRotation, StoreError, SubscriptionInsertion, SubscriptionStore};
use domain::webhooks::{
    DisableReason, SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
};
use domain::{KeyId, SubscriptionId, Timestamp, UserId};

use crate::ShardedStore;
use crate::audit::part_of;
use crate::fan_out::{all, first};
use crate::pages::in_order;

#[async_trait]
impl SubscriptionStore for ShardedStore {
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
        cause: &Cause,
    ) -> Result<SubscriptionInsertion, StoreError> {
        let subscriptions = &self.of(&subscription.owner).store.webhooks.subscriptions;
        subscriptions.insert_within(subscription, secret, max, cause).await
    }

    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError> {
        self.of(owner).store.webhooks.subscriptions.list(owner, before, max).await
    }

    async fn list_with_health(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        self.of(owner).store.webhooks.subscriptions.list_with_health(owner, before, max).await
    }

    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        self.of(owner).store.webhooks.subscriptions.find(owner, id).await
    }

    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Subscription>, StoreError> {
        self.of(owner).store.webhooks.subscriptions.update(owner, id, change, at, cause).await
    }

    async fn disable_set_by(
        &self,
        keys: &[KeyId],
        reason: DisableReason,
        at: Timestamp,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        let (mut count, mut part, mut failure) = (0, 0, None);
        for shard in &self.shards {
            let (cause, left) = (part_of(cause, part), max - count);
            if left == 0 {
                break;
            }
            let subscriptions = &shard.store.webhooks.subscriptions;
            match shard.long_part(subscriptions.disable_set_by(keys, reason, at, left, &cause)).await {
                Ok(0) => {}
                Ok(disabled) => (count, part) = (count + disabled, part + 1),
                // The subscriptions of the other shards do not wait for this one.
                Err(error) => (failure, part) = (Some(error), part + 1),
            }
        }
        failure.filter(|_| count < max).map_or(Ok(count), Err)
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
        let subscriptions = &self.of(owner).store.webhooks.subscriptions;
        subscriptions.rotate_secret(owner, id, secret, previous_until, at, cause).await
    }

    async fn delete(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<bool, StoreError> {
        self.of(owner).store.webhooks.subscriptions.delete(owner, id, at, cause).await
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

    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError> {
        let replaced = first(self.near(id.home()), |shard| async move {
            let replaced = shard.store.webhooks.secrets.replace_secrets(id, from, to).await?;
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
