use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::{Attempt, Entropy, WebhookSender};
use domain::webhooks::{AttemptOutcome, EgressPolicy, FailureReason, OurFault, sign};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderValue, Request};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, timeout_at};

use crate::answer;
use crate::connect_error::ConnectError;
use crate::connector::GuardedConnector;
use crate::dns::{NameServers, Resolver, SystemResolver};
use crate::open_connections::Link;
use crate::streams::Streams;
use crate::tls::{TlsSetupError, TrustedRoots, client_config};

const PRODUCT: &str = concat!("Gatepost/", env!("CARGO_PKG_VERSION"));
/// How long an idle connection is kept. Less than the 5 s after which common servers close theirs, so that a request
/// rarely meets a connection that is being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// The largest head of an answer, in bytes.
const HEAD_BYTES_MAX: u16 = 32 * 1024;
/// The window of an HTTP/2 stream, in bytes: a little more than is kept of an answer.
const STREAM_WINDOW_BYTES: u32 = 32 * 1024;
/// The window of an HTTP/2 connection, in bytes, which many attempts share.
const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;
/// The interval of pings on a silent HTTP/2 connection, and the time within which it must answer one.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The settings of a [`GuardedSender`].
pub struct EgressSettings {
    /// Which targets are allowed.
    pub policy: EgressPolicy,
    /// Resolves host names.
    pub resolver: Arc<dyn Resolver>,
    /// Which certificate authorities are trusted.
    pub roots: TrustedRoots,
    /// How long a whole attempt may take.
    pub deadline: Duration,
    /// The most open connections. Idle ones give way to new ones.
    pub connections_max: usize,
    /// The most attempts at a time to one host. As many idle connections to it are kept.
    pub attempts_per_host_max: usize,
}

impl EgressSettings {
    /// The defaults: the resolver and certificate authorities of the system, 15 s for an attempt, 2,048 connections, 32
    /// attempts at a time to one host. The ids of questions to name servers are drawn from `entropy`.
    pub fn new(policy: EgressPolicy, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            policy,
            resolver: Arc::new(SystemResolver::new(NameServers::OfTheSystem, entropy)),
            roots: TrustedRoots::default(),
            deadline: Duration::from_secs(15),
            connections_max: 2_048,
            attempts_per_host_max: 32,
        }
    }
}

/// The HTTP client that sends webhooks. A connection belongs to the runtime of the attempt that opened it, so all
/// attempts must run on one runtime.
pub struct GuardedSender {
    /// One for each pool of connections.
    clients: Vec<Client<GuardedConnector, Full<Bytes>>>,
    streams: Streams,
    policy: EgressPolicy,
    deadline: Duration,
}

impl GuardedSender {
    /// A sender with these settings. Opens no connection.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up.
    pub fn new(settings: EgressSettings) -> Result<Self, TlsSetupError> {
        let EgressSettings { policy, resolver, roots, deadline, connections_max, attempts_per_host_max } = settings;
        let tls = client_config(&roots)?;
        let connector = GuardedConnector::new(policy.clone(), resolver, tls, connections_max, deadline);
        let streams = Streams::new(attempts_per_host_max);
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(attempts_per_host_max)
            .http1_max_buf_size(usize::from(HEAD_BYTES_MAX))
            .http2_max_header_list_size(u32::from(HEAD_BYTES_MAX))
            .http2_initial_stream_window_size(STREAM_WINDOW_BYTES)
            .http2_initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(KEEP_ALIVE);
        let clients = (0..streams.pools()).map(|_| builder.build(connector.clone())).collect();
        Ok(Self { clients, streams, policy, deadline })
    }

    async fn attempt(&self, attempt: &Attempt) -> Result<AttemptOutcome, Failure> {
        let deadline = Instant::now() + self.deadline;
        // The connector checks again, but it never sees the user info, and a kept connection bypasses it.
        self.policy.judge_url(attempt.url.url()).map_err(ConnectError::from)?;
        let stream = self.streams.begin(attempt.url.url().origin().ascii_serialization());
        let client = &self.clients[stream.pool];
        loop {
            let mut request = request(attempt)?;
            // Held until the answer is read, so that the connection does not count as idle.
            let connection = capture_connection(&mut request);
            match timeout_at(deadline, client.request(request)).await {
                Ok(Err(_)) if Link::gave_way(&connection) => {}
                Ok(response) => return Ok(answer::read(response?, attempt.at, deadline).await),
                Err(_) => return Err(ConnectError::Timeout.into()),
            }
        }
    }
}

#[async_trait]
impl WebhookSender for GuardedSender {
    async fn send(&self, attempt: Attempt) -> AttemptOutcome {
        self.attempt(&attempt).await.unwrap_or_else(|failure| {
            let outcome = failure.outcome();
            // Only the origin: receivers put secrets into paths and queries.
            let (event, error) = (attempt.event_id, failure.chain());
            tracing::info!(%event, target_url = ?attempt.url, ?outcome, error, "webhook attempt failed");
            outcome
        })
    }
}

/// Why an attempt got no answer. For the log of the operator.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("cannot connect")]
    Connect(#[from] ConnectError),
    #[error("cannot build the request")]
    Request(#[from] http::Error),
    #[error("no answer")]
    Exchange(#[from] hyper_util::client::legacy::Error),
}

impl Failure {
    fn outcome(&self) -> AttemptOutcome {
        match (ConnectError::find(self), self) {
            (Some(error), _) => error.outcome(),
            (None, Self::Request(_)) => AttemptOutcome::NotCharged(OurFault::Request),
            (None, _) => AttemptOutcome::Failed { reason: FailureReason::Connect, answer: None },
        }
    }

    fn chain(&self) -> String {
        let errors = std::iter::successors(Some(self as &dyn Error), |error| (**error).source());
        errors.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }
}

fn request(attempt: &Attempt) -> Result<Request<Full<Bytes>>, http::Error> {
    let payload = Arc::clone(attempt.payload.bytes());
    let headers = sign(&attempt.secrets, &attempt.event_id.to_string(), attempt.at, &payload);
    Request::post(attempt.url.as_str())
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, HeaderValue::from_static(PRODUCT))
        .header("webhook-id", headers.id)
        .header("webhook-timestamp", headers.timestamp)
        .header("webhook-signature", headers.signature)
        .body(Full::new(Bytes::from_owner(payload)))
}
