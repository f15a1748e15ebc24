use std::sync::Arc;

use adapters_http::AuditJson;
use anyhow::{Context, Result};
use domain::announcements::Announcements;
use domain::ports::Store;
use domain::webhooks::{OperatorWebhook, SigningSecret, Webhooks};

use crate::configuration::Configuration;

/// The webhook of the operator, if one is configured.
///
/// # Errors
///
/// When webhooks may not be sent to the URL, or the secret is missing.
pub(crate) fn operator_webhook(configuration: &Configuration, webhooks: &Webhooks) -> Result<Option<OperatorWebhook>> {
    let settings = &configuration.operator_webhook;
    let Some(url) = &settings.url else { return Ok(None) };
    let url = webhooks.parse_target(url.as_str()).context("OPERATOR_WEBHOOK_URL is refused")?;
    let secret = settings.secret.as_ref().context("OPERATOR_WEBHOOK_URL requires OPERATOR_WEBHOOK_SECRET")?;
    let secret = SigningSecret::parse(secret.expose()).context("OPERATOR_WEBHOOK_SECRET is refused")?;
    Ok(Some(OperatorWebhook { url, events: settings.events.clone(), secret }))
}

/// The engine of operational events.
pub(crate) fn announcements(store: &Store, webhooks: &Webhooks, operator: Option<&OperatorWebhook>) -> Announcements {
    let ports = (Arc::clone(&store.audit), Arc::clone(&store.keys.store));
    Announcements::new(webhooks.clone(), ports, Arc::new(AuditJson), operator)
}
