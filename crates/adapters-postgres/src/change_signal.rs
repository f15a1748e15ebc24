use std::sync::{Arc, OnceLock};
use std::time::Duration;

use diesel::QueryResult;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::PostgresStore;
use crate::server::{Purpose, Server};

const LISTEN: &str = "LISTEN gatepost_key_changes";
const NOTIFY: &str = "NOTIFY gatepost_key_changes";

/// The wait before a lost connection is opened again.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);

impl PostgresStore {
    /// Tells other instances that there is a change, when there is one: after its commit, and without holding its
    /// caller up. A notification within the transaction would make all commits with one wait for each other.
    pub(crate) fn tell_if(&self, changed: bool) {
        if changed {
            self.change_signal.tell();
        }
    }
}

/// Tells other instances of changes, and hears of theirs, on a connection of its own, which is opened by the first
/// reader. An instance without one tells nobody: it is only a hint, and the feed has everything.
#[derive(Clone)]
pub(crate) struct ChangeSignal(Arc<Inner>);

struct Inner {
    server: Server,
    runtime: Handle,
    signals: Arc<Signals>,
    task: OnceLock<AbortHandle>,
}

/// Both keep one wake-up for whoever comes later, and more than one are as good as one.
#[derive(Default)]
struct Signals {
    heard: Notify,
    to_tell: Notify,
}

impl ChangeSignal {
    pub(crate) fn new(server: Server, runtime: Handle) -> Self {
        Self(Arc::new(Inner { server, runtime, signals: Arc::default(), task: OnceLock::new() }))
    }

    /// Notifies other instances soon.
    fn tell(&self) {
        self.0.signals.to_tell.notify_one();
    }

    /// Returns after a notification.
    pub(crate) async fn heard(&self) {
        let inner = &*self.0;
        inner.task.get_or_init(|| {
            let task = keep_connected(inner.server.clone(), Arc::clone(&inner.signals));
            inner.runtime.spawn(task).abort_handle()
        });
        inner.signals.heard.notified().await;
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        self.0.task.get().inspect(|task| task.abort());
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.task.get().inspect(|task| task.abort());
    }
}

async fn keep_connected(server: Server, signals: Arc<Signals>) {
    loop {
        if let Ok(connection) = server.connect(Purpose::Calls).await {
            // An error means that the connection is lost, which the calls will say better.
            let _ = exchange(connection, &signals).await;
        }
        tokio::time::sleep(RECONNECT_INTERVAL).await;
    }
}

/// Tells and hears until the connection is lost.
async fn exchange(mut connection: AsyncPgConnection, signals: &Signals) -> QueryResult<()> {
    connection.batch_execute(LISTEN).await?;
    // Something may have been said before.
    signals.heard.notify_one();
    loop {
        let heard = {
            let mut notifications = std::pin::pin!(connection.notifications_stream());
            tokio::select! {
                notification = notifications.next() => Some(notification),
                () = signals.to_tell.notified() => None,
            }
        };
        match heard {
            Some(Some(notification)) => notification.map(|_| signals.heard.notify_one())?,
            Some(None) => return Ok(()),
            None => connection.batch_execute(NOTIFY).await?,
        }
    }
}
