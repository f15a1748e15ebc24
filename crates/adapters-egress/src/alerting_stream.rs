use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Whether a receiver has broken off TLS by a fatal alert.
#[derive(Clone, Default)]
pub(crate) struct Alert(Arc<AtomicBool>);

impl Alert {
    pub(crate) fn is_received(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The bytes to and from a receiver over TLS. It notes an alert before the connection ends: in TLS 1.3, a receiver refuses the
/// client certificate after the client has begun to write, and HTTP does not say why a connection ended.
pub(crate) struct AlertingStream {
    stream: TlsStream<TcpStream>,
    /// Bytes that the search for an alert has read. The next read returns them.
    unread: Vec<u8>,
    /// The error of a write that waits for the alert.
    failed: Option<io::Error>,
    alert: Alert,
}

impl AlertingStream {
    pub(crate) fn new(stream: TlsStream<TcpStream>) -> Self {
        Self { stream, unread: Vec::new(), failed: None, alert: Alert::default() }
    }

    /// Whether the receiver has chosen HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        self.stream.get_ref().1.alpn_protocol() == Some(b"h2")
    }

    pub(crate) fn alert(&self) -> Alert {
        self.alert.clone()
    }

    /// Whether the error is an alert, which it notes.
    fn note(&self, error: &io::Error) -> bool {
        let error = error.get_ref().and_then(|error| error.downcast_ref());
        let is_alert = matches!(error, Some(rustls::Error::AlertReceived(_)));
        self.alert.0.fetch_or(is_alert, Ordering::AcqRel);
        is_alert
    }

    /// The result of a write, after `write` has tried it. An error waits until the receiver's last bytes can be read, which is
    /// soon: a write fails after the receiver has closed the connection.
    fn explained<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TlsStream<TcpStream>>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if self.failed.is_none() {
            match ready!(write(Pin::new(&mut self.stream), context)) {
                Err(error) if !self.note(&error) && self.unread.is_empty() => self.failed = Some(error),
                written => return Poll::Ready(written),
            }
        }
        let mut bytes = [0; 1_024];
        let mut buffer = ReadBuf::new(&mut bytes);
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer));
        self.unread.extend_from_slice(buffer.filled());
        let failed = self.failed.take().unwrap_or_else(|| io::ErrorKind::BrokenPipe.into());
        Poll::Ready(Err(read.err().filter(|error| self.note(error)).unwrap_or(failed)))
    }
}

impl AsyncRead for AlertingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
            return Poll::Ready(read.inspect_err(|error| _ = self.note(error)));
        }
        let length = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread[..length]);
        self.unread.drain(..length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for AlertingStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.explained(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.explained(context, |stream, context| stream.poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.explained(context, AsyncWrite::poll_flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
