use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Waker;

use actix_web::HttpRequest;

/// Tells a connection when its current request is answered, and the request when the client is gone.
///
/// The framework decodes requests ahead of their answers, and then applies `Connection: close`, the method and the
/// version of the last decoded request to an earlier answer. So a connection passes on one request at a time, and the
/// boundary reports when a request is answered.
#[derive(Default)]
pub(crate) struct Turn {
    is_answered: Cell<bool>,
    is_last: Cell<bool>,
    is_streaming: Cell<bool>,
    is_client_gone: Cell<bool>,
    /// Wakes the connection when it holds bytes of the next request.
    waker: RefCell<Option<Waker>>,
}

impl Turn {
    /// The turn of the connection of a request; `None` in a test without a connection.
    pub(crate) fn of(request: &HttpRequest) -> Option<Rc<Self>> {
        request.conn_data::<Rc<Self>>().cloned()
    }

    /// Reports that the request is answered: the next request may follow.
    pub(crate) fn end(&self) {
        self.is_answered.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Reports that no further request may follow on this connection.
    pub(crate) fn set_last(&self) {
        self.is_last.set(true);
    }

    /// Reports that a long answer begins or ends.
    pub(crate) fn set_streaming(&self, is_streaming: bool) {
        self.is_streaming.set(is_streaming);
    }

    /// Whether the request is answered, so that the server waits for the next one.
    pub(super) fn is_waiting_for_client(&self) -> bool {
        self.is_answered.get() && !self.is_streaming.get()
    }

    /// Whether the client has closed the connection, or at least its sending side.
    pub(crate) fn is_client_gone(&self) -> bool {
        self.is_client_gone.get()
    }

    pub(super) fn set_client_gone(&self) {
        self.is_client_gone.set(true);
    }

    /// Begins the next request if it may follow. Returns whether it may.
    pub(super) fn begin(&self) -> bool {
        !self.is_last.get() && self.is_answered.replace(false)
    }

    /// Asks to be woken at the end of the request.
    pub(super) fn wake_at_end(&self, waker: &Waker) {
        self.waker.replace(Some(waker.clone()));
    }
}
