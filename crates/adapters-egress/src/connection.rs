use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

/// A connection to an allowed address. It counts against the limit of connections as long as it is open, idle or not.
pub(crate) struct GuardedConnection {
    stream: TokioIo<Either<TcpStream, TlsStream<TcpStream>>>,
    is_http2: bool,
    _permit: OwnedSemaphorePermit,
}

impl GuardedConnection {
    pub(crate) fn plain(stream: TcpStream, permit: OwnedSemaphorePermit) -> Self {
        Self { stream: TokioIo::new(Either::Left(stream)), is_http2: false, _permit: permit }
    }

    pub(crate) fn tls(stream: TlsStream<TcpStream>, permit: OwnedSemaphorePermit) -> Self {
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Self { stream: TokioIo::new(Either::Right(stream)), is_http2, _permit: permit }
    }
}

impl Connection for GuardedConnection {
    fn connected(&self) -> Connected {
        if self.is_http2 { Connected::new().negotiated_h2() } else { Connected::new() }
    }
}

impl Read for GuardedConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for GuardedConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
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
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}
