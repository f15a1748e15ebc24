use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::HeaderMap;
use actix_web::web::ServiceConfig;
use adapters_egress::platform_client_config;
use adapters_http::{Api, AuditJson, HttpSettings, OperatorTokens, ServerCertificate};
use adapters_oidc::{ClientTls, OidcClient, OidcProvider, OidcVerifier};
use adapters_system::{AuditCopy, LogSwitch, NameEntropy};
use anyhow::{Context, Result, anyhow};
use cli::WebAddress;
use domain::audit::Audit;
use domain::ports::{Clock, Entropy, Store, SystemStatus};
use domain::sessions::{PortalLinks, Sessions, SignIn, SignInSettings};
use domain::webhooks::{OperatorWebhook, Webhooks};
use domain::{Keys, LogControl, SealingKeys, Tracer};
use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use upkeep::{Tasks, announce_steadily, migrate_until_done, purge_hourly, reseal_secrets, watch_snapshots};
use verifier::{CredentialStores, Verifier, VerifierSettings};
use zeroize::Zeroizing;

use crate::announcements::{announcements, keep_operator_webhook, operator_webhook};
use crate::configuration::Configuration;
use crate::database::placement;
use crate::metrics::{MeteredParts, MetricsParts};
use crate::traces::TraceParts;
use crate::webhooks::{WebhookParts, check_encryption_key};

/// How long the start waits for the database. Until then callers wait in the queue of the listener.
const FIRST_ATTEMPT_MAX: Duration = Duration::from_secs(3);
/// The limit of a shutdown, from the signal to the end of the process. Orchestrators kill after 10 s or later.
const SHUTDOWN_MAX: Duration = Duration::from_millis(9_500);
/// The identity provider and the receivers of webhooks share one reading of the system's certificates.
pub(crate) const PROVIDER_TLS: Option<ClientTls> = Some(|| Ok(platform_client_config()?));

/// A complete Gatepost: the adapters behind the ports, the engines, and the HTTP server.
pub(crate) struct Instance {
    pub(crate) configuration: Configuration,
    pub(crate) listener: TcpListener,
    /// Where metrics are shown, if they are.
    pub(crate) metrics_listener: Option<TcpListener>,
    pub(crate) store: Store,
    pub(crate) identity: Arc<OidcVerifier>,
    /// The issuer of the ID tokens.
    pub(crate) issuer: String,
    /// Where browsers find the service.
    pub(crate) public_url: WebAddress,
    /// The tokens that open the operator API.
    pub(crate) operator_tokens: OperatorTokens,
    /// See [`HttpSettings::certificate`].
    pub(crate) certificate: Option<ServerCertificate>,
    /// See [`HttpSettings::webhook_changes`].
    pub(crate) webhook_changes: Option<fn(&HeaderMap) -> bool>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) log: LogSwitch,
}

impl Instance {
    /// Serves until `stop` is cancelled. Then `/readyz` fails, requests in flight finish, the last uses are written,
    /// and the database is closed, in this order. `once_serving` runs beside the server as soon as it answers requests.
    ///
    /// # Errors
    ///
    /// When the server, a background task or `once_serving` fails, or when the shutdown takes too long.
    pub(crate) async fn run(
        self,
        more_routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
        once_serving: impl Future<Output = Result<()>>,
        stop: CancellationToken,
    ) -> Result<()> {
        let too_late = async {
            stop.cancelled().await;
            tokio::time::sleep(SHUTDOWN_MAX).await;
        };
        tokio::select! {
            outcome = self.serve_and_stop(more_routes, once_serving, &stop) => outcome,
            () = too_late => Err(anyhow!("the shutdown took longer than {SHUTDOWN_MAX:?}; unfinished work is lost")),
        }
    }

    async fn serve_and_stop(
        mut self,
        more_routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
        once_serving: impl Future<Output = Result<()>>,
        stop: &CancellationToken,
    ) -> Result<()> {
        // The engines stop after the server, whose last requests still need them.
        let engines_stop = CancellationToken::new();
        let metrics = MetricsParts::of(&mut self.store);
        let audit_copy = self.audit_copy()?;
        let verifier = self.verifier();
        let (keys, sessions) = (self.keys(&verifier), self.sessions(&verifier));
        let audit = self.audit();
        let mut traces = TraceParts::new(&self.configuration, &self.clock)?;
        let webhooks =
            WebhookParts::new(&self.configuration, &self.store, (&self.clock, &self.entropy), traces.tracer.clone())?;
        let operator = operator_webhook(&self.configuration, &webhooks.use_cases)?;
        let mut tasks = self.start_schema(&webhooks.use_cases, operator.clone(), stop).await;
        self.read_clock().await;
        self.start_engines(&mut tasks, &verifier, &engines_stop);
        Self::start_purges(&mut tasks, &keys, &sessions, &audit, &engines_stop);
        self.start_webhooks(&mut tasks, &webhooks, stop);
        self.start_announcing(&mut tasks, &webhooks.use_cases, operator.as_ref(), &engines_stop);
        traces.start(&mut tasks, &engines_stop);
        let (store, settings) = (self.store.clone(), self.http_settings(&metrics));
        let listener = self.metrics_listener.take();
        let system =
            metrics.start(self.metered_parts(&verifier, &webhooks, &traces), listener, &mut tasks, &engines_stop);
        let sign_in = self.sign_in(&sessions, &webhooks.sealing_keys)?;
        let portal_links = PortalLinks::new(sessions.clone(), Arc::clone(&webhooks.sealing_keys));
        let with_system = (verifier, system as _, traces.tracer);
        let api = self.api((keys, audit), (sessions, sign_in, portal_links), with_system, webhooks.use_cases);
        let address = self.listener.local_addr().context("the listener has no address")?;
        let database_kind = self.configuration.database_url.kind();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, database = database_kind, "gatepost is serving");
        let console = adapters_web::routes(self.configuration.console, self.configuration.portal.clone());
        let routes = move |config: &mut ServiceConfig| {
            more_routes(config);
            console(config);
        };
        let server = adapters_http::serve(self.listener, settings, api, routes, stop.clone());
        let outcome = tasks.run_beside(server, once_serving, stop).await;
        engines_stop.cancel();
        let finished = tasks.finish().await;
        store.close().await;
        audit_copy.inspect(|copy| copy.finish());
        tracing::info!("gatepost has stopped");
        outcome.and(finished)
    }

    fn verifier(&self) -> Arc<Verifier> {
        let key_policy = self.configuration.key_policy.clone();
        let settings = VerifierSettings { key_policy, ..self.configuration.verifier.clone() };
        let (store, clock) = (self.store.clone(), Arc::clone(&self.clock));
        let stores = CredentialStores { keys: store.keys, sessions: store.sessions };
        Verifier::of_shards(stores, store.changes, clock, settings)
    }

    fn keys(&self, verifier: &Arc<Verifier>) -> Keys {
        let policy = self.configuration.key_policy.clone();
        let (clock, entropy) = (Arc::clone(&self.clock), Arc::clone(&self.entropy));
        Keys::new(verifier.key_stores(), Arc::clone(verifier) as _, clock, entropy, policy)
            .with_placement(placement(&self.store))
    }

    fn sessions(&self, verifier: &Arc<Verifier>) -> Sessions {
        let (clock, entropy) = (Arc::clone(&self.clock), Arc::clone(&self.entropy));
        Sessions::new(verifier.session_stores(), Arc::clone(verifier) as _, clock, entropy)
            .with_placement(placement(&self.store))
    }

    /// Signs people in at the provider whose tokens are accepted.
    fn sign_in(&self, sessions: &Sessions, keys: &Arc<SealingKeys>) -> Result<SignIn> {
        let configuration = &self.configuration;
        let id = configuration.sign_in_client_id().context("OIDC_AUDIENCE is required")?.to_owned();
        let secret = configuration.oidc_client_secret.as_ref().map(|secret| Zeroizing::new(secret.expose().to_owned()));
        let client = OidcClient { id, secret, operator_claim: configuration.operator_claim.clone() };
        let provider = OidcProvider::new(Arc::clone(&self.identity), client);
        let redirect_uri = format!("{}/console/callback", self.public_url);
        let settings = SignInSettings { redirect_uri, operators: configuration.operators.clone() };
        let system = (Arc::clone(&self.clock), Arc::clone(&self.entropy));
        Ok(SignIn::new(provider, sessions.clone(), Arc::clone(keys), settings, system))
    }

    fn audit(&self) -> Audit {
        let (clock, entropy) = (Arc::clone(&self.clock), Arc::clone(&self.entropy));
        Audit::new(Arc::clone(&self.store.audit), clock, entropy, self.configuration.audit_retention)
    }

    /// Copies what the store writes to the audit log from now on, if `AUDIT_LOG` says where.
    fn audit_copy(&self) -> Result<Option<Arc<AuditCopy>>> {
        let Some(destination) = &self.configuration.audit_log else { return Ok(None) };
        AuditCopy::start(&*self.store.audit, destination, Arc::new(AuditJson))
            .with_context(|| format!("AUDIT_LOG: cannot write to {destination}"))
            .map(Some)
    }

    fn http_settings(&self, metrics: &MetricsParts) -> HttpSettings {
        let configuration = self.configuration.clone();
        HttpSettings {
            public_url: self.public_url.as_str().to_owned(),
            error_pages: configuration.public_url.as_ref().map_or_else(String::new, |url| url.as_str().to_owned()),
            portal_is_framed: !configuration.portal.frame_ancestors.is_empty(),
            cors_origins: configuration.cors_origins,
            trusted_proxies: configuration.trusted_proxies,
            user_rate_limit: configuration.user_rate_limit,
            manual_send_limit: configuration.manual_send_limit,
            credential_failure_limit: configuration.credential_failure_limit,
            webhook_changes: self.webhook_changes,
            certificate: self.certificate.clone(),
            durations: metrics.requests.clone(),
            limits: configuration.limits,
            ..HttpSettings::default()
        }
    }

    fn api(
        &self,
        (keys, audit): (Keys, Audit),
        (sessions, sign_in, portal_links): (Sessions, SignIn, PortalLinks),
        (verifier, system, tracer): (Arc<Verifier>, Arc<dyn SystemStatus>, Option<Arc<Tracer>>),
        webhooks: Webhooks,
    ) -> Api {
        Api {
            keys,
            log: LogControl::new(Arc::new(self.log.clone()), audit.clone()),
            audit,
            sessions,
            sign_in,
            command_line_client: self.configuration.oidc_cli_client_id.clone(),
            portal_links,
            operators_sign_in: self.configuration.operators_sign_in(),
            verifier,
            system,
            webhooks,
            identity: Arc::clone(&self.identity) as _,
            issuer: self.issuer.clone(),
            operator_tokens: self.operator_tokens.clone(),
            readiness: vec![Arc::clone(&self.store.readiness), Arc::clone(&self.identity) as _],
            clock: Arc::clone(&self.clock),
            entropy: Arc::new(NameEntropy),
            tracer,
        }
    }

    /// Starts the migration of the schema, the check of the encryption key and the subscription of the operator, and
    /// waits a moment for them.
    async fn start_schema(
        &self,
        webhooks: &Webhooks,
        operator: Option<OperatorWebhook>,
        stop: &CancellationToken,
    ) -> Tasks {
        let mut tasks = Tasks::default();
        let tried = Arc::new(Notify::new());
        let (schema, migrate) = (Arc::clone(&self.store.schema), self.configuration.migrate);
        let (webhooks, until) = (webhooks.clone(), stop.clone());
        let check = async move || {
            check_encryption_key(&webhooks).await?;
            keep_operator_webhook(&webhooks, operator.as_ref()).await
        };
        tasks.spawn("the schema", migrate_until_done(schema, migrate, check, Arc::clone(&tried), until));
        let _ = tokio::time::timeout(FIRST_ATTEMPT_MAX, tried.notified()).await;
        tasks
    }

    /// Reads the database's clock, so that it is known before the first call. A failure is not final: the verifier reads
    /// it again, together with the change feed.
    async fn read_clock(&self) {
        let reads = self.store.changes.iter().map(|changes| changes.changes_since(None, 0));
        let _ = tokio::time::timeout(FIRST_ATTEMPT_MAX, join_all(reads)).await;
    }

    fn start_engines(&self, tasks: &mut Tasks, verifier: &Arc<Verifier>, stop: &CancellationToken) {
        tasks.spawn_watch(Arc::clone(&self.store.closing), stop.clone());
        tasks.spawn_steady("the verifier of keys and sessions", stop, Arc::clone(verifier).run(stop.clone()));
        tasks.spawn_steady("the ID token verifier", stop, Arc::clone(&self.identity).run(stop.clone()));
    }

    fn start_purges(tasks: &mut Tasks, keys: &Keys, sessions: &Sessions, audit: &Audit, stop: &CancellationToken) {
        let (sessions, until) = (sessions.clone(), stop.clone());
        let purge = async move { purge_hourly("sessions", || sessions.purge(), until).await };
        tasks.spawn_steady("the purge of sessions", stop, purge);
        let (keys, until) = (keys.clone(), stop.clone());
        let purge = async move {
            let counts = purge_hourly("counts of keys", || keys.purge_usage(), until.clone());
            tokio::join!(purge_hourly("keys", || keys.purge(), until.clone()), counts);
        };
        tasks.spawn_steady("the purge of keys", stop, purge);
        let (audit, until) = (audit.clone(), stop.clone());
        let purge = async move { purge_hourly("audit events", || audit.purge(), until).await };
        tasks.spawn_steady("the purge of the audit log", stop, purge);
    }

    fn start_announcing(
        &self,
        tasks: &mut Tasks,
        webhooks: &Webhooks,
        operator: Option<&OperatorWebhook>,
        stop: &CancellationToken,
    ) {
        let announcements = announcements(&self.store, webhooks, operator);
        tasks.spawn_steady("the operational events", stop, announce_steadily(announcements, stop.clone()));
    }

    fn metered_parts<'a>(
        &'a self,
        verifier: &'a Arc<Verifier>,
        webhooks: &'a WebhookParts,
        traces: &'a TraceParts,
    ) -> MeteredParts<'a> {
        let (store, clock, identity) = (&self.store, &self.clock, &self.identity);
        let (configuration, certificate) = (&self.configuration, self.certificate.as_ref());
        let (dispatcher, spans) = (webhooks.dispatcher.as_ref(), traces.queue.as_ref());
        MeteredParts { store, clock, verifier, dispatcher, identity, spans, configuration, certificate }
    }

    /// Starts the dispatcher, which stops together with the server: attempts in flight get the same time to end.
    fn start_webhooks(&self, tasks: &mut Tasks, parts: &WebhookParts, stop: &CancellationToken) {
        if let Some(dispatcher) = &parts.dispatcher {
            tasks.spawn_steady("the dispatcher", stop, Arc::clone(dispatcher).run(stop.clone()));
        }
        if self.configuration.encryption_keys.len() > 1 {
            tasks.spawn_finite("the sealing of secrets", reseal_secrets(parts.use_cases.clone(), stop.clone()));
        }
        let snapshots = watch_snapshots(Arc::clone(&self.store.figures), stop.clone());
        tasks.spawn_steady("the watch on snapshots", stop, snapshots);
        let (webhooks, until) = (parts.use_cases.clone(), stop.clone());
        let purge = async move {
            let counts = purge_hourly("counts of deliveries", || webhooks.purge_outcomes(), until.clone());
            tokio::join!(purge_hourly("webhooks", || webhooks.purge_history(), until.clone()), counts);
        };
        tasks.spawn_steady("the purge of webhooks", stop, purge);
    }
}

/// Listens, and returns the address with its real port.
///
/// # Errors
///
/// When the address is not available. The error says how to choose another.
pub(crate) fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            let other = SocketAddr::new(address.ip(), address.port().checked_add(1).unwrap_or(0));
            anyhow!("another program listens on {address}; choose another address, for example LISTEN={other}")
        }
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}; set LISTEN to another address")),
    })?;
    let address = listener.local_addr().context("the listener has no address")?;
    Ok((listener, address))
}
