//! The effect of a leaked key on webhooks. See decision 46.

use crate::audit::Origin;
use crate::ports::StoreError;
use crate::webhooks::{SubscriptionChange, Webhooks};
use crate::{ApiKey, CredentialDigest, Keys, OwnerId, ReportLeaksError, SubscriptionId};

/// Revokes every key among `tokens` as [`Keys::report_leaks`] does, and disables the subscriptions that have their URL
/// from one of these keys. If a part of the store fails, the keys in the other parts are still revoked before the error
/// is returned. Repeating a report completes one that failed half-way.
///
/// # Errors
///
/// See [`ReportLeaksError`].
pub async fn report_leaks(
    keys: &Keys,
    webhooks: &Webhooks,
    tokens: &[&str],
    origin: &Origin,
) -> Result<Vec<Option<ApiKey>>, ReportLeaksError> {
    let reported = keys.report_leaks(tokens, origin).await;
    let leaked = match &reported {
        Ok(reported) => reported.iter().flatten().map(|key| key.id).collect(),
        Err(ReportLeaksError::Store(_)) => keys.find_leaked(tokens).await,
        Err(ReportLeaksError::TooMany) => Vec::new(),
    };
    let disabled = webhooks.disable_set_by_leaked(&leaked, origin).await;
    let reported = reported?;
    disabled?;
    Ok(reported)
}

/// If the API key that just set the URL of a subscription is no longer good, disables the subscription. Returns whether
/// the key is good.
///
/// A report of the key may have disabled its subscriptions just before this one was stored. The store knows the
/// revocation then, because the key is revoked first.
///
/// # Errors
///
/// If the store fails. The subscription may then be enabled.
pub async fn confirm_key(
    keys: &Keys,
    webhooks: &Webhooks,
    digest: &CredentialDigest,
    (owner, subscription): (&OwnerId, SubscriptionId),
    origin: &Origin,
) -> Result<bool, StoreError> {
    if keys.is_good(digest).await? {
        return Ok(true);
    }
    let disable = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    webhooks.change_subscription(owner, subscription, &disable, origin).await?;
    Ok(false)
}
