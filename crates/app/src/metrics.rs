use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adapters_http::{RequestDurations, ServerCertificate};
use adapters_metrics::{BuildInfo, CountedAudit, CountedEvents, Metrics, Sources, StoreWatch, Surroundings};
use adapters_otlp::SpanQueue;
use adapters_sqlite::last_backup;
use anyhow::{Context, Result, anyhow};
use doctor::free_bytes;
use domain::Timestamp;
use domain::ports::Store;
use tokio_util::sync::CancellationToken;
use upkeep::Tasks;

use crate::configuration::Configuration;
use crate::instance::Instance;
use crate::parts::Parts;

/// The identity of this build. A release is built with `GATEPOST_COMMIT` in the environment of the compiler.
const BUILD: BuildInfo = BuildInfo {
    version: env!("CARGO_PKG_VERSION"),
    commit: match option_env!("GATEPOST_COMMIT") {
        Some(commit) => commit,
        None => "unknown",
    },
};

/// The counters for the metrics, which count even without a listener.
pub(crate) struct MetricsParts {
    pub(crate) requests: RequestDurations,
    events: Arc<CountedEvents>,
    audit: Arc<CountedAudit>,
}

impl MetricsParts {
    /// Counts the events on their way to the store, and the events of the audit log.
    pub(crate) fn of(store: &mut Store) -> Self {
        let events = CountedEvents::new(Arc::clone(&store.webhooks.events));
        store.webhooks.events = Arc::clone(&events) as _;
        let audit = CountedAudit::of(&*store.audit);
        Self { requests: RequestDurations::default(), events, audit }
    }

    /// Starts to read the figures of the store, and to show the metrics on `listener`, if there is one.
    pub(crate) fn start(
        self,
        instance: &Instance,
        parts: &Parts,
        listener: Option<TcpListener>,
        tasks: &mut Tasks,
        stop: &CancellationToken,
    ) -> Arc<Metrics> {
        let Instance { store, clock, configuration, .. } = instance;
        let (file, certificate) = (configuration.database_url.file().map(PathBuf::from), instance.certificate.clone());
        let watch = StoreWatch::new(Arc::clone(&store.figures), Arc::clone(&store.sessions.store), Arc::clone(clock));
        tasks.spawn_steady("the reading of figures", stop, Arc::clone(&watch).run(stop.clone()));
        let (identity, spans) = (Arc::clone(&instance.identity), parts.traces.queue.clone());
        let metrics = Metrics::new(Sources {
            build: BUILD,
            started_at: clock.now(),
            database: configuration.database_url.kind(),
            verifier: Arc::clone(&parts.verifier),
            dispatcher: parts.webhooks.dispatcher.clone(),
            requests: Arc::clone(self.requests.family()),
            events: self.events,
            catalogue: Arc::clone(&parts.catalogue),
            store: Arc::clone(&store.figures),
            audit: self.audit,
            watch,
            clock: Arc::clone(clock),
            identity_keys_age: Box::new(move || identity.keys_age()),
            surroundings: Box::new(move || surroundings(file.as_deref(), certificate.as_ref())),
            spans: Box::new(move || spans.as_deref().map(SpanQueue::counts).unwrap_or_default()),
        });
        if let Some(listener) = listener {
            let serving = adapters_metrics::serve(listener, Arc::clone(&metrics), stop.clone());
            tasks.spawn("the server of metrics", async { Ok(serving.await?) });
        }
        metrics
    }
}

fn surroundings(database: Option<&Path>, certificate: Option<&ServerCertificate>) -> Surroundings {
    let never = Timestamp::from_unix_millis(0);
    Surroundings {
        data_free_bytes: database.and_then(free_bytes),
        last_backup: database.and_then(|file| last_backup(file).or(never)),
        certificate_expires_at: certificate.and_then(ServerCertificate::expires_at),
    }
}

/// The listener for metrics; `None` if `METRICS_LISTEN` is empty.
///
/// # Errors
///
/// When the address is not available. The error says how to choose another.
pub(crate) fn listen_for_metrics(configuration: &Configuration) -> Result<Option<TcpListener>> {
    let Some(address) = configuration.metrics_listen else { return Ok(None) };
    let listener = TcpListener::bind(address).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!(
            "another program listens on {address}, where the metrics should be; set METRICS_LISTEN to another address, \
             or to nothing for no metrics"
        ),
        _ => anyhow::Error::new(error)
            .context(format!("cannot listen on {address} for metrics; set METRICS_LISTEN to another address")),
    })?;
    let address = listener.local_addr().context("the listener has no address")?;
    tracing::info!(%address, "metrics are at /metrics");
    Ok(Some(listener))
}
