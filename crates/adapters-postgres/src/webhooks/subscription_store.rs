use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::SubscriptionRow;
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
use super::subscription_queries::owned_by;
use super::subscription_secrets::{FindCheck, KeepCheck, ListSecrets, ReplaceSecrets, RotateSecret};
use crate::PostgresStore;
use crate::attempt::{Failure, Work};

/// Sorts after every id.
const ID_END: [u8; 17] = [0xFF; 17];

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

struct ListSubscriptions<'a> {
    owner: &'a UserId,
    before: Option<SubscriptionId>,
    max: u32,
}

impl Work for ListSubscriptions<'_> {
    type Answer = Vec<Subscription>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<Subscription>, Failure> {
        let before = self.before.as_ref().map_or(&ID_END[..], |before| before.as_bytes());
        let rows: Vec<SubscriptionRow> = webhook_subscriptions::table
            .filter(owned_by(self.owner))
            .filter(webhook_subscriptions::id.lt(before))
            .order(webhook_subscriptions::id.desc())
            .limit(self.max.into())
            .select(SubscriptionRow::as_select())
            .load(&mut &*connection)
            .await?;
        let subscriptions: Result<Vec<Subscription>, StoreError> =
            rows.into_iter().map(Subscription::try_from).collect();
        Ok(subscriptions?)
    }
}
