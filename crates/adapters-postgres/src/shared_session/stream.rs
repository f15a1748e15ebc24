use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::answers::{Answers, Awaited};
use super::requests::{Requests, Sent};
use super::socket::BoxedSocket;

/// How much may wait to be sent before more is taken.
const TO_SEND_MAX: usize = 256 * 1024;
const READ_SIZE: usize = 8 * 1024;

/// The socket as the driver sees it.
pub(super) struct SharedStream {
    socket: BoxedSocket,
    requests: Requests,
    answers: Answers,
    awaited: VecDeque<Awaited>,
    to_send: Queue,
    received: Queue,
    patience: Option<Duration>,
    /// Ends the connection. The driver would otherwise wait for answers after all its users have gone.
    give_up: Option<Pin<Box<Sleep>>>,
}

/// Bytes that are taken from the front.
#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    taken: usize,
}

impl Queue {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    fn take(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        }
    }
}

impl SharedStream {
    pub(super) fn new(socket: BoxedSocket, settings: String, patience: Option<Duration>) -> Self {
        Self {
            socket,
            requests: Requests::new(settings),
            answers: Answers::default(),
            awaited: VecDeque::new(),
            to_send: Queue::default(),
            received: Queue::default(),
            patience,
            give_up: None,
        }
    }

    fn send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.to_send.rest().is_empty() {
            let count = ready!(Pin::new(&mut self.socket).poll_write(context, self.to_send.rest()))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.to_send.take(count);
        }
        Poll::Ready(Ok(()))
    }

    /// Pending while answers may still come.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(patience) = self.patience.filter(|_| !self.awaited.is_empty()) else {
            self.give_up = None;
            return Poll::Pending;
        };
        let give_up = self.give_up.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(give_up.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the pooler did not answer in time")))
    }
}

impl AsyncRead for SharedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        target: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.received.rest().is_empty() {
            let mut space = [0; READ_SIZE];
            let mut read = ReadBuf::new(&mut space);
            match Pin::new(&mut this.socket).poll_read(context, &mut read)? {
                Poll::Pending => return this.wait(context),
                Poll::Ready(()) if read.filled().is_empty() => return Poll::Ready(Ok(())),
                Poll::Ready(()) => {}
            }
            this.give_up = None;
            this.answers.push(read.filled(), &mut this.awaited, &mut this.received.bytes);
        }
        let count = target.remaining().min(this.received.rest().len());
        target.put_slice(&this.received.rest()[..count]);
        this.received.take(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SharedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.to_send.rest().len() > TO_SEND_MAX {
            ready!(this.send(context))?;
        }
        this.requests.push(bytes, &mut Sent { bytes: &mut this.to_send.bytes, awaited: &mut this.awaited });
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send(context))?;
        if let Poll::Ready(late) = self.wait(context) {
            return Poll::Ready(late);
        }
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send(context))?;
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
