use std::ops::Bound;

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, StoredDelivery, Tables};
use crate::ports::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RotateSecretRequest, SealedSecretStore, SecretRotation,
    StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
};
use crate::webhooks::{
    AttemptRecord, Breaker, SealedOptions, SealedSecret, SealedSecrets, Subscription, SubscriptionHealth,
    SubscriptionStatus,
};
use crate::{OwnerId, SubscriptionId, Timestamp};

impl Lane {
    fn change_to(&mut self, changed: Subscription, at: Timestamp) {
        let was_open = self.is_open();
        let rate = changed.options.max_per_second;
        if rate != self.subscription.options.max_per_second {
            self.rests_until = rate.and_then(|rate| rate.rests_after_change(self.rests_until, at));
        }
        self.subscription = changed;
        if self.is_open() && !was_open {
            self.breaker = Breaker::default();
        }
    }
}

impl Tables {
    /// Stores the changed subscription, which is not deleted.
    pub(super) fn change_to(&mut self, changed: &Subscription, at: Timestamp) {
        if let Some(lane) = self.lanes.get_mut(&changed.id) {
            lane.change_to(changed.clone(), at);
        }
        self.end_closed(at, u32::MAX);
    }

    /// The lanes of the page, the newest first.
    fn page_of(&self, request: &ListSubscriptionsRequest) -> impl Iterator<Item = &Lane> {
        let ListSubscriptionsRequest { owner, before, max } = request;
        let newest_first = self.lanes.values().rev().filter(move |lane| lane.belongs_to(owner));
        let page = newest_first.filter(move |lane| before.is_none_or(|before| lane.subscription.id < before));
        page.take(*max as usize)
    }

    pub(super) fn health(&self, lane: &Lane) -> SubscriptionHealth {
        let id = lane.subscription.id;
        let waiting = self.deliveries_to(id).filter(|stored| stored.queued.is_some());
        let waiting = waiting.take(SubscriptionHealth::WAITING_COUNT_MAX as usize).count();
        let attempts = |stored: &StoredDelivery| stored.attempts.values().cloned().collect::<Vec<_>>();
        let last_attempt = self.deliveries_to(id).flat_map(attempts).max_by_key(AttemptRecord::ended_at);
        SubscriptionHealth {
            breaker: lane.breaker,
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            last_attempt: last_attempt.map(AttemptRecord::brief),
        }
    }
}

#[async_trait]
impl SubscriptionStore for MemoryWebhookStore {
    async fn insert_within(&self, request: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError> {
        let &InsertSubscriptionRequest { ref subscription, ref secret, max, ref cause } = request;
        let mut tables = self.tables();
        if tables.lanes.contains_key(&subscription.id) {
            return Err(StoreError::Duplicate { what: "id" });
        }
        let theirs = tables.lanes.values().filter(|lane| lane.subscription.owner == subscription.owner);
        let (deleted, existing): (Vec<_>, Vec<_>) = theirs.partition(|lane| lane.deleted_at.is_some());
        let max = tables.owners.limits(&subscription.owner).subscriptions_or(max);
        let decided = SubscriptionInsertion::within(max, existing.len() as u64, deleted.len() as u64);
        if decided != SubscriptionInsertion::Stored {
            return Ok(decided);
        }
        let mut lane = Lane {
            subscription: subscription.clone(),
            secrets: None,
            deleted_at: None,
            breaker: Breaker::default(),
            rests_until: None,
            last_sequence: 0,
            served: None,
        };
        let options = subscription.options.clone();
        lane.keep(SealedSecrets { options, ..SealedSecrets::of(secret.clone()) });
        tables.lanes.insert(subscription.id, lane);
        self.audit.write([cause.subscription_created(subscription)]);
        Ok(SubscriptionInsertion::Stored)
    }

    async fn list(&self, request: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError> {
        Ok(self.tables().page_of(request).map(|lane| lane.subscription.clone()).collect())
    }

    async fn list_with_health(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        let tables = self.tables();
        let page = tables.page_of(request);
        Ok(page.map(|lane| (lane.subscription.clone(), tables.health(lane))).collect())
    }

    async fn find(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        let tables = self.tables();
        let lane = tables.lanes.get(&id).filter(|lane| lane.belongs_to(owner));
        Ok(lane.map(|lane| (lane.subscription.clone(), tables.health(lane))))
    }

    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError> {
        let &ChangeSubscriptionRequest { ref owner, id, ref change, at, ref cause } = request;
        let mut tables = self.tables();
        let Some(lane) = tables.lane_of(owner, id) else { return Ok(SubscriptionUpdate::NotFound) };
        let before = lane.subscription.clone();
        let changed = match change.applied_to(&before, at) {
            Ok(changed) => changed,
            Err(refusal) => return Ok(SubscriptionUpdate::Refused(refusal)),
        };
        tables.change_to(&changed.subscription, at);
        self.audit.write(cause.subscription_changed(&before, &changed.subscription));
        Ok(SubscriptionUpdate::Changed(Box::new(changed)))
    }

    async fn disable_set_by(&self, request: &DisableSetByRequest) -> Result<u32, StoreError> {
        let &DisableSetByRequest { ref keys, reason, at, max, ref cause } = request;
        let mut tables = self.tables();
        let set_by = |one: &Subscription| one.url_set_by.is_some_and(|key| keys.contains(&key));
        let status = SubscriptionStatus::DisabledByService(reason);
        let theirs = tables.lanes.values_mut().filter(|lane| lane.deleted_at.is_none() && set_by(&lane.subscription));
        let mut disabled = Vec::new();
        for lane in theirs.filter(|lane| lane.subscription.status != status).take(max as usize) {
            let Subscription { id, owner, .. } = &lane.subscription;
            disabled.push((*id, owner.clone(), lane.subscription.status));
            (lane.subscription.status, lane.subscription.updated_at) = (status, at);
        }
        let count = u32::try_from(disabled.len()).unwrap_or(max);
        self.audit.write(cause.subscriptions_disabled_from(status, disabled));
        tables.end_closed(at, u32::MAX);
        Ok(count)
    }

    async fn rotate_secret(&self, request: &RotateSecretRequest) -> Result<SecretRotation, StoreError> {
        let &RotateSecretRequest { ref owner, id, previous_until, at, ref cause, .. } = request;
        let mut tables = self.tables();
        let lane = tables.lane_of(owner, id).and_then(|lane| lane.sealed().map(|sealed| (lane, sealed)));
        let Some((lane, before)) = lane else { return Ok(SecretRotation::NotFound) };
        let Some(after) = request.applied_to(&before) else {
            return Ok(SecretRotation::Refused(lane.subscription.clone(), before));
        };
        lane.keep(after);
        lane.subscription.updated_at = at;
        self.audit.write([cause.secret_rotated(&lane.subscription, previous_until)]);
        Ok(SecretRotation::Rotated(lane.subscription.clone()))
    }

    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        let &DeleteSubscriptionRequest { ref owner, id, at, ref cause } = request;
        let mut tables = self.tables();
        let Some(lane) = tables.lane_of(owner, id) else { return Ok(false) };
        (lane.secrets, lane.subscription.options) = (None, SealedOptions::default());
        lane.deleted_at = Some(at);
        self.audit.write([cause.subscription_deleted(id, owner)]);
        tables.end_closed(at, u32::MAX);
        Ok(true)
    }
}

#[async_trait]
impl SealedSecretStore for MemoryWebhookStore {
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        let tables = self.tables();
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let above = tables.lanes.range((start, Bound::Unbounded));
        let stored = above.filter_map(|(id, lane)| lane.sealed().map(|secrets| (*id, secrets)));
        Ok(stored.take(max as usize).collect())
    }

    async fn find_secrets(&self, id: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError> {
        Ok(self.tables().lanes.get(&id).and_then(Lane::sealed))
    }

    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        let mut tables = self.tables();
        let lane = tables.lanes.get_mut(&request.id);
        let Some(lane) = lane.filter(|lane| lane.sealed().as_ref() == Some(&request.from)) else { return Ok(false) };
        lane.keep(request.to.clone());
        Ok(true)
    }

    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError> {
        Ok(self.tables().check.clone())
    }

    async fn keep_check(
        &self,
        replaced: Option<&SealedSecret>,
        check: &SealedSecret,
    ) -> Result<SealedSecret, StoreError> {
        let mut tables = self.tables();
        if tables.check.as_ref() == replaced {
            tables.check = Some(check.clone());
        }
        Ok(tables.check.clone().unwrap_or_else(|| check.clone()))
    }
}
