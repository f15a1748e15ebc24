use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;
use tokio_util::either::Either;

use crate::alerting_stream::{Alert, AlertingStream};

/// The largest head of an answer, in bytes.
const HEAD_BYTES_MAX: u16 = 32 * 1024;
/// The window of an HTTP/2 stream, in bytes: a little more than is kept of an answer.
const STREAM_WINDOW_BYTES: u32 = 32 * 1024;
/// The window of an HTTP/2 connection, in bytes, which many attempts share.
const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;
/// The interval of pings on a silent HTTP/2 connection, and the time within which it must answer one.
const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// The streams that common servers allow on one connection over HTTP/2: the limit until the server has said its own.
const STREAMS_AT_FIRST: usize = 100;

/// The bytes to and from a receiver, at an allowed address.
pub(crate) type GuardedStream = Either<TcpStream, Box<AlertingStream>>;

/// Sends requests on one connection. The connection closes when all its channels are dropped.
pub(crate) enum Channel {
    /// Takes one request after another.
    Http1(Http1),
    /// Takes several at the same time.
    Http2(Http2),
}

pub(crate) struct Http1 {
    sender: http1::SendRequest<Full<Bytes>>,
    connection: AbortHandle,
    alert: Alert,
}

#[derive(Clone)]
pub(crate) struct Http2 {
    sender: http2::SendRequest<Full<Bytes>>,
    /// The only part that knows how many streams the receiver allows; `None` once the connection has closed.
    connection: Arc<Mutex<Option<Http2Connection>>>,
    alert: Alert,
}

type Http2Connection = http2::Connection<TokioIo<GuardedStream>, Full<Bytes>, TokioExecutor>;

impl Channel {
    /// Begins to speak HTTP. The connection holds the permit until it has closed.
    pub(crate) async fn open(stream: GuardedStream, permit: OwnedSemaphorePermit) -> hyper::Result<Self> {
        let is_http2 = match &stream {
            Either::Left(_) => false,
            Either::Right(tls) => tls.is_http2(),
        };
        if is_http2 { open_http2(stream, permit).await.map(Self::Http2) } else { open_http1(stream, permit).await }
    }

    /// Whether the receiver has broken off TLS, from now on.
    pub(crate) fn alert(&self) -> Alert {
        match self {
            Self::Http1(channel) => channel.alert.clone(),
            Self::Http2(channel) => channel.alert.clone(),
        }
    }

    pub(crate) fn is_http2(&self) -> bool {
        matches!(self, Self::Http2(_))
    }

    /// Sends a request, and waits for the head of its answer.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        match self {
            Self::Http1(channel) => channel.sender.try_send_request(request).await,
            Self::Http2(channel) => channel.sender.try_send_request(request).await,
        }
    }
}

impl Http1 {
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Whether the last exchange has ended, so that the next one can begin.
    pub(crate) fn is_ready(&self) -> bool {
        self.sender.is_ready()
    }

    /// Waits until the last exchange has ended. Returns whether the connection can take another one.
    pub(crate) async fn ready(&mut self) -> bool {
        self.sender.ready().await.is_ok()
    }

    /// Closes the connection in the middle of an exchange. Otherwise it would stay open until the receiver has read the
    /// request, which may be never.
    pub(crate) fn break_off(&self) {
        self.connection.abort();
    }
}

impl Http2 {
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// How many requests the receiver allows at the same time.
    pub(crate) fn streams_max(&self) -> usize {
        lock(&self.connection).as_ref().map_or(0, Http2Connection::current_max_send_streams)
    }
}

/// Never, without TLS.
pub(crate) fn alert_of(stream: &GuardedStream) -> Alert {
    if let Either::Right(tls) = stream { tls.alert() } else { Alert::default() }
}

async fn open_http1(stream: GuardedStream, permit: OwnedSemaphorePermit) -> hyper::Result<Channel> {
    let (alert, stream) = (alert_of(&stream), TokioIo::new(stream));
    let mut builder = http1::Builder::new();
    let (sender, connection) = builder.max_buf_size(usize::from(HEAD_BYTES_MAX)).handshake(stream).await?;
    let connection = tokio::spawn(async move {
        // An error reaches the attempt too.
        let _ = connection.await;
        drop(permit);
    });
    Ok(Channel::Http1(Http1 { sender, connection: connection.abort_handle(), alert }))
}

async fn open_http2(stream: GuardedStream, permit: OwnedSemaphorePermit) -> hyper::Result<Http2> {
    let (alert, stream) = (alert_of(&stream), TokioIo::new(stream));
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(u32::from(HEAD_BYTES_MAX))
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .initial_max_send_streams(STREAMS_AT_FIRST)
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .handshake(stream)
        .await?;
    let connection = Arc::new(Mutex::new(Some(connection)));
    let driven = Arc::clone(&connection);
    tokio::spawn(async move {
        poll_fn(|context| drive(&mut lock(&driven), context)).await;
        drop(permit);
    });
    Ok(Http2 { sender, connection, alert })
}

/// Drops the connection at its end, so that its senders learn of it.
fn drive(connection: &mut Option<Http2Connection>, context: &mut Context<'_>) -> Poll<()> {
    let ended = connection.as_mut().is_none_or(|open| open.poll_unpin(context).is_ready());
    if ended {
        *connection = None;
        Poll::Ready(())
    } else {
        Poll::Pending
    }
}

fn lock(connection: &Mutex<Option<Http2Connection>>) -> MutexGuard<'_, Option<Http2Connection>> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
