//! The port that sends webhooks over HTTP, and the one that reads client certificates.

use std::sync::Arc;

use async_trait::async_trait;

use crate::webhooks::{
    AttemptOutcome, CertificateFacts, InvalidClientCertificate, Payload, RequestHeaders, Signer, TargetUrl,
};
use crate::{EventId, Timestamp, TraceContext};

/// The content of one attempt.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The URL of the receiver.
    pub url: TargetUrl,
    /// The event's id, sent as `webhook-id`: the same at every attempt and for every subscription.
    pub event_id: EventId,
    /// The body, stored once with the event.
    pub payload: Payload,
    /// What signs, newest first: one, or two during the overlap of a rotation.
    pub signers: Arc<[Signer]>,
    /// The headers that the subscription adds.
    pub headers: RequestHeaders,
    /// The place in the order of the subscription, sent as `webhook-sequence`; `None` without one.
    pub sequence: Option<u64>,
    /// When the attempt starts, sent as `webhook-timestamp`.
    pub at: Timestamp,
    /// The span of the attempt, sent as `traceparent`.
    pub trace: Option<TraceContext>,
}

/// Sends webhooks. One call is one attempt: one HTTP request to the receiver at most, or two if the first had an access
/// token that the receiver no longer accepts.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Makes one attempt and returns its outcome. There is no `Err`: every end is an outcome.
    ///
    /// - **Guarded.** No byte reaches an address that the egress policy refuses, whatever the URL, the resolver or the
    ///   receiver say. The sender follows no redirect and takes no proxy from the environment.
    /// - **Exact.** The payload's bytes are sent unchanged, signed by every signer with [`crate::webhooks::sign`], with
    ///   the headers of the subscription.
    /// - **With an access token**, if the headers have a [client](RequestHeaders::client). The sender requests the token under
    ///   the same egress rules, and keeps it until it expires. If there is no token, it sends no request to the receiver, and
    ///   the attempt fails with [`FailureReason::NoToken`](crate::webhooks::FailureReason). If the receiver answers a kept
    ///   token with 401, the sender requests another one and repeats the request once.
    /// - **With the client certificate** of the headers, if they have one and the receiver asks for it. Attempts with another
    ///   certificate never share the connection.
    /// - **Bounded.** The sender itself ends resolving, connecting, TLS, sending and reading within its deadline. At
    ///   most [`crate::webhooks::Answer::EXCERPT_BYTES_MAX`] bytes of the answer's body are read and kept, and nothing
    ///   is decompressed.
    /// - **Never twice.** A request that the receiver may have begun to read is not sent again within the call, unless it
    ///   was refused for its token.
    /// - **Fair.** A failure that is not the receiver's fault ends as [`AttemptOutcome::NotCharged`]. The caller waits
    ///   before it repeats such an attempt: the failure may last.
    /// - **Cancelled by dropping.** A dropped future leaves no trace, except that the receiver may have received the
    ///   request.
    /// - Calls run in parallel, and share connections that are kept open. The caller limits how many calls run.
    async fn send(&self, attempt: Attempt) -> AttemptOutcome;
}

/// Reads the certificates with which subscriptions authenticate the service, before they are stored.
pub trait CertificateReader: Send + Sync {
    /// Reads a chain of certificates, the client's first, and its private key, both in PEM. A pair that is read is one that
    /// the [`WebhookSender`] can use.
    ///
    /// # Errors
    ///
    /// The first rule that they break. Their length and the expiry are not checked.
    fn read(&self, chain: &str, key: &str) -> Result<CertificateFacts, InvalidClientCertificate>;
}
