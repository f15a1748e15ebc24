use std::convert::Infallible;
use std::fmt::Write;
use std::task::Poll;
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::web::Bytes;
use domain::OwnerId;
use domain::ports::LoggedAttempt;
use domain::webhooks::{AttemptFollower, FOLLOWED_AT_ONCE_MAX};
use futures_util::stream::{self, Stream, StreamExt, poll_fn, unfold};
use tokio::time::{Instant, sleep_until};

use crate::callers::credential::is_still_good;
use crate::callers::owner::OwnerCall;
use crate::connections::turn::Turn;
use crate::errors::api_error::ApiError;
use crate::parameters::cursor::Cursor;
use crate::records::attempt_record::StreamedAttempt;
use crate::state::State;
use crate::streams::open_streams::StreamPlace;

/// How often a stream reads the log of attempts.
const READ_INTERVAL: Duration = Duration::from_millis(500);
/// How soon a stream reads again when one read did not return everything.
const BUSY_READ_INTERVAL: Duration = Duration::from_millis(50);
/// The start of each stream: how many milliseconds a client waits before it reconnects.
const GREETING: &str = "retry: 3000\n\n";
const KEEP_ALIVE: &str = ": keep-alive\n\n";

/// Streams attempts as they end, as server-sent events (WHATWG HTML, section 9.2). See decision 37.
pub(crate) struct AttemptStream {
    follower: AttemptFollower,
    owner: OwnerId,
    /// Holds the credential, which must stay valid.
    request: HttpRequest,
    read_at: Instant,
    keep_alive: Duration,
    keep_alive_at: Instant,
    _place: StreamPlace,
}

impl AttemptStream {
    pub(crate) fn new(follower: AttemptFollower, call: OwnerCall, place: StreamPlace) -> Self {
        let (owner, request) = (call.owner().clone(), call.request);
        let (now, keep_alive) = (Instant::now(), State::of(&request).settings.limits.event_stream_keep_alive);
        Self { follower, owner, request, read_at: now, keep_alive, keep_alive_at: now + keep_alive, _place: place }
    }

    /// The body of the answer. It ends when the service shuts down, when the credential is no longer valid, and when
    /// the store fails. Clients then reconnect and continue from their last event. It also ends when the client closes
    /// the connection, which the connection notices just before it polls this body.
    pub(crate) fn into_body(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        let (stop, turn) = (State::of(&self.request).stop.clone(), Turn::of(&self.request));
        let greeting = stream::iter([Ok(Bytes::from_static(GREETING.as_bytes()))]);
        let attempts = unfold((self, stop), |(mut attempts, stop)| async {
            let chunk = stop.run_until_cancelled(attempts.next_chunk()).await??;
            Some((Ok(chunk), (attempts, stop)))
        });
        let mut chunks = Box::pin(greeting.chain(attempts));
        poll_fn(move |context| {
            let next =
                if is_client_gone(turn.as_deref()) { Poll::Ready(None) } else { chunks.as_mut().poll_next(context) };
            if let Some(turn) = &turn {
                turn.set_streaming(!matches!(next, Poll::Ready(None)));
            }
            next
        })
    }

    async fn next_chunk(&mut self) -> Option<Bytes> {
        loop {
            sleep_until(self.read_at).await;
            let attempts = self.read().await.unwrap_or_else(|error| {
                tracing::warn!(error = error.inside(), "cannot read attempts, ending the stream");
                None
            })?;
            let is_full = attempts.len() >= FOLLOWED_AT_ONCE_MAX as usize;
            let now = Instant::now();
            self.read_at = now + if is_full { BUSY_READ_INTERVAL } else { READ_INTERVAL };
            if attempts.is_empty() && now < self.keep_alive_at {
                continue;
            }
            self.keep_alive_at = now + self.keep_alive;
            return Some(if attempts.is_empty() { KEEP_ALIVE.into() } else { chunk_of(&attempts) });
        }
    }

    /// The new attempts; `None` when the stream must end.
    async fn read(&mut self) -> Result<Option<Vec<LoggedAttempt>>, ApiError> {
        if !is_still_good(&self.request, Some(&self.owner)).await? {
            return Ok(None);
        }
        Ok(Some(self.follower.read_new().await?))
    }
}

fn is_client_gone(turn: Option<&Turn>) -> bool {
    turn.is_some_and(Turn::is_client_gone)
}

fn chunk_of(attempts: &[LoggedAttempt]) -> Bytes {
    let mut chunk = String::new();
    for logged in attempts {
        let data = serde_json::to_string(&StreamedAttempt::of(logged)).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = write!(chunk, "id: {}\nevent: attempt\ndata: {data}\n\n", logged.cursor().to_cursor());
    }
    chunk.into()
}
