use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::{Attempt, Entropy, WebhookSender};
use domain::webhooks::{
    AttemptOutcome, ClientCertificate, ClientCredentials, EgressPolicy, FailureReason, OurFault, TargetUrl, sign,
};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::request::Builder;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};
use url::Position;

use crate::access_tokens::{AccessTokens, NoToken, Token, read_token, token_request};
use crate::answer;
use crate::connect_error::ConnectError;
use crate::connector::GuardedConnector;
use crate::dns::{NameServers, Resolver, SystemResolver};
use crate::open_connections::{Lease, OpenConnections, Peer};
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
    tokens: AccessTokens,
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
        Ok(Self { connector, connections, policy, tokens: AccessTokens::default(), deadline })
    }

    async fn attempt(&self, attempt: &Attempt) -> Result<AttemptOutcome, Failure> {
        let deadline = Instant::now() + self.deadline;
        let (response, lease) = match attempt.headers.client() {
            None => self.deliver(attempt, None, deadline).await?,
            Some(client) => self.deliver_with_token(attempt, client, deadline).await?,
        };
        let outcome = answer::read(response, attempt.at, deadline).await;
        lease.keep();
        Ok(outcome)
    }

    /// Sends the webhook with a token. If the receiver refuses a kept token with 401, sends it once more with a new one.
    async fn deliver_with_token<'a>(
        &'a self,
        attempt: &'a Attempt,
        client: &Arc<ClientCredentials>,
        deadline: Instant,
    ) -> Result<(Response<Incoming>, Lease<'a>), Failure> {
        let ask = async || self.ask_for_token(client, deadline).await;
        let (token, is_kept) = self.tokens.get(client, None, ask).await.map_err(Failure::of_token)?;
        let sent = self.deliver(attempt, Some(&token), deadline).await?;
        if !is_kept || sent.0.status() != StatusCode::UNAUTHORIZED {
            return Ok(sent);
        }
        drop(sent);
        let (token, _) = self.tokens.get(client, Some(&token), ask).await.map_err(Failure::of_token)?;
        self.deliver(attempt, Some(&token), deadline).await
    }

    async fn deliver<'a>(
        &'a self,
        attempt: &'a Attempt,
        token: Option<&Token>,
        deadline: Instant,
    ) -> Result<(Response<Incoming>, Lease<'a>), Failure> {
        let write = |request| webhook_request(attempt, token, request);
        self.exchange((&attempt.url, attempt.headers.certificate()), &write, deadline).await
    }

    async fn ask_for_token(&self, client: &ClientCredentials, deadline: Instant) -> Result<Token, Failure> {
        let asked_at = Instant::now();
        let write = |request| token_request(client, request);
        let (response, lease) = self.exchange((&client.token_url, None), &write, deadline).await?;
        let token = timeout_at(deadline, read_token(response, asked_at)).await.map_err(|_| Failure::Timeout)?;
        let token = token.map_err(Failure::NoToken)?;
        lease.keep();
        Ok(token)
    }

    /// Sends a request on a kept connection, or on a new one. A kept connection may have closed before the request was
    /// sent: then the next one takes it.
    async fn exchange<'a>(
        &'a self,
        (url, certificate): (&'a TargetUrl, Option<&'a ClientCertificate>),
        write: Write<'_>,
        deadline: Instant,
    ) -> Result<(Response<Incoming>, Lease<'a>), Failure> {
        // A kept connection bypasses the connector, so every request is judged here.
        let destination = self.policy.judge_url(url.url()).map_err(ConnectError::from)?;
        let exchange = async {
            let peer = peer(url, certificate);
            while let Some(mut lease) = self.connections.take(&peer) {
                match send(&mut lease, url, write).await {
                    Err(Failure::Unsent(_) | Failure::Alert { is_sent: false, .. }) => {}
                    sent => return Ok((sent?, lease)),
                }
            }
            let channel = self.connector.connect(&destination, certificate, &self.connections).await?;
            let mut lease = self.connections.add(peer, channel);
            let sent = send(&mut lease, url, write).await;
            Ok((sent?, lease))
        };
        timeout_at(deadline, exchange).await.map_err(|_| Failure::Timeout)?
    }
}

/// The peer of connections for this URL with this certificate. No origin has a space.
fn peer<'a>(url: &'a TargetUrl, certificate: Option<&ClientCertificate>) -> Peer<'a> {
    let origin = &url.url()[..Position::BeforePath];
    match certificate {
        Some(certificate) => Cow::Owned(format!("{origin} {:x}", certificate.identity())),
        None => Cow::Borrowed(origin),
    }
}

/// Writes the headers and the body of a request.
type Write<'a> = &'a (dyn Fn(Builder) -> Result<Request<Full<Bytes>>, http::Error> + Sync);

async fn send(lease: &mut Lease<'_>, url: &TargetUrl, write: Write<'_>) -> Result<Response<Incoming>, Failure> {
    let channel = lease.channel();
    let (request, alert) = (write(post(url, channel.is_http2()))?, channel.alert());
    channel.send(request).await.map_err(|mut error| {
        let (is_sent, source) = (error.take_message().is_none(), error.into_error());
        // Attempts over HTTP/2 share a new connection before its receiver has judged the client certificate.
        if alert.is_received() {
            Failure::Alert { is_sent, source }
        } else if is_sent {
            Failure::Exchange(source)
        } else {
            Failure::Unsent(source)
        }
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
    #[error("the receiver broke off TLS by an alert")]
    Alert { is_sent: bool, source: hyper::Error },
    #[error("the deadline passed before the answer")]
    Timeout,
    #[error("no access token")]
    Token(#[source] Box<Failure>),
    #[error(transparent)]
    NoToken(NoToken),
}

impl Failure {
    fn outcome(&self) -> AttemptOutcome {
        let failed = |reason| AttemptOutcome::Failed { reason, answer: None };
        match self {
            Self::Connect(error) => error.outcome(),
            Self::Request(_) => AttemptOutcome::NotCharged(OurFault::Request),
            Self::Unsent(_) | Self::Exchange(_) => failed(FailureReason::Connect),
            Self::Alert { .. } => failed(FailureReason::Tls),
            Self::Timeout => failed(FailureReason::Timeout),
            Self::NoToken(_) => failed(FailureReason::NoToken),
            Self::Token(failure) => match failure.outcome() {
                own @ AttemptOutcome::NotCharged(_) => own,
                _ => failed(FailureReason::NoToken),
            },
        }
    }

    fn of_token(self) -> Self {
        Self::Token(Box::new(self))
    }

    fn chain(&self) -> String {
        let errors = std::iter::successors(Some(self as &dyn Error), |error| (**error).source());
        errors.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }
}

/// HTTP/2 carries the whole URL, and HTTP/1 the path and the host. The URL has no user info, or it would be refused.
fn post(url: &TargetUrl, is_http2: bool) -> Builder {
    let url = url.url();
    let request = if is_http2 {
        Request::post(&url[..Position::AfterQuery])
    } else {
        let target = &url[Position::BeforePath..Position::AfterQuery];
        Request::post(target).header(HOST, &url[Position::BeforeHost..Position::AfterPort])
    };
    request.header(USER_AGENT, HeaderValue::from_static(PRODUCT))
}

fn webhook_request(
    attempt: &Attempt,
    token: Option<&Token>,
    mut request: Builder,
) -> Result<Request<Full<Bytes>>, http::Error> {
    let payload = Arc::clone(attempt.payload.bytes());
    let headers = sign(&attempt.signers, &attempt.event_id.to_string(), attempt.at, &payload);
    if let Some(trace) = attempt.trace {
        request = request.header("traceparent", trace.traceparent());
    }
    if let Some(sequence) = attempt.sequence {
        request = request.header("webhook-sequence", sequence);
    }
    for (name, value) in attempt.headers.iter() {
        let mut value = HeaderValue::from_str(value.expose())?;
        // HTTP/2 keeps no sensitive value in the tables of a connection.
        value.set_sensitive(true);
        request = request.header(name.as_str(), value);
    }
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, token.header.clone());
    }
    request
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
        .header("webhook-id", headers.id)
        .header("webhook-timestamp", headers.timestamp)
        .header("webhook-signature", headers.signature)
        .body(Full::new(Bytes::from_owner(payload)))
}
