use diesel::prelude::*;
use diesel::sql_types::Binary;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::webhooks::{CheckRow, FIND_CHECK, INSERT_CHECK, REPLACE_CHECK, SecretsRow, subscription_id};
use domain::SubscriptionId;
use domain::ports::{ReplaceSecretsRequest, RotateSecretRequest, SecretRotation};
use domain::webhooks::{SealedSecret, SealedSecrets, Subscription};

use super::find_subscription::find_subscription;
use super::subscription_queries::{live, of};
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`SubscriptionStore::rotate_secret`](domain::ports::SubscriptionStore::rotate_secret).
pub(super) fn rotate_secret(
    connection: &mut SqliteConnection,
    request: &RotateSecretRequest,
) -> Result<SecretRotation, Undo> {
    let &RotateSecretRequest { ref owner, id, ref secret, previous_until, at, ref cause } = request;
    let Some(subscription) = find_subscription(connection, owner, id)? else { return Ok(SecretRotation::NotFound) };
    let before = secrets_of(connection, id)?;
    if !before.allow_rotation(at, previous_until) {
        return Ok(SecretRotation::Overlapping(subscription, before));
    }
    let secrets = SealedSecrets {
        current: secret.clone(),
        previous: Some((before.current, previous_until)),
        options: before.options,
    };
    let change = (SecretsRow::from(&secrets), webhook_subscriptions::updated_at.eq(StoredInstant::from(at)));
    diesel::update(of(owner, &id)).set(change).execute(connection)?;
    write_events(connection, [&cause.secret_rotated(id, owner, previous_until)])?;
    Ok(SecretRotation::Rotated(Subscription { updated_at: at, ..subscription }))
}

/// See [`SealedSecretStore::replace_secrets`](domain::ports::SealedSecretStore::replace_secrets).
pub(super) fn replace_secrets(
    connection: &mut SqliteConnection,
    request: &ReplaceSecretsRequest,
) -> Result<bool, Undo> {
    let ReplaceSecretsRequest { id, from, to } = request;
    let stored: Option<SecretsRow> = live(id).select(SecretsRow::as_select()).first(connection).optional()?;
    if stored.map(|row| row.secrets(*id)).transpose()?.as_ref() != Some(from) {
        return Ok(false);
    }
    diesel::update(live(id)).set(SecretsRow::from(to)).execute(connection)?;
    Ok(true)
}

/// See [`SealedSecretStore::list_secrets`](domain::ports::SealedSecretStore::list_secrets).
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

/// See [`SealedSecretStore::find_check`](domain::ports::SealedSecretStore::find_check).
pub(super) fn find_check(connection: &mut SqliteConnection) -> Result<Option<SealedSecret>, Undo> {
    let stored: Option<CheckRow> = diesel::sql_query(FIND_CHECK).get_result(connection).optional()?;
    Ok(stored.map(Into::into))
}

/// See [`SealedSecretStore::keep_check`](domain::ports::SealedSecretStore::keep_check).
pub(super) fn keep_check(
    connection: &mut SqliteConnection,
    replaced: Option<&SealedSecret>,
    check: &SealedSecret,
) -> Result<SealedSecret, Undo> {
    match replaced {
        None => diesel::sql_query(INSERT_CHECK).bind::<Binary, _>(check.as_bytes()).execute(connection)?,
        Some(replaced) => diesel::sql_query(REPLACE_CHECK)
            .bind::<Binary, _>(check.as_bytes())
            .bind::<Binary, _>(replaced.as_bytes())
            .execute(connection)?,
    };
    let stored: CheckRow = diesel::sql_query(FIND_CHECK).get_result(connection)?;
    Ok(stored.into())
}

fn secrets_of(connection: &mut SqliteConnection, id: SubscriptionId) -> Result<SealedSecrets, Undo> {
    let row: SecretsRow = live(&id).select(SecretsRow::as_select()).first(connection)?;
    Ok(row.secrets(id)?)
}
