use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{
    ChangeSubscriptionRequest, DeleteSubscriptionRequest, DisableSetByRequest, InsertSubscriptionRequest,
    ListSubscriptionsRequest, ReplaceSecretsRequest, RetryRequest, RotateSecretRequest, SealedSecretStore,
    SecretRotation, StoreError, SubscriptionInsertion, SubscriptionStore, SubscriptionUpdate,
};
use domain::webhooks::{DroppedOptions, SealedOptions, SealedSecret, SealedSecrets, Subscription, SubscriptionHealth};
use domain::{OwnerId, SubscriptionId, Timestamp};
use tokio::task::yield_now;

use super::fault::Fault;
use super::store::Saboteur;

#[async_trait]
impl SubscriptionStore for Saboteur {
    async fn insert_within(&self, request: &InsertSubscriptionRequest) -> Result<SubscriptionInsertion, StoreError> {
        self.enter().await;
        let (subscription, sealed) = (self.written(&request.subscription), self.sealed(&request.secret));
        let (id, max) = (subscription.id, request.max);
        if self.is(Fault::KeepsDeletedForever) && self.memo().deleted.contains(&id) {
            return Err(StoreError::Duplicate { what: "id" });
        }
        if self.count(&subscription.owner).await >= max {
            return Ok(SubscriptionInsertion::LimitReached { max });
        }
        let mut asked = InsertSubscriptionRequest { subscription, secret: sealed.clone(), ..request.clone() };
        if self.is(Fault::CountsThenInserts) {
            asked.max = u32::MAX;
            self.gap().await;
        }
        if self.is(Fault::StoresSecretsLater) {
            asked.secret = SealedSecret::from_bytes(vec![]);
        }
        let mut answer = self.inner.insert_within(&asked).await;
        if self.is(Fault::IgnoresDeletedMax) && matches!(answer, Ok(SubscriptionInsertion::TooManyDeleted { .. })) {
            asked.max = u32::MAX;
            answer = self.inner.insert_within(&asked).await;
        }
        if self.is(Fault::OverwritesStoredIds) && answer.is_err() {
            return Ok(SubscriptionInsertion::Stored);
        }
        let answer = answer?;
        if answer != SubscriptionInsertion::Stored {
            return Ok(answer);
        }
        if self.is(Fault::StoresSecretsLater) {
            yield_now().await;
            let secrets = |current: &SealedSecret| SealedSecrets::of(current.clone());
            let request = ReplaceSecretsRequest { id, from: secrets(&asked.secret), to: secrets(&sealed) };
            self.inner.replace_secrets(&request).await?;
        }
        let mut memo = self.memo();
        memo.deleted.remove(&id);
        memo.owners.insert(id, asked.subscription.owner);
        memo.secrets.insert(id, SealedSecrets::of(sealed));
        Ok(answer)
    }

    async fn list(&self, request: &ListSubscriptionsRequest) -> Result<Vec<Subscription>, StoreError> {
        self.enter().await;
        let mut page = SubscriptionStore::list(&self.inner, &self.as_known_in(request)).await?;
        page.retain(|one| !self.is_hidden(one.id));
        if self.is(Fault::ListsOldestFirst) {
            page.reverse();
        }
        Ok(page)
    }

    async fn list_with_health(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        self.enter().await;
        let mut page = self.inner.list_with_health(&self.as_known_in(request)).await?;
        if self.is(Fault::ListsHealthWithoutOptions) {
            for (one, _) in &mut page {
                one.options = SealedOptions::default();
            }
        }
        if let (Fault::ListsTheNewestHealth, [(_, newest), others @ ..]) = (self.fault, &mut page[..]) {
            for (_, health) in others {
                *health = newest.clone();
            }
        }
        Ok(page)
    }

    async fn find(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        self.enter().await;
        let found = SubscriptionStore::find(&self.inner, &self.as_known(owner), id).await?;
        let Some((mut subscription, mut health)) = found.filter(|_| !self.is_hidden(id)) else { return Ok(None) };
        self.shown(&mut subscription, &mut health).await;
        Ok(Some((subscription, health)))
    }

    async fn update(&self, request: &ChangeSubscriptionRequest) -> Result<SubscriptionUpdate, StoreError> {
        let &ChangeSubscriptionRequest { id, at, .. } = request;
        self.enter().await;
        if self.is_hidden(id) {
            return Ok(SubscriptionUpdate::NotFound);
        }
        let owner = self.changed_owner(&request.owner, id);
        let change = self.change(&owner, id, &request.change).await;
        let before = self.stored(id).await;
        let asked = ChangeSubscriptionRequest { owner, change, ..request.clone() };
        let mut changed = self.inner.update(&asked).await?;
        self.suspend().await;
        let is_opened =
            before.as_ref().is_some_and(|(one, _)| !one.status.is_enabled()) && asked.change.enabled == Some(true);
        if self.is(Fault::EnablingRecovers) && is_opened {
            self.recover_all(asked.owner, id, RetryRequest { at, published_since: Timestamp::MIN }, u32::MAX).await;
        }
        match (self.fault, &mut changed, &before) {
            (Fault::TouchesUnchanged, SubscriptionUpdate::Changed(changed), _) => changed.subscription.updated_at = at,
            (Fault::KeepsOptionsAtAnotherOrigin, SubscriptionUpdate::Changed(changed), Some((before, _)))
                if changed.dropped != DroppedOptions::default() =>
            {
                self.put_options(id, before.options.clone()).await;
            }
            (Fault::ClearsWhatItRefuses, SubscriptionUpdate::Refused(_), _) => {
                self.put_options(id, SealedOptions::default()).await;
            }
            _ => {}
        }
        let mut memo = self.memo();
        memo.asleep.remove(&id);
        if let (Fault::KeepsTheBreaker, Some((_, health))) = (self.fault, before) {
            memo.breakers.entry(id).or_insert(health.breaker);
        }
        Ok(changed)
    }

    async fn disable_set_by(&self, request: &DisableSetByRequest) -> Result<u32, StoreError> {
        self.enter().await;
        let mut asked = request.clone();
        if self.is(Fault::IgnoresDisableMax) {
            asked.max = u32::MAX;
        }
        if self.is(Fault::PassesOverDisabled) {
            let of_enabled = self.keys_of_enabled().await;
            asked.keys.retain(|key| of_enabled.contains(key));
        }
        self.inner.disable_set_by(&asked).await
    }

    async fn rotate_secret(&self, request: &RotateSecretRequest) -> Result<SecretRotation, StoreError> {
        let &RotateSecretRequest { ref owner, id, ref secret, previous_until, at, .. } = request;
        self.enter().await;
        let (owner, secret) = (self.changed_owner(owner, id), self.sealed(secret));
        let previous_until = match self.fault {
            Fault::RefusesEveryRotationInTheOverlap => previous_until.max(at.plus(Duration::from_millis(1))),
            _ => self.as_written(previous_until),
        };
        let mut asked = RotateSecretRequest { owner, secret: secret.clone(), previous_until, ..request.clone() };
        match self.fault {
            Fault::IgnoresKindsOfSigners => asked.of_kind = None,
            Fault::ReadsKindsOfSignersFirst => {
                let read = self.inner.find_secrets(id).await?;
                asked.of_kind = asked.of_kind.filter(|kind| read.is_some_and(|read| !read.is_of(*kind)));
                self.gap().await;
            }
            _ => {}
        }
        let mut rotated = self.inner.rotate_secret(&asked).await?;
        if let (Fault::RotatesInTheOverlap, SecretRotation::Refused(..)) = (self.fault, &rotated) {
            let without_overlap = RotateSecretRequest { previous_until: at, ..asked.clone() };
            self.inner.rotate_secret(&without_overlap).await?;
            rotated = self.inner.rotate_secret(&asked).await?;
        }
        if self.is(Fault::RotatesOptionsAway) {
            self.put_options(id, SealedOptions::default()).await;
        }
        let stored = self.inner.find_secrets(id).await?;
        if let (Fault::ForgetsThePrevious, Some(from)) = (self.fault, stored) {
            let to = SealedSecrets::of(secret);
            self.inner.replace_secrets(&ReplaceSecretsRequest { id, from, to }).await?;
        }
        Ok(rotated)
    }

    async fn delete(&self, request: &DeleteSubscriptionRequest) -> Result<bool, StoreError> {
        let id = request.id;
        self.enter().await;
        if self.is_hidden(id) {
            return Ok(false);
        }
        if self.is(Fault::HidesSecretsFirst) {
            self.memo().without_secrets.insert(id);
            yield_now().await;
        }
        let owner = self.changed_owner(&request.owner, id);
        let deleted = match self.fault {
            Fault::DeletesWithoutClosing => SubscriptionStore::find(&self.inner, &owner, id).await?.is_some(),
            _ => self.inner.delete(&DeleteSubscriptionRequest { owner, ..request.clone() }).await?,
        };
        if deleted {
            self.memo().deleted.insert(id);
        }
        Ok(deleted)
    }
}

#[async_trait]
impl SealedSecretStore for Saboteur {
    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        self.enter().await;
        let after = after.filter(|_| !self.is(Fault::IgnoresSecretPages));
        let mut page = self.inner.list_secrets(after, max).await?;
        let memo = self.memo();
        page.retain(|(id, _)| !memo.without_secrets.contains(id));
        if self.is(Fault::KeepsSecretsOfDeleted) {
            page = memo.secrets.clone().into_iter().collect();
        }
        Ok(page)
    }

    async fn find_secrets(&self, id: SubscriptionId) -> Result<Option<SealedSecrets>, StoreError> {
        self.enter().await;
        let found = self.inner.find_secrets(id).await?;
        let kept = self.memo().secrets.get(&id).cloned().filter(|_| self.is(Fault::KeepsSecretsOfDeleted));
        Ok(found.or(kept))
    }

    async fn replace_secrets(&self, request: &ReplaceSecretsRequest) -> Result<bool, StoreError> {
        self.enter().await;
        let Some(read) = self.inner.find_secrets(request.id).await? else { return Ok(false) };
        let mut asked = request.clone();
        match self.fault {
            Fault::IgnoresStoredOptions
                if (&read.current, &read.previous) == (&asked.from.current, &asked.from.previous) =>
            {
                asked.from = read;
            }
            Fault::ComparesCurrentOnly if read.current == asked.from.current => asked.from = read,
            Fault::ReadsThenReplaces if read == asked.from => {
                self.gap().await;
                asked.from = self.inner.find_secrets(request.id).await?.unwrap_or(read);
            }
            _ => {}
        }
        self.inner.replace_secrets(&asked).await
    }

    async fn find_check(&self) -> Result<Option<SealedSecret>, StoreError> {
        let stored = self.inner.find_check().await?;
        Ok(stored.filter(|_| self.fault != Fault::HidesTheCheck))
    }

    async fn keep_check(
        &self,
        replaced: Option<&SealedSecret>,
        check: &SealedSecret,
    ) -> Result<SealedSecret, StoreError> {
        self.enter().await;
        let stored = self.inner.keep_check(replaced, check).await?;
        match self.fault {
            Fault::OverwritesChecks => self.inner.keep_check(Some(&stored), check).await,
            Fault::AnswersWithTheNewCheck => Ok(check.clone()),
            _ => Ok(stored),
        }
    }
}
