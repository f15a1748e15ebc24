use std::time::Duration;

use ipnet::IpNet;

/// What an operator may set of the HTTP side.
#[derive(Clone, Debug, Default)]
pub struct HttpSettings {
    /// `CORS_ORIGINS`: origins (`https://app.example`) whose pages may call `/api` from a browser.
    pub cors_origins: Vec<String>,
    /// `TRUSTED_PROXIES`: networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Threads that serve requests; `None`: one for each core.
    pub workers: Option<usize>,
    /// Sizes and times.
    pub limits: HttpLimits,
}

/// A limit on everything that a client decides. The framework's clock behind heads, keep-alive and drains has a
/// resolution of half a second: shorter times than a second do not work for those.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// The largest request body, in bytes.
    pub body_size_bytes_max: usize,
    /// How long a body may take to arrive.
    pub body_deadline: Duration,
    /// How long the head of a request may take to arrive.
    pub head_deadline: Duration,
    /// How long a request may take from its head to its answer, the body's arrival included. Longer than what the
    /// store allows itself, so that the store's own error is what is answered.
    pub request_deadline: Duration,
    /// How long a connection may stay open between two requests.
    pub keep_alive: Duration,
    /// The most connections that one worker serves at once.
    pub connections_per_worker_max: usize,
    /// How long all readiness checks together may take.
    pub readiness_deadline: Duration,
    /// How long requests are still accepted after the stop, while `/readyz` fails already: the time in which a load
    /// balancer looks elsewhere.
    pub drain_grace: Duration,
    /// How long requests in flight may go on after that, in whole seconds.
    pub drain_deadline: Duration,
    /// The most event streams that are open at once: each reads the database twice a second.
    pub event_streams_max: usize,
    /// The most event streams of one user.
    pub event_streams_per_user_max: usize,
    /// After how long without an attempt a stream sends a comment, so that proxies keep the connection, and a client
    /// that is gone is noticed.
    pub event_stream_keep_alive: Duration,
}

impl HttpLimits {
    /// How long a connection may keep us waiting before it is cut: longer than any answer takes.
    pub(crate) fn connection_patience(&self) -> Duration {
        self.head_deadline + self.request_deadline
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_size_bytes_max: 16 * 1024,
            body_deadline: Duration::from_secs(5),
            head_deadline: Duration::from_secs(5),
            request_deadline: Duration::from_secs(10),
            keep_alive: Duration::from_mins(1),
            connections_per_worker_max: 4096,
            readiness_deadline: Duration::from_secs(3),
            drain_grace: Duration::from_secs(1),
            drain_deadline: Duration::from_secs(6),
            event_streams_max: 100,
            event_streams_per_user_max: 10,
            event_stream_keep_alive: Duration::from_secs(15),
        }
    }
}
