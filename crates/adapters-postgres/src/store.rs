use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::ports::{AuditWatchers, Close};
use domain::webhooks::DirectClaims;
use tokio::runtime::Handle;

use crate::change_signal::ChangeSignal;
use crate::claimers::Claimers;
use crate::keys::SharedLists;
use crate::owner_lock::OwnerTurns;
use crate::pool::Connections;
use crate::server::{OpenError, Purpose, Server};
use crate::shard::Shard;
use crate::webhooks::{Audience, Place, Publisher};

/// Connections for the queue of webhooks, opened when they are needed: one for a claim, and others for completions.
/// Publishing has separate connections.
const QUEUE_CONNECTIONS: usize = 3;

/// Connections for look-ups of keys, opened when they are needed. Each look-up answers many callers at once.
const LOOK_UP_CONNECTIONS: usize = 2;
/// The names of the pools that publish, with one connection each.
const PUBLISHING: [&str; 2] = ["publishing", "publishing_again"];

/// The URL of the database, and the number of connections.
#[derive(Clone)]
pub struct PostgresSettings {
    /// `postgres://…`, in the form that libpq reads. A secret, because it may have a password.
    pub url: String,
    /// Connections for calls, at most. There are up to nine more: two for look-ups of keys, one to read the change
    /// feed, three for the queue of webhooks, two to publish, and one for notifications.
    pub pool_size: usize,
}

impl PostgresSettings {
    /// The connections that a store opens in addition to its pool, at most. The last one is for notifications.
    pub const BESIDE_POOL: usize = LOOK_UP_CONNECTIONS + 1 + QUEUE_CONNECTIONS + PUBLISHING.len() + 1;
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PostgresSettings").field("pool_size", &self.pool_size).finish_non_exhaustive()
    }
}

/// The storage ports on Postgres. Cheap to clone: all clones share one pool.
#[derive(Clone)]
pub struct PostgresStore {
    pub(crate) shard: Option<Shard>,
    pub(crate) server: Server,
    pub(crate) connections: Connections,
    pub(crate) lists: SharedLists,
    pub(crate) look_up_connections: Connections,
    pub(crate) feed_connections: Connections,
    pub(crate) queue_connections: Connections,
    pub(crate) publisher: Publisher,
    pub(crate) direct_claims: Arc<DirectClaims>,
    pub(crate) owner_turns: OwnerTurns,
    pub(crate) claimers: Claimers,
    pub(crate) change_signal: ChangeSignal,
    /// Where the purge of webhooks continues.
    pub(crate) purge_place: Arc<Mutex<Place>>,
    /// The watchers of the calls' writes to the audit log.
    pub(crate) audit_watchers: Arc<AuditWatchers>,
    pub(crate) runtime: Handle,
}

impl PostgresStore {
    /// Sets the store up on the current runtime, which drives its connections from then on and must never be blocked.
    /// The server need not be up.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    #[expect(
        clippy::unused_async,
        reason = "asynchronous, so that callers are in the runtime that drives the connections"
    )]
    pub async fn open(settings: PostgresSettings) -> Result<Self, OpenError> {
        Self::build(&settings, None, Arc::default())
    }

    /// The same for one of several shards, which is one schema of the database. The shards of a process share
    /// `direct_claims`: its dispatcher offers its room to all of them at once.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    #[expect(clippy::unused_async, reason = "see `open`")]
    pub async fn open_shard(
        settings: PostgresSettings,
        shard: Shard,
        direct_claims: Arc<DirectClaims>,
    ) -> Result<Self, OpenError> {
        Self::build(&settings, Some(shard), direct_claims)
    }

    /// The shard that this store holds; `None` if all data is in one store.
    pub const fn shard(&self) -> Option<Shard> {
        self.shard
    }

    fn build(
        settings: &PostgresSettings,
        shard: Option<Shard>,
        direct_claims: Arc<DirectClaims>,
    ) -> Result<Self, OpenError> {
        let runtime = Handle::current();
        let schema = shard.map(Shard::schema);
        let server = Server::parse(&settings.url, schema.as_deref())?;
        let pool = |name, purpose, size| Connections::new(name, server.clone(), purpose, size, runtime.clone());
        let connections = pool("calls", Purpose::Calls, settings.pool_size)?;
        let look_up_connections = pool("look_ups", Purpose::Calls, LOOK_UP_CONNECTIONS)?;
        let feed_connections = pool("feed", Purpose::Calls, 1)?;
        let queue_connections = pool("queue", Purpose::Queue, QUEUE_CONNECTIONS)?;
        let publishing = PUBLISHING.map(|name| pool(name, Purpose::Queue, 1));
        let [first, second] = publishing;
        let claimers = Claimers::of(shard);
        let change_signal = ChangeSignal::new(server.clone(), claimers.clone(), shard, runtime.clone());
        let (claims, signal) = (Arc::clone(&direct_claims), change_signal.clone());
        let audience = Audience { claims, claimers: claimers.clone(), signal };
        let publisher = Publisher::new([first?, second?], audience, &runtime);
        let owner_turns = OwnerTurns::new();
        Ok(Self {
            shard,
            server,
            lists: SharedLists::new(connections.clone(), runtime.clone()),
            connections,
            look_up_connections,
            feed_connections,
            queue_connections,
            publisher,
            direct_claims,
            owner_turns,
            claimers,
            change_signal,
            purge_place: Arc::new(Mutex::new(Place::START)),
            audit_watchers: Arc::default(),
            runtime,
        })
    }
}

#[async_trait]
impl Close for PostgresStore {
    /// Closes the connections; connections in use close when they are returned. Every later call fails as unavailable.
    async fn close(&self) {
        self.connections.close();
        self.look_up_connections.close();
        self.feed_connections.close();
        self.queue_connections.close();
        self.publisher.close();
        self.change_signal.close();
    }

    async fn part_ended(&self) -> &'static str {
        tokio::select! {
            () = self.publisher.ended() => "a task that publishes events",
            () = self.change_signal.ended() => "the task that exchanges notifications",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::runtime::{Builder, Runtime};
    use tokio::time::timeout;

    use super::*;

    fn runtime() -> Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    async fn ended(store: &PostgresStore, within: Duration) -> Option<&'static str> {
        timeout(within, store.part_ended()).await.ok()
    }

    #[tokio::test]
    async fn a_refused_connection_is_explained_once() {
        let settings = PostgresSettings { url: "postgres://nobody@127.0.0.1:1/x?sslmode=disable".into(), pool_size: 1 };
        let store = PostgresStore::open(settings).await.unwrap();
        let error = store.connections.lease().await.err().unwrap();
        let mut source = std::error::Error::source(&error);
        let mut chain = error.to_string();
        while let Some(error) = source {
            chain = format!("{chain}: {error}");
            source = error.source();
        }
        assert_eq!(chain.matches("Connection refused").count(), 1, "{chain}");
    }

    /// A store on a runtime that has shut down, which drops its tasks as a panic does. No server is needed.
    #[test]
    fn each_task_that_ends_is_named() {
        let settings = PostgresSettings { url: "postgres://nobody@127.0.0.1:1/x?sslmode=disable".into(), pool_size: 1 };
        let (watching, working) = (runtime(), runtime());
        let store = working.block_on(PostgresStore::open(settings)).unwrap();
        store.change_signal.notify_of_deliveries();
        working.block_on(tokio::task::yield_now());
        let (moment, long) = (Duration::from_millis(50), Duration::from_secs(10));
        assert_eq!(watching.block_on(ended(&store, moment)), None);
        store.change_signal.close();
        // The aborted task is dropped when its runtime runs.
        working.block_on(tokio::task::yield_now());
        assert_eq!(watching.block_on(ended(&store, long)), Some("the task that exchanges notifications"));
        let other = PostgresStore {
            change_signal: ChangeSignal::new(store.server.clone(), store.claimers.clone(), None, store.runtime.clone()),
            ..store
        };
        assert_eq!(watching.block_on(ended(&other, moment)), None);
        drop(working);
        assert_eq!(watching.block_on(ended(&other, long)), Some("a task that publishes events"));
    }
}
