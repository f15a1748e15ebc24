use std::time::Duration;

use domain::webhooks::WebhookPolicy;
use ipnet::IpNet;

/// `WEBHOOK_*` and `DISPATCH`. Only its [`Default`] and that of the policy state their defaults.
#[derive(Clone, Debug)]
pub(crate) struct WebhookConfiguration {
    /// `DISPATCH`
    pub(crate) dispatch: bool,
    /// `WEBHOOK_ALLOW_HTTP`
    pub(crate) allow_http: bool,
    /// `WEBHOOK_ALLOWED_NETWORKS`
    pub(crate) allowed_networks: Vec<IpNet>,
    /// `WEBHOOK_TIMEOUT_SECONDS`
    pub(crate) timeout: Duration,
    /// `WEBHOOK_CONCURRENCY`
    pub(crate) concurrency: u32,
    /// `WEBHOOK_MAX_SUBSCRIPTIONS`, `WEBHOOK_MAX_PAYLOAD_BYTES`, `WEBHOOK_RETENTION_DAYS` and `WEBHOOK_RETRY_SCHEDULE`
    pub(crate) policy: WebhookPolicy,
}

impl Default for WebhookConfiguration {
    fn default() -> Self {
        Self {
            dispatch: true,
            allow_http: false,
            allowed_networks: Vec::new(),
            timeout: Duration::from_secs(15),
            concurrency: 512,
            policy: WebhookPolicy::default(),
        }
    }
}
