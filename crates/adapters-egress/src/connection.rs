use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

use crate::open_connections::Link;

/// A connection to an allowed address. It takes a place as long as it is open, idle or not.
pub(crate) struct GuardedConnection {
    stream: TokioIo<Either<TcpStream, TlsStream<TcpStream>>>,
    is_http2: bool,
    link: Arc<Link>,
    _permit: OwnedSemaphorePermit,
}

impl GuardedConnection {
    pub(crate) fn plain(stream: TcpStream, link: Arc<Link>, permit: OwnedSemaphorePermit) -> Self {
        Self { stream: TokioIo::new(Either::Left(stream)), is_http2: false, link, _permit: permit }
    }

    pub(crate) fn tls(stream: TlsStream<TcpStream>, link: Arc<Link>, permit: OwnedSemaphorePermit) -> Self {
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Self { stream: TokioIo::new(Either::Right(stream)), is_http2, link, _permit: permit }
    }
}

impl Connection for GuardedConnection {
    fn connected(&self) -> Connected {
        let connected = Connected::new().extra(Arc::clone(&self.link));
        if self.is_http2 { connected.negotiated_h2() } else { connected }
    }
}

impl Read for GuardedConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        self.link.register_reader(context);
        if self.link.has_given_way() {
            // The end of the stream.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for GuardedConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.link.poll_writable(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.link.poll_writable(context))?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}
