use async_trait::async_trait;
use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{webhook_lanes, webhook_patterns, webhook_subscriptions};
use diesel_mapping::webhooks::{BreakerRow, NewSubscriptionRow, SecretsRow, SubscriptionRow, subscription_id};
use domain::ports::{StoreError, SubscriptionInsertion, SubscriptionStore};
use domain::webhooks::{
    Breaker, DeliveryEnd, EventPattern, SealedSecret, SealedSecrets, Subscription, SubscriptionChange,
    SubscriptionHealth,
};
use domain::{SubscriptionId, Timestamp, UserId};

use super::end::close;
use super::health::health;
use super::update_subscription::update_subscription;
use crate::SqliteStore;
use crate::undo::Undo;

#[async_trait]
impl SubscriptionStore for SqliteStore {
    async fn insert_within(
        &self,
        subscription: &Subscription,
        secret: &SealedSecret,
        max: u32,
    ) -> Result<SubscriptionInsertion, StoreError> {
        let (subscription, secret) = (subscription.clone(), secret.clone());
        self.writer.write(move |connection| insert_within(connection, &subscription, &secret, max)).await
    }

    async fn list(
        &self,
        owner: &UserId,
        before: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<Subscription>, StoreError> {
        let owner = owner.clone();
        self.readers.read(move |connection| list(connection, &owner, before, max)).await
    }

    async fn find(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<(Subscription, SubscriptionHealth)>, StoreError> {
        let owner = owner.clone();
        let find = move |connection: &mut SqliteConnection| {
            // One transaction, so that the subscription and its health are of one instant.
            connection.transaction(|connection| {
                let Some(subscription) = find_subscription(connection, &owner, id)? else { return Ok(None) };
                Ok(Some((subscription, health(connection, id)?)))
            })
        };
        self.readers.read(find).await
    }

    async fn update(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        at: Timestamp,
    ) -> Result<Option<Subscription>, StoreError> {
        let (owner, change, wake) = (owner.clone(), change.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| update_subscription(connection, &owner, id, &change, at);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn rotate_secret(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        secret: &SealedSecret,
        previous_until: Timestamp,
        at: Timestamp,
    ) -> Result<Option<Subscription>, StoreError> {
        let (owner, secret) = (owner.clone(), secret.clone());
        let rotate = move |connection: &mut SqliteConnection| {
            if find_subscription(connection, &owner, id)?.is_none() {
                return Ok(None);
            }
            let before = secrets_of(connection, id)?;
            let secrets = SealedSecrets { current: secret, previous: Some((before.current, previous_until)) };
            let change = (SecretsRow::from(&secrets), webhook_subscriptions::updated_at.eq(StoredInstant::from(at)));
            diesel::update(of(&owner, &id)).set(change).execute(connection)?;
            find_subscription(connection, &owner, id)
        };
        self.writer.write(rotate).await
    }

    async fn delete(&self, owner: &UserId, id: SubscriptionId, at: Timestamp) -> Result<bool, StoreError> {
        let owner = owner.clone();
        self.writer.write(move |connection| delete(connection, &owner, id, at)).await
    }

    async fn list_secrets(
        &self,
        after: Option<SubscriptionId>,
        max: u32,
    ) -> Result<Vec<(SubscriptionId, SealedSecrets)>, StoreError> {
        self.readers.read(move |connection| list_secrets(connection, after, max)).await
    }

    async fn replace_secrets(
        &self,
        id: SubscriptionId,
        from: &SealedSecrets,
        to: &SealedSecrets,
    ) -> Result<bool, StoreError> {
        let (from, to) = (from.clone(), SecretsRow::from(to));
        let replace = move |connection: &mut SqliteConnection| {
            let stored: Option<SecretsRow> = live(&id).select(SecretsRow::as_select()).first(connection).optional()?;
            if stored.map(|row| row.secrets(id)).transpose()?.as_ref() != Some(&from) {
                return Ok(false);
            }
            diesel::update(live(&id)).set(to).execute(connection)?;
            Ok(true)
        };
        self.writer.write(replace).await
    }
}

/// The owner's subscription, unless it is deleted.
#[diesel::dsl::auto_type]
pub(super) fn of<'a>(owner: &'a UserId, id: &'a SubscriptionId) -> _ {
    let (issuer, subject): (&'a str, &'a str) = (owner.issuer(), owner.subject());
    let id: &'a [u8] = id.as_bytes();
    webhook_subscriptions::table.find((issuer, subject, id)).filter(webhook_subscriptions::deleted_at.is_null())
}

/// The subscription, unless it is deleted, whoever owns it.
#[diesel::dsl::auto_type]
fn live<'a>(id: &'a SubscriptionId) -> _ {
    let id: &'a [u8] = id.as_bytes();
    webhook_subscriptions::table
        .filter(webhook_subscriptions::id.eq(id))
        .filter(webhook_subscriptions::deleted_at.is_null())
}

/// See [`SubscriptionStore::find`].
pub(super) fn find_subscription(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: SubscriptionId,
) -> Result<Option<Subscription>, Undo> {
    let row: Option<SubscriptionRow> =
        of(owner, &id).select(SubscriptionRow::as_select()).first(connection).optional()?;
    Ok(row.map(Subscription::try_from).transpose()?)
}

/// Writes the patterns by which events find the subscription.
pub(super) fn insert_patterns(connection: &mut SqliteConnection, subscription: &Subscription) -> Result<(), Undo> {
    for pattern in subscription.events.patterns() {
        let row = (
            webhook_patterns::owner_issuer.eq(subscription.owner.issuer()),
            webhook_patterns::owner_subject.eq(subscription.owner.subject()),
            webhook_patterns::pattern.eq(EventPattern::as_str(pattern)),
            webhook_patterns::subscription_id.eq(subscription.id.as_bytes().as_slice()),
        );
        diesel::insert_into(webhook_patterns::table).values(row).execute(connection)?;
    }
    Ok(())
}

/// Deletes them.
pub(super) fn delete_patterns(
    connection: &mut SqliteConnection,
    owner: &UserId,
    id: SubscriptionId,
) -> Result<(), Undo> {
    let patterns = webhook_patterns::table
        .filter(webhook_patterns::owner_issuer.eq(owner.issuer()))
        .filter(webhook_patterns::owner_subject.eq(owner.subject()))
        .filter(webhook_patterns::subscription_id.eq(id.as_bytes().as_slice()));
    diesel::delete(patterns).execute(connection)?;
    Ok(())
}

fn insert_within(
    connection: &mut SqliteConnection,
    subscription: &Subscription,
    secret: &SealedSecret,
    max: u32,
) -> Result<SubscriptionInsertion, Undo> {
    let stored = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(subscription.owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(subscription.owner.subject()))
        .filter(webhook_subscriptions::deleted_at.is_null());
    if stored.count().get_result::<i64>(connection)? >= max.into() {
        return Ok(SubscriptionInsertion::LimitReached);
    }
    let row = NewSubscriptionRow::new(subscription, secret);
    diesel::insert_into(webhook_subscriptions::table).values(row).execute(connection)?;
    insert_patterns(connection, subscription)?;
    let lane = (
        webhook_lanes::subscription_id.eq(subscription.id.as_bytes().as_slice()),
        webhook_lanes::is_open.eq(subscription.status.is_enabled()),
        BreakerRow::from(&Breaker::default()),
    );
    diesel::insert_into(webhook_lanes::table).values(lane).execute(connection)?;
    Ok(SubscriptionInsertion::Stored)
}

pub(super) fn list(
    connection: &mut SqliteConnection,
    owner: &UserId,
    before: Option<SubscriptionId>,
    max: u32,
) -> Result<Vec<Subscription>, Undo> {
    let before = before.unwrap_or(SubscriptionId::from_bytes([0xFF; 16]));
    let rows: Vec<SubscriptionRow> = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(owner.subject()))
        .filter(webhook_subscriptions::id.lt(before.as_bytes().as_slice()))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .order(webhook_subscriptions::id.desc())
        .limit(max.into())
        .select(SubscriptionRow::as_select())
        .load(connection)?;
    Ok(rows.into_iter().map(Subscription::try_from).collect::<Result<_, _>>()?)
}

fn secrets_of(connection: &mut SqliteConnection, id: SubscriptionId) -> Result<SealedSecrets, Undo> {
    let row: SecretsRow = live(&id).select(SecretsRow::as_select()).first(connection)?;
    Ok(row.secrets(id)?)
}

fn delete(connection: &mut SqliteConnection, owner: &UserId, id: SubscriptionId, at: Timestamp) -> Result<bool, Undo> {
    let at_deletion = webhook_subscriptions::deleted_at.eq(Some(StoredInstant::from(at)));
    if diesel::update(of(owner, &id)).set((SecretsRow::NONE, at_deletion)).execute(connection)? == 0 {
        return Ok(false);
    }
    delete_patterns(connection, owner, id)?;
    close(connection, id, DeliveryEnd::SubscriptionDeleted, at)?;
    Ok(true)
}

pub(super) fn list_secrets(
    connection: &mut SqliteConnection,
    after: Option<SubscriptionId>,
    max: u32,
) -> Result<Vec<(SubscriptionId, SealedSecrets)>, Undo> {
    let after = after.map(|id| id.as_bytes().to_vec()).unwrap_or_default();
    let rows: Vec<(Vec<u8>, SecretsRow)> = webhook_subscriptions::table
        .filter(webhook_subscriptions::id.gt(after))
        .filter(webhook_subscriptions::deleted_at.is_null())
        .order(webhook_subscriptions::id)
        .limit(max.into())
        .select((webhook_subscriptions::id, SecretsRow::as_select()))
        .load(connection)?;
    let secrets = |(id, row): (Vec<u8>, SecretsRow)| {
        let id = subscription_id("webhook_subscriptions", "id", &id)?;
        Ok((id, row.secrets(id)?))
    };
    rows.into_iter().map(secrets).collect()
}
