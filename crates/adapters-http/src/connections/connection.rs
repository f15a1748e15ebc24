use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// A TCP connection that fails when its client is too slow: to send the rest of a request that it began, or to read an
/// answer.
///
/// The framework times only the first head of a connection. Without this guard, a client could hold a connection
/// forever with a later head that trickles in, or by not reading.
pub(crate) struct Connection {
    stream: TcpStream,
    patience: Duration,
    /// Since when the server waits for the client; `None` between an answer and the next request.
    waiting_since: Option<Instant>,
    /// Fires when the patience ends, or before. It is moved when it fires, and not on each request.
    alarm: Pin<Box<Sleep>>,
}

impl Connection {
    /// A connection whose client may let the server wait for `patience`, which must be longer than any answer takes.
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> Self {
        // If the socket is broken, the first read reports it.
        let _ = stream.set_nodelay(true);
        Self { stream, patience, waiting_since: None, alarm: Box::pin(sleep(patience)) }
    }

    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        self.stream.peer_addr().ok()
    }

    fn begin_waiting(&mut self) {
        self.waiting_since.get_or_insert_with(Instant::now);
    }

    /// Pending until the patience ends.
    fn poll_patience<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let Some(since) = self.waiting_since else {
            return Poll::Pending;
        };
        while self.alarm.as_mut().poll(context).is_ready() {
            if since.elapsed() >= self.patience {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.alarm.as_mut().reset(since + self.patience);
        }
        Poll::Pending
    }

    fn after_write(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if written.is_pending() {
            self.begin_waiting();
            return self.poll_patience(context);
        }
        self.waiting_since = None;
        written
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled_before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() {
            return self.poll_patience(context);
        }
        if buffer.filled().len() > filled_before {
            self.begin_waiting();
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.after_write(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.after_write(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::advance;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(15);

    async fn pair() -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Connection::new(listener.accept().await.unwrap().0, PATIENCE), client)
    }

    #[tokio::test(start_paused = true)]
    async fn a_begun_request_is_waited_for_as_long_as_patience_lasts() {
        let (mut connection, mut client) = pair().await;
        advance(PATIENCE * 100).await; // idle: nobody waits
        client.write_all(b"GET ").await.unwrap();
        connection.read_exact(&mut [0; 4]).await.unwrap();
        let began = Instant::now();
        advance(PATIENCE / 2).await;
        client.write_all(b"/").await.unwrap();
        connection.read_exact(&mut [0; 1]).await.unwrap(); // a trickle buys no time
        let error = connection.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_ends_the_waiting() {
        let (mut connection, mut client) = pair().await;
        client.write_all(b"a").await.unwrap();
        connection.read_u8().await.unwrap();
        connection.write_all(b"b").await.unwrap();
        advance(PATIENCE * 2).await;
        client.write_all(b"c").await.unwrap();
        assert_eq!(connection.read_u8().await.unwrap(), b'c');
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_given_up() {
        let (mut connection, _client) = pair().await;
        let error = connection.write_all(&vec![0; 64 << 20]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
