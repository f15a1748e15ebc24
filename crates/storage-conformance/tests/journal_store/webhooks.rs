use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    ClaimRequest, ClaimedLane, Completion, DeliveryCommands, DeliveryQueue, EventStore, Publication, RetryByHand,
    RetryOfFailed, RetryRequest, SecretRotation, SubscriptionInsertion, SubscriptionStore,
};
use domain::webhooks::{
    Delivery, DisableReason, NewEvent, SealedSecret, SealedSecrets, Subscription, SubscriptionChange,
    SubscriptionHealth, SubscriptionOutcomes,
};
use domain::{DeliveryId, Hour, KeyId, SubscriptionId, Timestamp, UserId};

use crate::call::Call;
use crate::store::{Answer, JournalStore};

#[async_trait]
impl SubscriptionStore for JournalStore {
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
        cause: &Cause,
    ) -> Answer<SubscriptionInsertion> {
        let (subscription_copy, secret_copy) = (subscription.clone(), secret.clone());
        let call = Call::InsertSubscription {
            subscription: subscription_copy,
            secret: secret_copy,
            max,
            cause: cause.clone(),
        };
        let _journal = self.record(call).await?;
        self.memory.webhooks.insert_within(subscription, secret, max, cause).await
    }

    async fn list(&self, owner: &UserId, before: Option<SubscriptionId>, max: u32) -> Answer<Vec<Subscription>> {
        SubscriptionStore::list(&self.memory.webhooks, owner, before, max).await
    }

    async fn find(&self, owner: &UserId, id: SubscriptionId) -> Answer<Option<(Subscription, SubscriptionHealth)>> {
        SubscriptionStore::find(&self.memory.webhooks, owner, id).await
    }

    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
        cause: &Cause,
    ) -> Answer<Option<Subscription>> {
        let call =
            Call::UpdateSubscription { owner: owner.clone(), id, change: change.clone(), at, cause: cause.clone() };
        let _journal = self.record(call).await?;
        self.memory.webhooks.update(owner, id, change, at, cause).await
    }

    async fn disable_set_by(
        &self,
        keys: &[KeyId],
        reason: DisableReason,
        at: Timestamp,
        max: u32,
        cause: &Cause,
    ) -> Answer<u32> {
        let _journal =
            self.record(Call::DisableSetBy { keys: keys.to_vec(), reason, at, max, cause: cause.clone() }).await?;
        self.memory.webhooks.disable_set_by(keys, reason, at, max, cause).await
    }

    async fn rotate_secret(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        secret: &SealedSecret,
        previous_until: Timestamp,
        at: Timestamp,
        cause: &Cause,
    ) -> Answer<SecretRotation> {
        let call = Call::RotateSecret {
            owner: owner.clone(),
            id,
            secret: secret.clone(),
            previous_until,
            at,
            cause: cause.clone(),
        };
        let _journal = self.record(call).await?;
        self.memory.webhooks.rotate_secret(owner, id, secret, previous_until, at, cause).await
    }

    async fn delete(&self, owner: &UserId, id: SubscriptionId, at: Timestamp, cause: &Cause) -> Answer<bool> {
        let _journal =
            self.record(Call::DeleteSubscription { owner: owner.clone(), id, at, cause: cause.clone() }).await?;
        self.memory.webhooks.delete(owner, id, at, cause).await
    }

    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Answer<Vec<(SubscriptionId, SealedSecrets)>> {
        self.memory.webhooks.list_secrets(after, max).await
    }

    async fn replace_secrets(&self, id: SubscriptionId, from: &SealedSecrets, to: &SealedSecrets) -> Answer<bool> {
        let _journal = self.record(Call::ReplaceSecrets { id, from: from.clone(), to: to.clone() }).await?;
        self.memory.webhooks.replace_secrets(id, from, to).await
    }

    async fn find_check(&self) -> Answer<Option<SealedSecret>> {
        self.memory.webhooks.find_check().await
    }

    async fn keep_check(&self, replaced: Option<&SealedSecret>, check: &SealedSecret) -> Answer<SealedSecret> {
        let _journal = self.record(Call::KeepCheck { replaced: replaced.cloned(), check: check.clone() }).await?;
        self.memory.webhooks.keep_check(replaced, check).await
    }
}

#[async_trait]
impl EventStore for JournalStore {
    async fn publish(&self, events: &[NewEvent]) -> Answer<Publication> {
        let _journal = self.record(Call::Publish { events: events.to_vec() }).await?;
        self.memory.webhooks.publish(events).await
    }
}

#[async_trait]
impl DeliveryQueue for JournalStore {
    async fn claim(&self, request: &ClaimRequest) -> Answer<Vec<ClaimedLane>> {
        let _journal = self.record(Call::Claim { request: request.clone() }).await?;
        self.memory.webhooks.claim(request).await
    }

    async fn complete(&self, completions: &[Completion]) -> Answer<Vec<bool>> {
        let _journal = self.record(Call::Complete { completions: completions.to_vec() }).await?;
        self.memory.webhooks.complete(completions).await
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::EndClosed { at, max }).await?;
        self.memory.webhooks.end_closed(at, max).await
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Answer<()> {
        let _journal = self.record(Call::AddOutcomes { outcomes: outcomes.to_vec() }).await?;
        self.memory.webhooks.add_outcomes(outcomes).await
    }
}

#[async_trait]
impl DeliveryCommands for JournalStore {
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest, cause: &Cause) -> Answer<RetryByHand> {
        let _journal = self.record(Call::Retry { owner: owner.clone(), id, request, cause: cause.clone() }).await?;
        self.memory.webhooks.retry(owner, id, request, cause).await
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp, cause: &Cause) -> Answer<Option<Delivery>> {
        let _journal = self.record(Call::Cancel { owner: owner.clone(), id, at, cause: cause.clone() }).await?;
        self.memory.webhooks.cancel(owner, id, at, cause).await
    }

    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Answer<RetryOfFailed> {
        let (owner_copy, ids_copy, cause_copy) = (owner.clone(), ids.to_vec(), cause.clone());
        let call = Call::RetryFailed { owner: owner_copy, subscription, ids: ids_copy, request, cause: cause_copy };
        let _journal = self.record(call).await?;
        self.memory.webhooks.retry_failed(owner, subscription, ids, request, cause).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Answer<Option<u32>> {
        let _journal = self
            .record(Call::Recover { owner: owner.clone(), subscription, request, max, cause: cause.clone() })
            .await?;
        self.memory.webhooks.recover(owner, subscription, request, max, cause).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeHistory { before, max }).await?;
        self.memory.webhooks.purge_history(before, max).await
    }

    async fn purge_outcomes(&self, before: Hour, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeOutcomes { before, max }).await?;
        self.memory.webhooks.purge_outcomes(before, max).await
    }
}
