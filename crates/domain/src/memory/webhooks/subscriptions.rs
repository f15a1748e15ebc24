use std::ops::Bound;

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, StoredDelivery, Tables};
use crate::ports::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RotateSecretRequest, SealedSecretStore, SecretRotation,
    StoreError, SubscriptionInsertion, SubscriptionStore,
};
use crate::webhooks::{
    AttemptRecord, Breaker, SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
    SubscriptionStatus,
};
use crate::{OwnerId, SubscriptionId, Timestamp};

impl Lane {
    fn change(&mut self, change: &SubscriptionChange, at: Timestamp) {
        let was_open = self.is_open();
        self.subscription = change.applied_to(&self.subscription, at);
        if self.is_open() && !was_open {
            self.breaker = Breaker::default();
        }
    }
}

impl Tables {
    /// Returns the subscription before and after the change.
    pub(super) fn change(
        &mut self,
        owner: &OwnerId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
    ) -> Option<(Subscription, Subscription)> {
        let lane = self.lane_of(owner, id)?;
        let before = lane.subscription.clone();
        lane.change(change, at);
        let changed = lane.subscription.clone();
        self.end_closed(at, u32::MAX);
        Some((before, changed))
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
        let decided = SubscriptionInsertion::within(max, existing.len() as u64, deleted.len() as u64);
        if decided != SubscriptionInsertion::Stored {
            return Ok(decided);
        }
        let secrets = Some(SealedSecrets { current: secret.clone(), previous: None });
        let lane = Lane {
            subscription: subscription.clone(),
            secrets,
            deleted_at: None,
            breaker: Breaker::default(),
            served: None,
        };
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

    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<Option<Subscription>, StoreError> {
        let &ChangeSubscriptionRequest { ref owner, id, ref change, at, ref cause } = request;
        let mut tables = self.tables();
        let Some((before, changed)) = tables.change(owner, id, change, at) else { return Ok(None) };
        self.audit.write(cause.subscription_changed(&before, &changed));
        Ok(Some(changed))
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
        let &RotateSecretRequest { ref owner, id, ref secret, previous_until, at, ref cause } = request;
        let mut tables = self.tables();
        let Some(lane) = tables.lane_of(owner, id) else { return Ok(SecretRotation::NotFound) };
        if let Some(secrets) = lane.secrets.as_ref().filter(|secrets| !secrets.allow_rotation(at, previous_until)) {
            return Ok(SecretRotation::Overlapping(lane.subscription.clone(), secrets.clone()));
        }
        let previous = lane.secrets.take().map(|secrets| (secrets.current, previous_until));
        lane.secrets = Some(SealedSecrets { current: secret.clone(), previous });
        lane.subscription.updated_at = at;
        self.audit.write([cause.secret_rotated(id, owner, previous_until)]);
        Ok(SecretRotation::Rotated(lane.subscription.clone()))
    }

    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        let &DeleteSubscriptionRequest { ref owner, id, at, ref cause } = request;
        let mut tables = self.tables();
        let Some(lane) = tables.lane_of(owner, id) else { return Ok(false) };
        lane.secrets = None;
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
        let stored = above.filter_map(|(id, lane)| lane.secrets.clone().map(|secrets| (*id, secrets)));
        Ok(stored.take(max as usize).collect())
    }

    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        let mut tables = self.tables();
        let stored = tables.lanes.get_mut(&request.id).and_then(|lane| lane.secrets.as_mut());
        let Some(stored) = stored.filter(|stored| **stored == request.from) else { return Ok(false) };
        *stored = request.to.clone();
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
