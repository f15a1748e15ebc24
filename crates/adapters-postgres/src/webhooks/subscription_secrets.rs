use diesel::prelude::*;
use diesel::sql_types::{Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_subscriptions;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{
    CheckRow, FIND_CHECK, INSERT_CHECK, REPLACE_CHECK, SecretsRow, SubscriptionRow, stored_options, subscription_id,
};
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::SubscriptionId;
use domain::ports::{ReplaceSecretsRequest, RotateSecretRequest, SecretRotation};
use domain::webhooks::{SealedSecret, SealedSecrets, Subscription};
use futures_util::future::join;

use super::subscription_queries::subscription_of;
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, rolled_back, settle};

/// Replaces the secrets only if the stored secrets are still the secrets that were read.
const REPLACE: &str = "UPDATE webhook_subscriptions
    SET secret = $6, previous_secret = $7, previous_secret_until = $8, options = $9
    WHERE id = $1 AND deleted_at IS NULL AND secret = $2
        AND previous_secret IS NOT DISTINCT FROM $3 AND previous_secret_until IS NOT DISTINCT FROM $4
        AND options IS NOT DISTINCT FROM $5";

/// Reads the secrets under a lock, so that [`RotateSecretRequest::applied_to`] decides. Three round trips.
impl Work for RotateSecretRequest {
    type Answer = SecretRotation;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<SecretRotation, Failure> {
        let stored = subscription_of(&self.owner, &self.id)
            .select((SubscriptionRow::as_select(), SecretsRow::as_select()))
            .for_no_key_update();
        let (begun, stored) = join(
            Begin.execute(&mut &*connection),
            stored.get_result::<(SubscriptionRow, SecretsRow)>(&mut &*connection),
        )
        .await;
        begun?;
        let Some((subscription, secrets)) = stored.optional()? else {
            return rolled_back(connection, SecretRotation::NotFound).await;
        };
        let (subscription, before) = (Subscription::try_from(subscription)?, secrets.secrets(self.id)?);
        let Some(after) = self.applied_to(&before) else {
            return rolled_back(connection, SecretRotation::Refused(subscription, before)).await;
        };
        let change = (SecretsRow::from(&after), webhook_subscriptions::updated_at.eq(StoredInstant::from(self.at)));
        let rotated = Subscription { updated_at: self.at, signing: after.signing(), ..subscription };
        let event = self.cause.secret_rotated(&rotated, self.previous_until);
        let row = diesel::update(subscription_of(&self.owner, &self.id)).set(change);
        row.execute(&mut &*connection).await?;
        let (written, committed) = commit_with(connection, &[], &[event]).await;
        // A commit with an unknown result is not repeated: the second run would drop the secret that was current.
        settle(written, committed)?;
        Ok(SecretRotation::Rotated(rotated))
    }
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

/// The secrets of one subscription.
pub(super) struct FindSecrets(pub(super) SubscriptionId);

impl Work for FindSecrets {
    type Answer = Option<SealedSecrets>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let row: Option<SecretsRow> = webhook_subscriptions::table
            .filter(webhook_subscriptions::deleted_at.is_null())
            .filter(webhook_subscriptions::id.eq(self.0.as_bytes().as_slice()))
            .select(SecretsRow::as_select())
            .first(&mut &*connection)
            .await
            .optional()?;
        Ok(row.map(|row| row.secrets(self.0)).transpose()?)
    }
}

/// Replaces the secrets `from` with `to`. One statement.
impl Work for ReplaceSecretsRequest {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        let replacement = statement(REPLACE)
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
        let stored = statement(FIND_CHECK).get_result::<CheckRow>(&mut &*connection).await.optional()?;
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
            None => statement(INSERT_CHECK).bind::<Binary, _>(check).execute(&mut &*connection).await?,
            Some(replaced) => {
                let replacement = statement(REPLACE_CHECK).bind::<Binary, _>(check);
                replacement.bind::<Binary, _>(replaced.as_bytes()).execute(&mut &*connection).await?
            }
        };
        let stored: CheckRow = statement(FIND_CHECK).get_result(&mut &*connection).await?;
        Ok(stored.into())
    }
}

fn previous(secrets: &SealedSecrets) -> Option<&[u8]> {
    secrets.previous.as_ref().map(|(secret, _)| secret.as_bytes())
}

fn previous_until(secrets: &SealedSecrets) -> Option<StoredInstant> {
    secrets.previous.as_ref().map(|(_, until)| (*until).into())
}
