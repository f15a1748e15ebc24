use diesel::prelude::*;
use diesel::sql_types::Binary;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::statement;
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
    let &RotateSecretRequest { ref owner, id, previous_until, at, ref cause, .. } = request;
    let Some(subscription) = find_subscription(connection, owner, id)? else { return Ok(SecretRotation::NotFound) };
    let Some(before) = find_secrets(connection, id)? else { return Ok(SecretRotation::NotFound) };
    let Some(after) = request.applied_to(&before) else { return Ok(SecretRotation::Refused(subscription, before)) };
    let change = (SecretsRow::from(&after), webhook_subscriptions::updated_at.eq(StoredInstant::from(at)));
    diesel::update(of(owner, &id)).set(change).execute(connection)?;
    let rotated = Subscription { updated_at: at, signing: after.signing(), ..subscription };
    write_events(connection, [&cause.secret_rotated(&rotated, previous_until)])?;
    Ok(SecretRotation::Rotated(rotated))
}

/// See [`SealedSecretStore::replace_secrets`](domain::ports::SealedSecretStore::replace_secrets).
pub(super) fn replace_secrets(
    connection: &mut SqliteConnection,
    request: &ReplaceSecretsRequest,
) -> Result<bool, Undo> {
    let ReplaceSecretsRequest { id, from, to } = request;
    if find_secrets(connection, *id)?.as_ref() != Some(from) {
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

/// See [`SealedSecretStore::find_secrets`](domain::ports::SealedSecretStore::find_secrets).
pub(super) fn find_secrets(
    connection: &mut SqliteConnection,
    id: SubscriptionId,
) -> Result<Option<SealedSecrets>, Undo> {
    let stored: Option<SecretsRow> = live(&id).select(SecretsRow::as_select()).first(connection).optional()?;
    Ok(stored.map(|row| row.secrets(id)).transpose()?)
}

/// See [`SealedSecretStore::find_check`](domain::ports::SealedSecretStore::find_check).
pub(super) fn find_check(connection: &mut SqliteConnection) -> Result<Option<SealedSecret>, Undo> {
    let stored: Option<CheckRow> = statement(FIND_CHECK).get_result(connection).optional()?;
    Ok(stored.map(Into::into))
}

/// See [`SealedSecretStore::keep_check`](domain::ports::SealedSecretStore::keep_check).
pub(super) fn keep_check(
    connection: &mut SqliteConnection,
    replaced: Option<&SealedSecret>,
    check: &SealedSecret,
) -> Result<SealedSecret, Undo> {
    match replaced {
        None => statement(INSERT_CHECK).bind::<Binary, _>(check.as_bytes()).execute(connection)?,
        Some(replaced) => statement(REPLACE_CHECK)
            .bind::<Binary, _>(check.as_bytes())
            .bind::<Binary, _>(replaced.as_bytes())
            .execute(connection)?,
    };
    let stored: CheckRow = statement(FIND_CHECK).get_result(connection)?;
    Ok(stored.into())
}
