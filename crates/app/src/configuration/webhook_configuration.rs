use std::time::Duration;

use domain::webhooks::WebhookPolicy;
use ipnet::IpNet;

/// `WEBHOOK_*` and `DISPATCH`. Its [`Default`], with that of the policy, is the only place that states their defaults.
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
    /// `WEBHOOK_MAX_SUBSCRIPTIONS`, `WEBHOOK_RETRY_SCHEDULE` and the rest that the rules are held to.
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
