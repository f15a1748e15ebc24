use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::HeaderMap;
use counters::DurationFamily;
use domain::RateLimit;
use ipnet::IpNet;

use crate::ServerCertificate;

/// The HTTP settings of an operator.
#[derive(Clone, Debug, Default)]
pub struct HttpSettings {
    /// `CORS_ORIGINS`: origins (`https://app.example`) of pages that may call `/api` from a browser.
    pub cors_origins: Vec<String>,
    /// `PUBLIC_URL`: where browsers find the service, without a slash at the end. Only pages of this origin may make
    /// changes with the cookie of a session.
    pub public_url: String,
    /// `PUBLIC_URL` again, if it is configured: before the paths of the pages about errors. Otherwise empty, and clients
    /// resolve these paths against the URL that they call.
    pub error_pages: String,
    /// Whether `PORTAL_FRAME_ANCESTORS` lets pages of other sites show the portal in a frame.
    pub portal_is_framed: bool,
    /// `TRUSTED_PROXIES`: networks of proxies with a trusted `X-Forwarded-For`.
    pub trusted_proxies: Vec<IpNet>,
    /// `FORWARD_METADATA`: the names of metadata that forward-auth gives to gateways.
    pub forward_metadata: Vec<String>,
    /// `SCIM_SUBJECT`: the attribute of SCIM that is the subject of ID tokens; `None` means no SCIM.
    pub scim_subject: Option<ScimSubject>,
    /// `USER_RATE_LIMIT`: how often each user may call, verification apart; `None` means no limit.
    pub user_rate_limit: Option<RateLimit>,
    /// `MANUAL_SEND_LIMIT`: how often each user may send webhooks by hand; `None` means no limit.
    pub manual_send_limit: Option<RateLimit>,
    /// `CREDENTIAL_FAILURE_LIMIT`: how often credentials from one address may fail; `None` means no limit.
    pub credential_failure_limit: Option<RateLimit>,
    /// Which requests may change webhooks, by their headers; `None` means every request. For `gatepost dev`, which sends
    /// webhooks to its own machine.
    pub webhook_changes: Option<fn(&HeaderMap) -> bool>,
    /// `TLS_CERT` and `TLS_KEY`: with a certificate the server speaks HTTPS, and otherwise plain HTTP.
    pub certificate: Option<ServerCertificate>,
    /// Threads that serve requests; `None` means one for each core.
    pub workers: Option<usize>,
    /// The count of the durations of requests.
    pub durations: RequestDurations,
    /// Sizes and times.
    pub limits: HttpLimits,
}

/// The attribute of SCIM that is the subject (`sub`) of a user's ID tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScimSubject {
    /// `externalId`
    ExternalId,
    /// `userName`
    UserName,
}

/// How long requests take, by method, template of the route, and status. Clones count together.
#[derive(Clone, Debug)]
pub struct RequestDurations(Arc<DurationFamily<3>>);

impl RequestDurations {
    /// The family of durations.
    pub fn family(&self) -> &Arc<DurationFamily<3>> {
        &self.0
    }
}

impl Default for RequestDurations {
    fn default() -> Self {
        /// The advice of OpenTelemetry for `http.server.request.duration`, in milliseconds.
        const BOUNDS: &[Duration] =
            &counters::millis([5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000]);
        Self(Arc::new(DurationFamily::new(BOUNDS)))
    }
}

/// Limits on everything that a client decides. The framework times heads, keep-alive and drains with a clock that ticks
/// every half second, so these times must be at least a second.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// How long a body may take to arrive.
    pub body_deadline: Duration,
    /// How long the head of a request may take to arrive.
    pub head_deadline: Duration,
    /// How long a request may take from its head to its answer, including the arrival of the body. It is longer than
    /// the store's own timeouts, so that the answer is the store's error.
    pub request_deadline: Duration,
    /// How long a connection may be idle between two requests. Longer than the 60 seconds of common load balancers, so
    /// that the balancer closes a connection first, and no request meets a closing one.
    pub keep_alive: Duration,
    /// `MAX_CONNECTIONS`: the most connections that are open at once. At the maximum, idle ones give way to new ones.
    pub connections_max: usize,
    /// `MAX_CONNECTIONS_PER_ADDRESS`: the most connections from one address (for IPv6: one /64) that is not a trusted
    /// proxy.
    pub connections_per_address_max: usize,
    /// How long all readiness checks together may take.
    pub readiness_deadline: Duration,
    /// How long the server still accepts requests after a shutdown begins, while `/readyz` already fails. In this time
    /// load balancers move to other instances.
    pub drain_grace: Duration,
    /// The most event streams of one user.
    pub event_streams_per_user_max: usize,
    /// How long a stream is silent before it sends a comment, so that proxies keep the connection open.
    pub event_stream_keep_alive: Duration,
}

/// The largest body of most calls.
pub(crate) const USUAL_BODY_BYTES: usize = 16 * 1024;
/// How fast a large body must arrive: 2 Mbit/s.
const BODY_BYTES_PER_SECOND: u64 = 256 * 1024;
/// The largest body that any call accepts: a batch of events. A longer one is refused, so it gets no more time.
pub(crate) const LARGEST_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The additional time for this number of bytes of a body. Small bodies get almost none.
pub(crate) fn transfer_time(bytes: u64) -> Duration {
    Duration::from_micros(bytes.min(LARGEST_BODY_BYTES as u64) * 1_000_000 / BODY_BYTES_PER_SECOND)
}

impl HttpLimits {
    /// How long the server waits for a client before it closes the connection. Longer than any answer takes.
    pub(crate) fn connection_patience(&self) -> Duration {
        self.head_deadline + self.request_deadline
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_deadline: Duration::from_secs(5),
            head_deadline: Duration::from_secs(5),
            request_deadline: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            connections_max: 8192,
            connections_per_address_max: 4096,
            readiness_deadline: Duration::from_secs(3),
            drain_grace: Duration::from_secs(1),
            event_streams_per_user_max: 10,
            event_stream_keep_alive: Duration::from_secs(15),
        }
    }
}
