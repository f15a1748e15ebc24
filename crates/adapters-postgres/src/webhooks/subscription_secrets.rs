use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{
    CheckRow, FIND_CHECK, INSERT_CHECK, REPLACE_CHECK, SecretsRow, SubscriptionRow, stored_options, subscription_id,
};
use diesel_mapping::{Kept, StoredInstant};
use domain::SubscriptionId;
use domain::ports::{ReplaceSecretsRequest, RotateSecretRequest, SecretRotation};
use domain::webhooks::{SealedSecret, SealedSecrets};

use super::subscription_queries::subscription_of;
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, Rollback, settle};

/// Replaces the secrets only if the stored secrets are still the secrets that were read.
const REPLACE: &str = "UPDATE webhook_subscriptions
    SET secret = $6, previous_secret = $7, previous_secret_until = $8, options = $9
    WHERE id = $1 AND deleted_at IS NULL AND secret = $2
        AND previous_secret IS NOT DISTINCT FROM $3 AND previous_secret_until IS NOT DISTINCT FROM $4
        AND options IS NOT DISTINCT FROM $5";

/// Makes `secret` the current secret and the current secret the previous one, if [`SealedSecrets::allow_rotation`]
/// permits it. Three round trips.
impl Work for RotateSecretRequest {
    type Answer = SecretRotation;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<SecretRotation, Failure> {
        let (at, until) = (StoredInstant::from(self.at), StoredInstant::from(self.previous_until));
        let has_no_overlap = self.previous_until <= self.at;
        let is_over = webhook_subscriptions::previous_secret_until.assume_not_null().le(at);
        let is_allowed = webhook_subscriptions::previous_secret_until.is_null().or(is_over);
        let rotation = diesel::update(
            subscription_of(&self.owner, &self.id).filter(is_allowed.or(has_no_overlap.into_sql::<Bool>())),
        )
        .set((
            webhook_subscriptions::previous_secret.eq(webhook_subscriptions::secret),
            webhook_subscriptions::previous_secret_until.eq(until),
            webhook_subscriptions::secret.eq(self.secret.as_bytes()),
            webhook_subscriptions::updated_at.eq(at),
        ));
        let rotation = rotation.returning(SubscriptionRow::as_select());
        Begin.execute(&mut &*connection).await?;
        let Some(row) = rotation.get_result(&mut &*connection).await.optional()? else {
            let refusal = refusal(self, connection).await?;
            Rollback.execute(&mut &*connection).await?;
            return Ok(refusal);
        };
        let event = self.cause.secret_rotated(self.id, &self.owner, self.previous_until);
        let (written, committed) = commit_with(connection, &[], &[event]).await;
        // A commit with an unknown result is not repeated: the second run would drop the secret that was current.
        settle(written, committed)?;
        Ok(SecretRotation::Rotated(row.try_into()?))
    }
}

async fn refusal(request: &RotateSecretRequest, connection: &AsyncPgConnection) -> Result<SecretRotation, Failure> {
    let found =
        subscription_of(&request.owner, &request.id).select((SubscriptionRow::as_select(), SecretsRow::as_select()));
    let found: Option<(SubscriptionRow, SecretsRow)> = found.first(&mut &*connection).await.optional()?;
    let Some((subscription, secrets)) = found else { return Ok(SecretRotation::NotFound) };
    Ok(SecretRotation::Overlapping(subscription.try_into()?, secrets.secrets(request.id)?))
}

/// The secrets of all subscriptions.
pub(super) struct ListSecrets {
    pub(super) after: Option<SubscriptionId>,
    pub(super) max: u32,
}

impl Work for ListSecrets {
    type Answer = Vec<(SubscriptionId, SealedSecrets)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let after = self.after.as_ref().map_or(&[][..], |after| after.as_bytes().as_slice());
        let rows: Vec<(Vec<u8>, SecretsRow)> = webhook_subscriptions::table
            .filter(webhook_subscriptions::deleted_at.is_null())
            .filter(webhook_subscriptions::id.gt(after))
            .order(webhook_subscriptions::id)
            .limit(self.max.into())
            .select((webhook_subscriptions::id, SecretsRow::as_select()))
            .load(&mut &*connection)
            .await?;
        let secrets = rows.into_iter().map(|(id, secrets)| {
            let id = subscription_id("webhook_subscriptions", "id", &id)?;
            Ok((id, secrets.secrets(id)?))
        });
        secrets.collect()
    }
}

/// Replaces the secrets `from` with `to`. One statement.
impl Work for ReplaceSecretsRequest {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        let replacement = diesel::sql_query(REPLACE)
            .bind::<Binary, _>(self.id.as_bytes().as_slice())
            .bind::<Binary, _>(self.from.current.as_bytes())
            .bind::<Nullable<Binary>, _>(previous(&self.from))
            .bind::<Nullable<Instant>, _>(previous_until(&self.from))
            .bind::<Nullable<Text>, _>(stored_options(&self.from.options))
            .bind::<Binary, _>(self.to.current.as_bytes())
            .bind::<Nullable<Binary>, _>(previous(&self.to))
            .bind::<Nullable<Instant>, _>(previous_until(&self.to))
            .bind::<Nullable<Text>, _>(stored_options(&self.to.options));
        // The statement must not be repeated: the second run would not find `from`, and report a failure.
        let replaced = Kept(replacement).execute(&mut &*connection).await.map_err(Failure::of_statement)?;
        Ok(replaced > 0)
    }
}

/// Stores `check` if the stored check is `replaced`, and reads the stored check. Two statements, so that the second one
/// sees a check that another process has stored in between.
pub(super) struct FindCheck;

impl Work for FindCheck {
    type Answer = Option<SealedSecret>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<SealedSecret>, Failure> {
        let stored = diesel::sql_query(FIND_CHECK).get_result::<CheckRow>(&mut &*connection).await.optional()?;
        Ok(stored.map(Into::into))
    }
}

pub(super) struct KeepCheck<'a> {
    pub(super) replaced: Option<&'a SealedSecret>,
    pub(super) check: &'a SealedSecret,
}

impl Work for KeepCheck<'_> {
    type Answer = SealedSecret;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<SealedSecret, Failure> {
        let check = self.check.as_bytes();
        // Safe to repeat: on the second run the stored check differs from `replaced`, so it stays.
        match self.replaced {
            None => diesel::sql_query(INSERT_CHECK).bind::<Binary, _>(check).execute(&mut &*connection).await?,
            Some(replaced) => {
                let replacement = diesel::sql_query(REPLACE_CHECK).bind::<Binary, _>(check);
                replacement.bind::<Binary, _>(replaced.as_bytes()).execute(&mut &*connection).await?
            }
        };
        let stored: CheckRow = diesel::sql_query(FIND_CHECK).get_result(&mut &*connection).await?;
        Ok(stored.into())
    }
}

fn previous(secrets: &SealedSecrets) -> Option<&[u8]> {
    secrets.previous.as_ref().map(|(secret, _)| secret.as_bytes())
}

fn previous_until(secrets: &SealedSecrets) -> Option<StoredInstant> {
    secrets.previous.as_ref().map(|(_, until)| (*until).into())
}
