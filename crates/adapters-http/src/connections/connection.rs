use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::connections::client_stream::ClientStream;
use crate::connections::framing::Framing;
use crate::connections::open_connections::Seat;
use crate::connections::turn::Turn;
use crate::settings::transfer_time;

/// How much a client may send ahead while a request is answered.
const HELD_BYTES_MAX: usize = 8 * 1024;
/// How much is read ahead at a time.
const READ_AHEAD_BYTES: usize = 1024;

/// A connection that passes on one request at a time, and fails when its client is too slow: to send the rest of a
/// request that it began, or to read an answer.
///
/// The framework times only the first head of a connection. Without this guard, a client could hold a connection
/// forever with a later head that trickles in, or by not reading.
pub(crate) struct Connection {
    stream: ClientStream,
    patience: Duration,
    /// Since when the server waits for the client; `None` when it does not.
    waiting_since: Option<Instant>,
    /// Fires when the patience ends, or before. It is moved when it fires, and not on each request.
    alarm: Pin<Box<Sleep>>,
    framing: Framing,
    /// Bytes after the end of the request that is being answered.
    held: Vec<u8>,
    is_read_to_end: bool,
    turn: Rc<Turn>,
    seat: Seat,
}

impl Connection {
    /// A connection with a client that may keep the server waiting for `patience`.
    pub(crate) fn new(stream: ClientStream, patience: Duration, seat: Seat) -> Self {
        Self {
            stream,
            patience,
            waiting_since: None,
            alarm: Box::pin(sleep(patience)),
            framing: Framing::default(),
            held: Vec::new(),
            is_read_to_end: false,
            turn: Rc::default(),
            seat,
        }
    }

    pub(crate) fn turn(&self) -> Rc<Turn> {
        Rc::clone(&self.turn)
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
            self.seat.set_waiting();
            return if self.seat.poll_closed(context) {
                Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
            } else {
                self.poll_patience(context)
            };
        }
        self.waiting_since = None;
        if self.turn.is_waiting_for_client() {
            self.seat.set_waiting();
        } else {
            self.seat.set_busy();
        }
        written
    }

    /// Reads bytes of the current request, and holds the bytes after its end.
    fn poll_request(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if !self.held.is_empty() {
            return Poll::Ready(self.pass_held(buffer));
        }
        let start = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            // A connection that gives way is closed in order: to the framework, the end of its bytes is the end of the
            // client.
            Poll::Pending if self.seat.poll_closed(context) => return Poll::Ready(Ok(())),
            Poll::Pending => return self.poll_patience(context),
            Poll::Ready(read) => read?,
        }
        let read = &buffer.filled()[start..];
        if read.is_empty() {
            self.turn.set_client_gone();
            return Poll::Ready(Ok(()));
        }
        // The bytes of a large body earn their time, so that only a client that is too slow is given up.
        if let Some(since) = &mut self.waiting_since {
            *since = (*since + transfer_time(read.len() as u64)).min(Instant::now());
        }
        let passed = self.framing.advance(read)?;
        self.held.extend_from_slice(&read[passed..]);
        buffer.set_filled(start + passed);
        self.after_passing();
        Poll::Ready(Ok(()))
    }

    fn pass_held(&mut self, buffer: &mut ReadBuf<'_>) -> io::Result<()> {
        let available = self.held.len().min(buffer.remaining());
        let passed = self.framing.advance(&self.held[..available])?;
        buffer.put_slice(&self.held[..passed]);
        self.held.drain(..passed);
        self.after_passing();
        Ok(())
    }

    /// Waits for the rest of a request, or stops waiting when the request is complete.
    fn after_passing(&mut self) {
        if self.framing.is_at_end() {
            self.waiting_since = None;
            self.seat.set_busy();
        } else {
            self.begin_waiting();
        }
    }

    /// While a request is answered: reads a little ahead, and notices when the client closes the connection.
    fn poll_ahead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.is_read_to_end && self.held.len() < HELD_BYTES_MAX {
            let mut bytes = [MaybeUninit::uninit(); READ_AHEAD_BYTES];
            let mut ahead = ReadBuf::uninit(&mut bytes);
            match Pin::new(&mut self.stream).poll_read(context, &mut ahead) {
                Poll::Pending => break,
                Poll::Ready(read) => read?,
            }
            self.is_read_to_end = ahead.filled().is_empty();
            self.held.extend_from_slice(ahead.filled());
        }
        if self.is_read_to_end {
            self.turn.set_client_gone();
        }
        if self.is_read_to_end && self.held.is_empty() {
            return Poll::Ready(Ok(()));
        }
        // Without held bytes, the socket wakes the task. Waking it at the end too would cost every request a poll.
        if !self.held.is_empty() {
            self.turn.wake_at_end(context.waker());
        }
        Poll::Pending
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.framing.is_at_end() {
            if !self.turn.begin() {
                return self.poll_ahead(context);
            }
            self.framing = Framing::default();
        }
        self.poll_request(context, buffer)
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
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::advance;

    use super::*;
    use crate::HttpSettings;
    use crate::connections::open_connections::OpenConnections;

    const PATIENCE: Duration = Duration::from_secs(15);

    async fn pair() -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let seat = OpenConnections::new(&HttpSettings::default()).enter(None).unwrap();
        let stream = ClientStream::new(listener.accept().await.unwrap().0, None);
        (Connection::new(stream, PATIENCE, seat), client)
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

    /// 8 MiB at the slowest speed take 32 s, twice the patience.
    #[tokio::test(start_paused = true)]
    async fn a_large_body_may_take_its_time() {
        let (mut connection, mut client) = pair().await;
        client.write_all(b"POST / HTTP/1.1\r\ncontent-length: 8388608\r\n\r\n").await.unwrap();
        let began = Instant::now();
        let mut head = [0; 44];
        connection.read_exact(&mut head).await.unwrap();
        let (sent, mut received) = (vec![b'x'; 64 * 1024], vec![0; 64 * 1024]);
        for _ in 0..100 {
            let sending = async {
                sleep(Duration::from_millis(250)).await;
                client.write_all(&sent).await.unwrap();
            };
            let (read, ()) = tokio::join!(connection.read_exact(&mut received), sending);
            read.unwrap();
        }
        assert!(began.elapsed() > PATIENCE + Duration::from_secs(5));
        let error = connection.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut, "a client that stops is given up");
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
