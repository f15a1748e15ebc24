use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    DeliveryCommands, RetryRequest, SealedSecretStore, SecretRotation, StoreError, SubscriptionInsertion,
    SubscriptionStore,
};
use domain::webhooks::{
    DisableReason, SealedSecret, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
};
use domain::{KeyId, SubscriptionId, Timestamp, UserId};
use tokio::task::yield_now;

use super::fault::Fault;
use super::store::Saboteur;

#[async_trait]
impl SubscriptionStore for Saboteur {
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
        cause: &Cause,
    ) -> Result<SubscriptionInsertion, StoreError> {
        self.enter().await;
        let (written, sealed) = (self.written(subscription), self.sealed(secret));
        let id = written.id;
        if self.is(Fault::KeepsDeletedForever) && self.memo().deleted.contains(&id) {
            return Err(StoreError::Duplicate { what: "id" });
        }
        if self.count(&written.owner).await >= max {
            return Ok(SubscriptionInsertion::LimitReached);
        }
        let max = if self.is(Fault::CountsThenInserts) { u32::MAX } else { max };
        if self.is(Fault::CountsThenInserts) {
            self.gap().await;
        }
        let first = if self.is(Fault::StoresSecretsLater) { SealedSecret::from_bytes(vec![]) } else { sealed.clone() };
        let mut answer = self.inner.insert_within(&written, &first, max, cause).await;
        if self.is(Fault::IgnoresDeletedMax) && matches!(answer, Ok(SubscriptionInsertion::TooManyDeleted)) {
            answer = self.inner.insert_within(&written, &first, u32::MAX, cause).await;
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
            let secrets = |current: &SealedSecret| SealedSecrets { current: current.clone(), previous: None };
            self.inner.replace_secrets(id, &secrets(&first), &secrets(&sealed)).await?;
        }
        let mut memo = self.memo();
        memo.deleted.remove(&id);
        memo.owners.insert(id, written.owner);
        memo.secrets.insert(id, SealedSecrets { current: sealed, previous: None });
        Ok(answer)
    }

    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError> {
        self.enter().await;
        let mut page = SubscriptionStore::list(&self.inner, &self.as_known(owner), before, max).await?;
        page.retain(|one| !self.is_hidden(one.id));
        if self.is(Fault::ListsOldestFirst) {
            page.reverse();
        }
        Ok(page)
    }

    async fn list_with_health(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(Subscription, SubscriptionHealth)>, StoreError> {
        self.enter().await;
        let mut page = self.inner.list_with_health(&self.as_known(owner), before, max).await?;
        if let (Fault::ListsTheNewestHealth, [(_, newest), others @ ..]) = (self.fault, &mut page[..]) {
            for (_, health) in others {
                *health = newest.clone();
            }
        }
        Ok(page)
    }

    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        self.enter().await;
        let found = SubscriptionStore::find(&self.inner, &self.as_known(owner), id).await?;
        let Some((mut subscription, mut health)) = found.filter(|_| !self.is_hidden(id)) else { return Ok(None) };
        self.shown(&mut subscription, &mut health).await;
        Ok(Some((subscription, health)))
    }

    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Subscription>, StoreError> {
        self.enter().await;
        if self.is_hidden(id) {
            return Ok(None);
        }
        let owner = self.changed_owner(owner, id);
        let change = self.change(&owner, id, change).await;
        let before = self.stored(id).await;
        let mut changed = self.inner.update(&owner, id, &change, at, cause).await?;
        self.suspend().await;
        let is_opened =
            before.as_ref().is_some_and(|(one, _)| !one.status.is_enabled()) && change.enabled == Some(true);
        if self.is(Fault::EnablingRecovers) && is_opened {
            let request = RetryRequest { at, published_since: Timestamp::MIN };
            self.inner.recover(&owner, id, request, u32::MAX, cause).await?;
        }
        if let (Fault::TouchesUnchanged, Some(changed)) = (self.fault, &mut changed) {
            changed.updated_at = at;
        }
        let mut memo = self.memo();
        memo.asleep.remove(&id);
        if let (Fault::KeepsTheBreaker, Some((_, health))) = (self.fault, before) {
            memo.breakers.entry(id).or_insert(health.breaker);
        }
        Ok(changed)
    }

    async fn disable_set_by(
        &self,
        keys: &[KeyId],
        reason: DisableReason,
        at: Timestamp,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        self.enter().await;
        let max = if self.is(Fault::IgnoresDisableMax) { u32::MAX } else { max };
        let mut keys = keys.to_vec();
        if self.is(Fault::PassesOverDisabled) {
            let of_enabled = self.keys_of_enabled().await;
            keys.retain(|key| of_enabled.contains(key));
        }
        self.inner.disable_set_by(&keys, reason, at, max, cause).await
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
        self.enter().await;
        let (owner, secret) = (self.changed_owner(owner, id), self.sealed(secret));
        let until = match self.fault {
            Fault::RefusesEveryRotationInTheOverlap => previous_until.max(at.plus(Duration::from_millis(1))),
            _ => self.as_written(previous_until),
        };
        let mut rotated = self.inner.rotate_secret(&owner, id, &secret, until, at, cause).await?;
        if let (Fault::RotatesInTheOverlap, SecretRotation::Overlapping(..)) = (self.fault, &rotated) {
            self.inner.rotate_secret(&owner, id, &secret, at, at, cause).await?;
            rotated = self.inner.rotate_secret(&owner, id, &secret, until, at, cause).await?;
        }
        let stored = self.inner.list_secrets(None, u32::MAX).await?.into_iter().find(|(other, _)| *other == id);
        if let (Fault::ForgetsThePrevious, Some((_, stored))) = (self.fault, stored) {
            let only = SealedSecrets { current: secret, previous: None };
            self.inner.replace_secrets(id, &stored, &only).await?;
        }
        Ok(rotated)
    }

    async fn delete(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<bool, StoreError> {
        self.enter().await;
        if self.is_hidden(id) {
            return Ok(false);
        }
        if self.is(Fault::HidesSecretsFirst) {
            self.memo().without_secrets.insert(id);
            yield_now().await;
        }
        let owner = self.changed_owner(owner, id);
        let deleted = match self.fault {
            Fault::DeletesWithoutClosing => SubscriptionStore::find(&self.inner, &owner, id).await?.is_some(),
            _ => self.inner.delete(&owner, id, at, cause).await?,
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

    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError> {
        self.enter().await;
        let stored = async || {
            let all = self.inner.list_secrets(None, u32::MAX).await.expect("never fails");
            all.into_iter().find(|(other, _)| *other == id).map(|(_, secrets)| secrets)
        };
        let Some(read) = stored().await else { return Ok(false) };
        match self.fault {
            Fault::ComparesCurrentOnly if read.current == from.current => {
                self.inner.replace_secrets(id, &read, to).await
            }
            Fault::ReadsThenReplaces if read == *from => {
                self.gap().await;
                let now = stored().await.unwrap_or(read);
                self.inner.replace_secrets(id, &now, to).await
            }
            _ => self.inner.replace_secrets(id, from, to).await,
        }
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
