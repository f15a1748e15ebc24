use std::convert::Infallible;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::PostgresStore;
use crate::claimers::{Claimers, Presence};
use crate::server::{Opened, Purpose, Server};
use crate::shard::{Shard, is_distributed};

const LISTEN: &str = "LISTEN ";
const NOTIFY: &str = "NOTIFY ";
const KEYS: &str = "gatepost_credential_changes";
const DELIVERIES: &str = "gatepost_deliveries";

/// The wait before a lost connection is opened again.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);
/// How long the server may take to answer a statement.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
const LATE: &str = "the server did not answer in time";
/// How often the queue is read if sessions are shared, which receive no notifications. The feed is always polled.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The shortest time from one notification of deliveries to the next: 50 a second at most, however many are published.
const DELIVERIES_INTERVAL: Duration = Duration::from_millis(20);

impl PostgresStore {
    /// Notifies other instances of a change after its commit, without delaying the caller. Notifications within the
    /// transaction would make all commits with a notification wait for each other.
    pub(crate) fn notify_if(&self, changed: bool) {
        if changed {
            self.change_signal.notify_of_keys();
        }
    }
}

/// Sends and receives notifications of changes, on a separate connection that opens on first use. Notifications are
/// only hints: the feed and the queue have every change.
#[derive(Clone)]
pub(crate) struct ChangeSignal(Arc<Inner>);

struct Inner {
    server: Server,
    claimers: Claimers,
    runtime: Handle,
    signals: Arc<Signals>,
    task: OnceLock<AbortHandle>,
    /// Closed when the task has dropped its end.
    task_alive: mpsc::Sender<Infallible>,
    task_end: Mutex<Option<mpsc::Receiver<Infallible>>>,
}

struct Signals {
    keys: Signal,
    deliveries: Signal,
}

/// Each [`Notify`] keeps one wake-up for the next waiter. Several wake-ups count as one.
struct Signal {
    /// The channel of the database. Each of its shards has its own.
    channel: String,
    received: Notify,
    to_send: Notify,
}

impl ChangeSignal {
    pub(crate) fn new(server: Server, claimers: Claimers, shard: Option<Shard>, runtime: Handle) -> Self {
        let (task_alive, task_end) = mpsc::channel(1);
        let (signals, task, task_end) =
            (Arc::new(Signals::of_shard(shard)), OnceLock::new(), Mutex::new(Some(task_end)));
        Self(Arc::new(Inner { server, claimers, runtime, signals, task, task_alive, task_end }))
    }

    /// Returns when the task that holds the connection has ended.
    pub(crate) async fn ended(&self) {
        self.0.task_alive.closed().await;
    }

    /// Notifies other instances of changed keys soon. An instance without a reader sends no notification.
    fn notify_of_keys(&self) {
        self.0.signals.keys.to_send.notify_one();
    }

    /// Returns after a notification of changed keys.
    pub(crate) async fn wait_for_keys(&self) {
        self.connect_once();
        self.0.signals.keys.received.notified().await;
    }

    /// Wakes the reader of the queue in this instance at once, and the readers in other instances soon.
    pub(crate) fn notify_of_deliveries(&self) {
        self.connect_once();
        self.0.signals.deliveries.received.notify_one();
        self.0.signals.deliveries.to_send.notify_one();
    }

    /// Returns when there may be deliveries to claim.
    pub(crate) async fn wait_for_deliveries(&self) {
        self.connect_once();
        self.0.signals.deliveries.received.notified().await;
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        self.0.task.get().inspect(|task| task.abort());
    }

    fn connect_once(&self) {
        let inner = &*self.0;
        inner.task.get_or_init(|| {
            let end = inner.task_end.lock().unwrap_or_else(PoisonError::into_inner).take();
            let connected = keep_connected(inner.server.clone(), inner.claimers.clone(), Arc::clone(&inner.signals));
            let task = async move {
                let _end = end;
                connected.await;
            };
            inner.runtime.spawn(task).abort_handle()
        });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.task.get().inspect(|task| task.abort());
    }
}

async fn keep_connected(server: Server, claimers: Claimers, signals: Arc<Signals>) {
    loop {
        if let Ok(Opened { connection, generation }) = server.open(Purpose::Calls).await {
            let is_replaced = || server.generation() != generation;
            // An error means that the connection is lost. Calls on other connections report the cause better.
            let _ = exchange(connection, server.shares_sessions(), &claimers, &signals, is_replaced).await;
        }
        tokio::time::sleep(RECONNECT_INTERVAL).await;
    }
}

/// The next event on the connection.
enum Exchange {
    Received(Option<QueryResult<diesel::pg::PgNotification>>),
    NotifyOfKeys,
    NotifyOfDeliveries,
    Poll,
    Look,
}

/// Sends and receives until the connection is lost, or the server is replaced by another one. Where the session is shared,
/// only sends. See decisions 93 and 95.
async fn exchange(
    mut connection: AsyncPgConnection,
    is_shared: bool,
    claimers: &Claimers,
    signals: &Signals,
    is_replaced: impl Fn() -> bool,
) -> QueryResult<()> {
    if !is_shared {
        in_time(connection.batch_execute(&signals.listen())).await?;
    }
    let is_seen = is_shared || in_time(is_distributed(&connection)).await?;
    let mut watch = claimers.watch(if is_seen { Presence::Seen } else { Presence::Locked });
    // Notifications may have been sent before this connection listened.
    signals.keys.received.notify_one();
    signals.deliveries.received.notify_one();
    let mut next_of_deliveries = Instant::now();
    loop {
        let next = {
            let mut notifications = std::pin::pin!(connection.notifications_stream());
            let deliveries = async {
                tokio::time::sleep_until(next_of_deliveries).await;
                signals.deliveries.to_send.notified().await;
            };
            tokio::select! {
                notification = notifications.next() => Exchange::Received(notification),
                () = signals.keys.to_send.notified() => Exchange::NotifyOfKeys,
                () = deliveries => Exchange::NotifyOfDeliveries,
                () = tokio::time::sleep_until(watch.next_look) => Exchange::Look,
                () = tokio::time::sleep(POLL_INTERVAL), if is_shared => Exchange::Poll,
            }
        };
        match next {
            Exchange::Received(None) => return Ok(()),
            Exchange::Received(Some(notification)) => signals.of(&notification?.channel).received.notify_one(),
            Exchange::NotifyOfKeys => in_time(connection.batch_execute(&signals.keys.notify())).await?,
            Exchange::NotifyOfDeliveries => {
                in_time(connection.batch_execute(&signals.deliveries.notify())).await?;
                next_of_deliveries = Instant::now() + DELIVERIES_INTERVAL;
            }
            Exchange::Look if is_replaced() => return Ok(()),
            Exchange::Poll => signals.deliveries.received.notify_one(),
            Exchange::Look => {
                if in_time(watch.look(&connection)).await? {
                    signals.deliveries.received.notify_one();
                }
            }
        }
    }
}

/// A server that stands still leaves its connections open, and never answers.
async fn in_time<T>(answer: impl Future<Output = QueryResult<T>>) -> QueryResult<T> {
    let late = |_| Err(Error::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(LATE.to_owned())));
    tokio::time::timeout(ANSWER_TIMEOUT, answer).await.unwrap_or_else(late)
}

impl Signal {
    fn of(channel: &str, shard: Option<Shard>) -> Self {
        let channel = shard.map_or_else(|| channel.to_owned(), |shard| format!("{channel}_{}", shard.number));
        Self { channel, received: Notify::new(), to_send: Notify::new() }
    }

    fn notify(&self) -> String {
        format!("{NOTIFY}{}", self.channel)
    }
}

impl Signals {
    fn of_shard(shard: Option<Shard>) -> Self {
        Self { keys: Signal::of(KEYS, shard), deliveries: Signal::of(DELIVERIES, shard) }
    }

    fn listen(&self) -> String {
        [&self.keys, &self.deliveries].map(|signal| format!("{LISTEN}{}", signal.channel)).join("; ")
    }

    fn of(&self, channel: &str) -> &Signal {
        if channel == self.deliveries.channel { &self.deliveries } else { &self.keys }
    }
}
