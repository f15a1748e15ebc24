//! The port through which webhooks leave.

use std::sync::Arc;

use async_trait::async_trait;

use crate::webhooks::{AttemptOutcome, Payload, SigningSecret, TargetUrl};
use crate::{EventId, Timestamp};

/// All that one attempt needs.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Where to.
    pub url: TargetUrl,
    /// The event's id, sent as `webhook-id`: the same at every attempt and for every subscription.
    pub event_id: EventId,
    /// The body, stored once with the event.
    pub payload: Payload,
    /// The secrets to sign with, at least one, the newest first. Several while a rotation overlaps.
    pub secrets: Arc<[SigningSecret]>,
    /// When the attempt starts, sent as `webhook-timestamp`.
    pub at: Timestamp,
}

/// Sends webhooks. One call is one attempt: one HTTP request at most.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Makes one attempt, and says how it ended. There is no `Err`: every end is an outcome.
    ///
    /// - **Guarded.** No byte reaches an address that the egress policy refuses, whatever the URL, the resolver or the
    ///   receiver say. No redirect is followed, and no proxy is taken from the environment.
    /// - **Exact.** The payload's bytes are sent as they are, signed as [`crate::webhooks::sign`] says with every
    ///   secret.
    /// - **Bounded.** Resolving, connecting, TLS, sending and reading together end within the sender's deadline, by
    ///   itself. At most [`crate::webhooks::Answer::EXCERPT_BYTES_MAX`] bytes of the answer's body are read and kept,
    ///   and nothing is decompressed.
    /// - **Never twice.** A request that the receiver may have begun to read is not sent again within the call.
    /// - **Fair.** What is no fault of the receiver ends as [`AttemptOutcome::NotCharged`]. Whoever repeats such an
    ///   attempt waits a while first: the fault may last.
    /// - **Cancelled by dropping.** A dropped future leaves nothing behind but, perhaps, a request that was received.
    /// - Calls run side by side; connections are kept and shared between them. The caller bounds how many calls run.
    async fn send(&self, attempt: Attempt) -> AttemptOutcome;
}
