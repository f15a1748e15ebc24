use std::sync::Arc;
use std::time::Duration;

use adapters_egress::{EgressSettings, GuardedSender, InterfaceAddresses, OnRuntime, TlsCertificates};
use adapters_system::EncryptionKey;
use anyhow::{Context, Result};
use dispatcher::{Dispatcher, DispatcherPorts, DispatcherSettings};
use domain::catalogue::Catalogue;
use domain::ports::{Entropy, MigrateError};
use domain::webhooks::{CheckKeysError, EgressPolicy, EgressPolicySettings, WebhookRules, Webhooks};
use domain::{SealingKeys, Tracer};
use tokio::runtime::Handle;

use crate::configuration::Configuration;
use crate::database::placement;
use crate::instance::Instance;

/// How long attempts in flight may continue after the signal to stop. Less than the shutdown may take, so that their
/// results can be stored.
const STOP_GRACE: Duration = Duration::from_secs(7);
/// The maximum number of attempts at the same time to one host.
const CONCURRENCY_PER_HOST: u32 = 256;
/// The longest test of a URL.
const TEST_DEADLINE: Duration = Duration::from_secs(10);
/// The maximum number of tests of URLs at the same time.
const TESTS_MAX: usize = 64;
/// Connections for each of the attempts that run at the same time. Most of them are idle, and save a handshake.
const CONNECTIONS_FOR_EACH_ATTEMPT: usize = 4;

/// The webhook parts of an instance: the use cases and the dispatcher.
pub(crate) struct WebhookParts {
    pub(crate) use_cases: Webhooks,
    /// Seal the stored secrets, and the cookies of sign-ins.
    pub(crate) sealing_keys: Arc<SealingKeys>,
    /// `None` with `DISPATCH=false`.
    pub(crate) dispatcher: Option<Arc<Dispatcher>>,
}

impl WebhookParts {
    /// Wires the parts. Opens no connection.
    ///
    /// # Errors
    ///
    /// When there is no encryption key, the addresses of the machine cannot be read, or TLS cannot be set up.
    pub(crate) fn new(instance: &Instance, catalogue: &Arc<Catalogue>, tracer: Option<Arc<Tracer>>) -> Result<Self> {
        let Instance { configuration, store, clock, entropy, .. } = instance;
        let keys = configuration.encryption_keys.iter().map(EncryptionKey::bytes).collect();
        let sealing_keys = Arc::new(SealingKeys::new(keys).context("ENCRYPTION_KEY is not set")?);
        let egress = egress_policy(configuration)?;
        let policy = configuration.webhooks.policy.clone();
        let rules = WebhookRules { policy, egress: egress.clone(), sealing_keys: Arc::clone(&sealing_keys) };
        let tester = Arc::new(tester(configuration, egress.clone(), entropy)?);
        let outside = (tester as _, Arc::new(TlsCertificates) as _);
        let use_cases = Webhooks::new(store.webhooks.clone(), rules, outside, Arc::clone(clock), Arc::clone(entropy))
            .with_placement(placement(store))
            .with_catalogue(Arc::clone(catalogue));
        if !configuration.webhooks.dispatch {
            return Ok(Self { use_cases, sealing_keys, dispatcher: None });
        }
        let sender = Arc::new(sender(configuration, egress, entropy)?);
        let (clock, entropy) = (Arc::clone(clock), Arc::clone(entropy));
        let (queue, keys) = (Arc::clone(&store.queue), Arc::clone(&sealing_keys));
        let ports = DispatcherPorts { queue, sender, keys, clock, entropy, tracer };
        Ok(Self {
            use_cases,
            sealing_keys,
            dispatcher: Some(Dispatcher::new(ports, dispatcher_settings(configuration))),
        })
    }
}

/// The explanation of a start that ended because the keys are not the database's. See decision 57.
const FOREIGN_KEY: &str = "it was used with another ENCRYPTION_KEY, and none of the configured keys decrypts what it \
    holds. Set the key that the other instances have. To change the key, see \"Rotating ENCRYPTION_KEY\" in \
    docs/operations/upgrades.md";

/// Checks that the database was used with one of the encryption keys, or not at all.
///
/// # Errors
///
/// [`MigrateError::Unusable`] if the database was used with other keys.
pub(crate) async fn check_encryption_key(webhooks: &Webhooks) -> Result<(), MigrateError> {
    webhooks.check_keys().await.map_err(|error| match error {
        CheckKeysError::Foreign => MigrateError::Unusable(FOREIGN_KEY.into()),
        CheckKeysError::Store(error) => error.into(),
    })
}

/// Where webhooks may go.
///
/// # Errors
///
/// When the addresses of this machine cannot be read.
pub(crate) fn egress_policy(configuration: &Configuration) -> Result<EgressPolicy> {
    let own_addresses = InterfaceAddresses::read().context("cannot read the addresses of this machine")?;
    Ok(EgressPolicy::new(EgressPolicySettings {
        allow_http: configuration.webhooks.allow_http,
        allowed_networks: configuration.webhooks.allowed_networks.clone(),
        own_addresses: Arc::new(own_addresses),
    }))
}

fn sender(configuration: &Configuration, egress: EgressPolicy, entropy: &Arc<dyn Entropy>) -> Result<GuardedSender> {
    let settings = EgressSettings {
        deadline: configuration.webhooks.timeout,
        connections_max: CONNECTIONS_FOR_EACH_ATTEMPT * configuration.webhooks.concurrency.max(1) as usize,
        attempts_per_host_max: CONCURRENCY_PER_HOST as usize,
        ..EgressSettings::new(egress, Arc::clone(entropy))
    };
    GuardedSender::new(settings).context("cannot set up TLS for webhooks")
}

/// Sends tests of URLs. Its connections are its own, so that tests take no place of a delivery. People wait for the answer.
/// See decision 88.
fn tester(configuration: &Configuration, egress: EgressPolicy, entropy: &Arc<dyn Entropy>) -> Result<OnRuntime> {
    let settings = EgressSettings {
        deadline: configuration.webhooks.timeout.min(TEST_DEADLINE),
        connections_max: TESTS_MAX,
        attempts_per_host_max: TESTS_MAX,
        ..EgressSettings::new(egress, Arc::clone(entropy))
    };
    let sender = GuardedSender::new(settings).context("cannot set up TLS for tests of URLs")?;
    Ok(OnRuntime::new(Arc::new(sender), Handle::current()))
}

fn dispatcher_settings(configuration: &Configuration) -> DispatcherSettings {
    DispatcherSettings {
        concurrency: configuration.webhooks.concurrency,
        concurrency_per_host: CONCURRENCY_PER_HOST,
        attempt_timeout: configuration.webhooks.timeout,
        schedule: configuration.webhooks.policy.retry_schedule().clone(),
        pauses: configuration.webhooks.pauses,
        stop_grace: STOP_GRACE,
        sends_traceparent: configuration.webhooks.traceparent,
    }
}
