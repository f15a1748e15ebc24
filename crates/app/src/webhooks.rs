use std::sync::Arc;
use std::time::Duration;

use adapters_egress::{EgressSettings, GuardedSender, InterfaceAddresses};
use anyhow::{Context, Result};
use dispatcher::{Dispatcher, DispatcherPorts, DispatcherSettings};
use domain::ports::{Clock, Entropy, Store};
use domain::webhooks::{EgressPolicy, EgressPolicySettings, SealingKeys, WebhookRules, Webhooks};
use tokio_util::sync::CancellationToken;

use crate::configuration::{Configuration, EncryptionKey};

/// How long attempts under way may go on after the signal to stop: they share the time with the HTTP server's last
/// requests, and leave some to store how they ended.
const STOP_GRACE: Duration = Duration::from_secs(7);
/// Attempts at once to one destination host.
const CONCURRENCY_PER_HOST: u32 = 256;
/// How long to wait before secrets that could not be sealed again are tried once more.
const RESEAL_RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// What of an instance is about webhooks: the use cases, and the engine that delivers.
pub(crate) struct WebhookParts {
    pub(crate) use_cases: Webhooks,
    /// None with `DISPATCH=false`.
    pub(crate) dispatcher: Option<Arc<Dispatcher>>,
}

impl WebhookParts {
    /// Wires them. Opens no connection.
    ///
    /// # Errors
    ///
    /// When there is no encryption key, the machine's addresses cannot be read, or TLS cannot be set up.
    pub(crate) fn new(
        configuration: &Configuration,
        store: &Store,
        clock: &Arc<dyn Clock>,
        entropy: &Arc<dyn Entropy>,
    ) -> Result<Self> {
        let keys = configuration.encryption_keys.iter().map(EncryptionKey::bytes).collect();
        let sealing_keys = Arc::new(SealingKeys::new(keys).context("ENCRYPTION_KEY is not set")?);
        let egress = egress_policy(configuration)?;
        let policy = configuration.webhooks.policy.clone();
        let rules = WebhookRules { policy, egress: egress.clone(), sealing_keys: Arc::clone(&sealing_keys) };
        let use_cases = Webhooks::new(store.webhooks.clone(), rules, Arc::clone(clock), Arc::clone(entropy));
        if !configuration.webhooks.dispatch {
            return Ok(Self { use_cases, dispatcher: None });
        }
        let sender = Arc::new(sender(configuration, egress)?);
        let (clock, entropy) = (Arc::clone(clock), Arc::clone(entropy));
        let ports = DispatcherPorts { queue: Arc::clone(&store.queue), sender, keys: sealing_keys, clock, entropy };
        Ok(Self { use_cases, dispatcher: Some(Dispatcher::new(ports, dispatcher_settings(configuration))) })
    }
}

fn egress_policy(configuration: &Configuration) -> Result<EgressPolicy> {
    let own_addresses = InterfaceAddresses::read().context("the addresses of this machine cannot be read")?;
    Ok(EgressPolicy::new(EgressPolicySettings {
        allow_http: configuration.webhooks.allow_http,
        allowed_networks: configuration.webhooks.allowed_networks.clone(),
        own_addresses: Arc::new(own_addresses),
    }))
}

fn sender(configuration: &Configuration, egress: EgressPolicy) -> Result<GuardedSender> {
    let settings = EgressSettings {
        deadline: configuration.webhooks.timeout,
        idle_per_host_max: CONCURRENCY_PER_HOST as usize,
        ..EgressSettings::new(egress)
    };
    GuardedSender::new(settings).context("webhooks cannot be sent over TLS")
}

fn dispatcher_settings(configuration: &Configuration) -> DispatcherSettings {
    DispatcherSettings {
        concurrency: configuration.webhooks.concurrency,
        concurrency_per_host: CONCURRENCY_PER_HOST,
        attempt_timeout: configuration.webhooks.timeout,
        schedule: configuration.webhooks.policy.retry_schedule().clone(),
        stop_grace: STOP_GRACE,
    }
}

/// Seals all stored secrets under the first encryption key, once, so that the others are not needed any more.
pub(crate) async fn reseal_secrets(webhooks: Webhooks, stop: CancellationToken) {
    let until_done = async {
        while let Err(error) = reseal_and_report(&webhooks).await {
            let error = format!("{error:#}");
            tracing::warn!(error, "the signing secrets could not be sealed again, will retry in a minute");
            tokio::time::sleep(RESEAL_RETRY_INTERVAL).await;
        }
    };
    stop.run_until_cancelled(until_done).await;
}

async fn reseal_and_report(webhooks: &Webhooks) -> Result<()> {
    let done = webhooks.reseal_secrets().await?;
    let (resealed, unreadable) = (done.resealed, done.unreadable);
    if unreadable > 0 {
        tracing::error!(unreadable, "no key of ENCRYPTION_KEY opens the signing secrets of some subscriptions");
    }
    tracing::info!(resealed, "signing secrets were sealed again; only the first key of ENCRYPTION_KEY is needed now");
    Ok(())
}
