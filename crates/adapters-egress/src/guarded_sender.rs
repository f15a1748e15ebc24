use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::{Attempt, Entropy, WebhookSender};
use domain::webhooks::{AttemptOutcome, Destination, EgressPolicy, FailureReason, OurFault, sign};
use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};
use url::Position;

use crate::answer;
use crate::connect_error::ConnectError;
use crate::connector::GuardedConnector;
use crate::dns::{NameServers, Resolver, SystemResolver};
use crate::open_connections::{Lease, OpenConnections};
use crate::tls::{TlsSetupError, TrustedRoots, client_config};

const PRODUCT: &str = concat!("Gatepost/", env!("CARGO_PKG_VERSION"));
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
    connector: GuardedConnector,
    connections: OpenConnections,
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
        let connector = GuardedConnector::new(policy.clone(), resolver, client_config(&roots)?, deadline);
        let connections = OpenConnections::new(connections_max, attempts_per_host_max);
        Ok(Self { connector, connections, policy, deadline })
    }

    async fn attempt(&self, attempt: &Attempt) -> Result<AttemptOutcome, Failure> {
        let deadline = Instant::now() + self.deadline;
        // A kept connection bypasses the connector, so every attempt is judged here.
        let destination = self.policy.judge_url(attempt.url.url()).map_err(ConnectError::from)?;
        let exchange = timeout_at(deadline, self.exchange(attempt, &destination));
        let (response, lease) = exchange.await.map_err(|_| Failure::Timeout)??;
        let outcome = answer::read(response, attempt.at, deadline).await;
        lease.keep();
        Ok(outcome)
    }

    /// Sends the request on a kept connection, or on a new one. A kept connection may have closed before the request was
    /// sent: then the next one takes it.
    async fn exchange<'a>(
        &'a self,
        attempt: &'a Attempt,
        destination: &Destination,
    ) -> Result<(Response<Incoming>, Lease<'a>), Failure> {
        let origin = &attempt.url.url()[..Position::BeforePath];
        while let Some(mut lease) = self.connections.take(origin) {
            match send(&mut lease, attempt).await {
                Err(Failure::Unsent(_)) => {}
                sent => return Ok((sent?, lease)),
            }
        }
        let channel = self.connector.connect(destination, &self.connections).await?;
        let mut lease = self.connections.add(origin, channel);
        Ok((send(&mut lease, attempt).await?, lease))
    }
}

async fn send(lease: &mut Lease<'_>, attempt: &Attempt) -> Result<Response<Incoming>, Failure> {
    let channel = lease.channel();
    let request = request(attempt, channel.is_http2())?;
    channel.send(request).await.map_err(|mut error| match error.take_message() {
        Some(_) => Failure::Unsent(error.into_error()),
        None => Failure::Exchange(error.into_error()),
    })
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
    #[error("the connection closed before the request was sent")]
    Unsent(#[source] hyper::Error),
    #[error("no answer")]
    Exchange(#[source] hyper::Error),
    #[error("the deadline passed before the answer")]
    Timeout,
}

impl Failure {
    fn outcome(&self) -> AttemptOutcome {
        let failed = |reason| AttemptOutcome::Failed { reason, answer: None };
        match self {
            Self::Connect(error) => error.outcome(),
            Self::Request(_) => AttemptOutcome::NotCharged(OurFault::Request),
            Self::Unsent(_) | Self::Exchange(_) => failed(FailureReason::Connect),
            Self::Timeout => failed(FailureReason::Timeout),
        }
    }

    fn chain(&self) -> String {
        let errors = std::iter::successors(Some(self as &dyn Error), |error| (**error).source());
        errors.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }
}

/// HTTP/2 carries the whole URL, and HTTP/1 the path and the host. The URL has no user info, or it would be refused.
fn request(attempt: &Attempt, is_http2: bool) -> Result<Request<Full<Bytes>>, http::Error> {
    let payload = Arc::clone(attempt.payload.bytes());
    let headers = sign(&attempt.signers, &attempt.event_id.to_string(), attempt.at, &payload);
    let url = attempt.url.url();
    let request = if is_http2 {
        Request::post(&url[..Position::AfterQuery])
    } else {
        let target = &url[Position::BeforePath..Position::AfterQuery];
        Request::post(target).header(HOST, &url[Position::BeforeHost..Position::AfterPort])
    };
    let mut request = match attempt.trace {
        Some(trace) => request.header("traceparent", trace.traceparent()),
        None => request,
    };
    for (name, value) in attempt.headers.iter() {
        let mut value = HeaderValue::from_str(value.expose())?;
        // HTTP/2 keeps no sensitive value in the tables of a connection.
        value.set_sensitive(true);
        request = request.header(name.as_str(), value);
    }
    request
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, HeaderValue::from_static(PRODUCT))
        .header("webhook-id", headers.id)
        .header("webhook-timestamp", headers.timestamp)
        .header("webhook-signature", headers.signature)
        .body(Full::new(Bytes::from_owner(payload)))
}
