//! A bound server for one test.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, error};
use adapters_http::{Api, HttpSettings, NamedCheck, OperatorScope, OperatorToken, OperatorTokens, serve};
use adapters_schemas::JsonSchemas;
use domain::audit::Audit;
use domain::catalogue::{Catalogue, UncataloguedTypes};
use domain::memory::{
    ManualClock, MemoryAuditLog, MemoryEventTypes, MemoryKeyStore, MemoryLogFilters, MemoryOwnerStore, MemoryOwners,
    MemorySessionStore, MemorySpans, MemoryWebhookStore, SeededEntropy,
};
use domain::organizations::DefaultOwner;
use domain::ports::{AuditLog, KeyStores, SessionStores, WebhookStores};
use domain::sessions::{PortalLinks, SESSION_ROLE_AGE_MAX, Sessions, SignIn, SignInSettings};
use domain::webhooks::{
    EgressPolicy, EgressPolicySettings, WebhookPolicy, WebhookPolicySettings, WebhookRules, Webhooks,
};
use domain::{
    KeyPolicy, KeyPolicySettings, Keys, LogControl, Owners, RateLimit, SamplingRatio, SealingKeys, Timestamp, Tracer,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use verifier::{CredentialStores, Verifier, VerifierSettings};
use zeroize::Zeroizing;

use crate::doubles::{FixedCertificates, FixedCheck, FixedIdentities, FixedProvider, ISSUER};
use crate::operator::audit_exports::PacedLog;
use crate::operator::system::FixedSystem;
use crate::webhooks::test_url::TestedUrls;

/// Much longer than any answer takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// The URL at which browsers find the server, by its own words.
pub(crate) const PUBLIC_URL: &str = "https://gatepost.example";

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) operator_tokens: OperatorTokens,
    /// Opens and ends sessions without a browser.
    pub(crate) sessions: Sessions,
    pub(crate) clock: Arc<ManualClock>,
    /// The queue that a dispatcher would work on.
    pub(crate) queue: Arc<MemoryWebhookStore>,
    /// The sender of tests of URLs.
    pub(crate) tested: Arc<TestedUrls>,
    pub(crate) stop: CancellationToken,
    /// Signalled when a request has reached `/test/slow`.
    pub(crate) slow_reached: Arc<Notify>,
    /// Lets `/test/slow` answer.
    pub(crate) slow_release: Arc<Notify>,
    pub(crate) ended: JoinHandle<std::io::Result<()>>,
}

pub(crate) struct Setup {
    pub(crate) store: KeyStores,
    /// The keys that lists of owners count.
    pub(crate) counted_keys: Arc<MemoryKeyStore>,
    pub(crate) session_store: SessionStores,
    /// The records that the stores obey.
    pub(crate) owners: MemoryOwners,
    pub(crate) audit_log: MemoryAuditLog,
    /// A permit for each page of the audit log that may be read; `None` means no limit.
    pub(crate) audit_reads: Option<Arc<Semaphore>>,
    pub(crate) operators_sign_in: bool,
    pub(crate) notes_sign_ins: bool,
    pub(crate) default_owner: DefaultOwner,
    pub(crate) provider: FixedProvider,
    /// Replaces the memory store that [`Server::queue`] gives access to.
    pub(crate) webhook_stores: Option<WebhookStores>,
    /// What happens to types that the catalogue does not have.
    pub(crate) event_types: UncataloguedTypes,
    pub(crate) webhook_policy: WebhookPolicySettings,
    pub(crate) checks: Vec<NamedCheck>,
    pub(crate) settings: HttpSettings,
    pub(crate) rate_limit: Option<RateLimit>,
    pub(crate) operator_tokens: Vec<OperatorToken>,
    /// The sink of spans, and the ratio of recorded traces that begin here; `None` without tracing.
    pub(crate) traced: Option<(Arc<MemorySpans>, SamplingRatio)>,
}

impl Default for Setup {
    fn default() -> Self {
        let (public_url, audit_log) = (PUBLIC_URL.to_owned(), MemoryAuditLog::default());
        let owners = MemoryOwners::default();
        let keys = MemoryKeyStore::default().obeying(owners.clone()).writing_to(audit_log.clone());
        let sessions = MemorySessionStore::default().obeying(owners.clone()).writing_to(audit_log.clone());
        let keys = Arc::new(keys);
        let mut settings = HttpSettings { public_url, workers: Some(1), ..HttpSettings::default() };
        settings.limits.drain_grace = Duration::ZERO;
        // A busy machine may not run this process for the five seconds of the default. The tests of the limit set their own.
        settings.limits.head_deadline = Duration::from_mins(1);
        Self {
            store: KeyStores::of(&keys),
            counted_keys: keys,
            session_store: SessionStores::of(&Arc::new(sessions)),
            owners,
            audit_log,
            audit_reads: None,
            operators_sign_in: false,
            notes_sign_ins: false,
            default_owner: DefaultOwner::default(),
            provider: FixedProvider::default(),
            webhook_stores: None,
            event_types: UncataloguedTypes::Open,
            webhook_policy: WebhookPolicySettings::default(),
            checks: vec![("database", Arc::new(FixedCheck::Works))],
            settings,
            rate_limit: None,
            traced: None,
            operator_tokens: vec![OperatorToken::new("operator", vec![OperatorScope::Admin], "operator-secret")],
        }
    }
}

impl Setup {
    pub(crate) fn start(self) -> Server {
        let clock = Arc::new(ManualClock::new(Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").unwrap()));
        let entropy = Arc::new(SeededEntropy::new(42));
        let settings = KeyPolicySettings { rate_limit: self.rate_limit, ..KeyPolicySettings::default() };
        let policy = KeyPolicy::new(settings).expect("the settings are valid");
        let verification = VerifierSettings { key_policy: policy.clone(), ..VerifierSettings::default() };
        let stores = CredentialStores { keys: self.store, sessions: self.session_store, members: None };
        let verifier = Verifier::new(stores, Vec::new(), clock.clone(), verification);
        let queue = MemoryWebhookStore::default().obeying(self.owners.clone()).writing_to(self.audit_log.clone());
        let owners = MemoryOwnerStore::of(self.owners)
            .beside(&queue, &MemorySessionStore::default())
            .counting(&self.counted_keys);
        let owners = owners.writing_to(self.audit_log.clone());
        let (queue, owner_states) = (Arc::new(queue), verifier.owner_states(Arc::new(owners)));
        let (key_stores, of_owners) = (verifier.key_stores(), Arc::clone(&owner_states));
        let types = Arc::new(MemoryEventTypes::default().writing_to(self.audit_log.clone()));
        let stores = self.webhook_stores.unwrap_or_else(|| WebhookStores::of(&queue));
        let sessions = Sessions::new(verifier.session_stores(), verifier.clone(), clock.clone(), entropy.clone());
        let owners = Owners::new(owner_states.clone(), clock.clone(), entropy.clone());
        let sign_in = sign_in(self.provider, &sessions, &clock, &entropy).filling(owners.clone());
        let (log, tested) = (self.audit_log, Arc::new(TestedUrls::new(clock.clone())));
        let log: Arc<dyn AuditLog> = match self.audit_reads {
            Some(reads) => Arc::new(PacedLog { log, reads }),
            None => Arc::new(log),
        };
        let catalogue = Catalogue::new(types, Arc::new(JsonSchemas), clock.clone(), entropy.clone(), self.event_types);
        let catalogue = Arc::new(catalogue);
        let operator_tokens = OperatorTokens::named(self.operator_tokens).expect("unique names");
        let audit = Audit::new(log, clock.clone(), entropy.clone());
        let outside = (tested.clone() as _, Arc::new(FixedCertificates) as _);
        let webhooks = Webhooks::new(stores, rules(self.webhook_policy), outside, clock.clone(), entropy.clone());
        let api = Api {
            notes_sign_ins: self.notes_sign_ins,
            default_owner: self.default_owner,
            session_role_max_age: SESSION_ROLE_AGE_MAX,
            log: LogControl::new(Arc::new(MemoryLogFilters::default()), audit.clone()),
            audit,
            sessions: sessions.clone(),
            sign_in,
            command_line_client: None,
            portal_links: PortalLinks::new(sessions.clone(), sealing_keys()),
            operators_sign_in: self.operators_sign_in,
            owners,
            owner_states,
            keys: Keys::new(key_stores, of_owners, verifier.clone(), clock.clone(), entropy.clone(), policy),
            webhooks: webhooks.with_catalogue(Arc::clone(&catalogue)),
            catalogue,
            verifier,
            system: Arc::new(FixedSystem),
            identity: Arc::new(FixedIdentities),
            issuer: ISSUER.to_owned(),
            operator_tokens: operator_tokens.clone(),
            readiness: self.checks,
            clock: clock.clone(),
            tracer: self.traced.map(|(spans, ratio)| Tracer::new(spans, clock.clone(), entropy.clone(), ratio)),
            entropy,
        };
        let (stop, slow_reached, slow_release) = (CancellationToken::new(), Arc::default(), Arc::default());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let routes = test_routes(Arc::clone(&slow_reached), Arc::clone(&slow_release));
        let ended = tokio::spawn(serve(listener, self.settings, api, routes, stop.clone()));
        Server { address, operator_tokens, sessions, clock, queue, tested, stop, slow_reached, slow_release, ended }
    }
}

/// Olga is an operator by the provider's claim, and oskar by the settings.
fn sign_in(
    provider: FixedProvider,
    sessions: &Sessions,
    clock: &Arc<ManualClock>,
    entropy: &Arc<SeededEntropy>,
) -> SignIn {
    let redirect_uri = format!("{PUBLIC_URL}/console/callback");
    let settings = SignInSettings { redirect_uri, operators: vec!["oskar".to_owned()] };
    SignIn::new(Arc::new(provider), sessions.clone(), sealing_keys(), settings, (clock.clone(), entropy.clone()))
}

fn sealing_keys() -> Arc<SealingKeys> {
    Arc::new(SealingKeys::new(vec![Zeroizing::new([7; 32])]).unwrap())
}

/// The rules with default settings.
fn rules(policy: WebhookPolicySettings) -> WebhookRules {
    let own_addresses = Arc::new(Vec::new());
    let settings = EgressPolicySettings { allow_http: false, allowed_networks: Vec::new(), own_addresses };
    WebhookRules {
        policy: WebhookPolicy::new(policy).unwrap(),
        egress: EgressPolicy::new(settings),
        sealing_keys: sealing_keys(),
    }
}

/// Routes of another adapter, similar to those of the development provider.
fn test_routes(reached: Arc<Notify>, release: Arc<Notify>) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
    move |config| {
        let (reached, release) = (Arc::clone(&reached), Arc::clone(&release));
        let slow = move || {
            let (reached, release) = (Arc::clone(&reached), Arc::clone(&release));
            async move {
                reached.notify_one();
                release.notified().await;
                "slow"
            }
        };
        config
            .route("/test/slow", web::get().to(slow))
            .route("/test/panic", web::get().to(panics))
            .route("/test/own-error", web::get().to(async || HttpResponse::BadRequest().json(["mine"])))
            .route("/test/empty-error", web::get().to(async || HttpResponse::Conflict().finish()))
            .route("/test/framework-error", web::get().to(async || Err::<&str, _>(error::ErrorBadRequest("text"))))
            .route("/test/page", web::get().to(async || HttpResponse::Ok().content_type("text/html").body("<p>")))
            .route("/test/form", web::post().to(async |_: web::Form<Vec<(String, String)>>| "form"));
    }
}

async fn panics() -> &'static str {
    panic!("on purpose")
}

impl Server {
    pub(crate) fn start() -> Self {
        Setup::default().start()
    }

    /// A server with this change of its set-up.
    pub(crate) fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        setup.start()
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends this text on a new connection, which stays open.
    pub(crate) async fn begin(&self, text: &str) -> TcpStream {
        let mut connection = self.connect().await;
        connection.write_all(text.as_bytes()).await.unwrap();
        connection
    }

    /// Sends these bytes and reads the first answer.
    pub(crate) async fn send(&self, request: &[u8]) -> String {
        let mut connection = self.connect().await;
        // The server may answer and close before it has read everything.
        let _ = connection.write_all(request).await;
        String::from_utf8_lossy(&read_answer(&mut connection).await).into_owned()
    }
}

/// Reads as many bytes as the answer announces, or until the server closes the connection. After an answer to a request that
/// it has not read, the server keeps the connection open for a while, so that the client can read the answer.
async fn read_answer(connection: &mut TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    while !is_complete(&answer) {
        let read = timeout(PATIENCE, connection.read_buf(&mut answer)).await.expect("the server answers");
        if read.unwrap_or(0) == 0 {
            break;
        }
    }
    answer
}

fn is_complete(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|part| part == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    let length = head.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next()?.parse::<usize>().ok());
    length.is_some_and(|length| answer.len() >= end + 4 + length)
}

/// Reads until the server closes the connection. A reset counts as closing.
pub(crate) async fn read_to_end(connection: &mut TcpStream) -> String {
    String::from_utf8(read_bytes_to_end(connection).await).unwrap()
}

pub(crate) async fn read_bytes_to_end(connection: &mut TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, connection.read_to_end(&mut answer)).await.expect("the server ends the connection");
    answer
}

/// Reads until the server has sent `end`.
pub(crate) async fn read_until(connection: &mut TcpStream, end: &str) -> String {
    let mut answer = String::new();
    while !answer.ends_with(end) {
        let byte = timeout(PATIENCE, connection.read_u8()).await.expect("the server answers").expect("more to read");
        answer.push(char::from(byte));
    }
    answer
}
