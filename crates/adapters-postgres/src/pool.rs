use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use counters::Histogram;
use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleError, RecycleResult};
use diesel::QueryResult;
use diesel_async::pooled_connection::PoolableConnection as _;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use domain::ports::{POOL_WAIT_BOUNDS, PoolFigures, StoreError};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::server::{OpenError, Opened, Purpose, Server};
use crate::server_session::ConnectError;

/// How long a call waits for a connection if all are in use.
const WAIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A pool of connections for one [`Purpose`].
#[derive(Clone)]
pub(crate) struct Connections {
    name: &'static str,
    pool: Pool<Opener>,
    waits: Arc<Histogram>,
}

/// Opens the connections of a pool, and says which of them may be used again.
struct Opener {
    server: Server,
    purpose: Purpose,
    /// Drives the connections.
    runtime: Handle,
}

impl Manager for Opener {
    type Type = Opened;
    type Error = ConnectError;

    /// Opens a connection on the runtime, which drives it from then on. If the calling thread opened it, that thread
    /// would drive it: an HTTP worker, which may be busy while another worker waits for an answer.
    async fn create(&self) -> Result<Opened, ConnectError> {
        let (server, purpose) = (self.server.clone(), self.purpose);
        let opening = self.runtime.spawn(async move { server.open(purpose).await });
        opening.await.unwrap_or_else(|cut_off| Err(ConnectError::Other(cut_off.to_string())))
    }

    async fn recycle(&self, opened: &mut Opened, _: &Metrics) -> RecycleResult<ConnectError> {
        if opened.generation == self.server.generation() && !opened.connection.is_broken() {
            return Ok(());
        }
        Err(RecycleError::message("the connection is closed, or from before a change of the server"))
    }
}

impl Connections {
    /// Makes a pool of at most `count` connections, but at least one. They open when they are needed. The pool has this
    /// name for operators.
    pub(crate) fn new(
        name: &'static str,
        server: Server,
        purpose: Purpose,
        count: usize,
        runtime: Handle,
    ) -> Result<Self, OpenError> {
        // Last in, first out: the connections in use have warm statements and caches.
        let pool = Pool::builder(Opener { server, purpose, runtime })
            .max_size(count.max(1))
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(WAIT_TIMEOUT))
            .runtime(Runtime::Tokio1)
            .build();
        let waits = Arc::new(Histogram::new(POOL_WAIT_BOUNDS));
        pool.map(|pool| Self { name, pool, waits }).map_err(OpenError::Pool)
    }

    /// Takes an idle connection from the pool, or opens one. The connection may have died since its last use, but is
    /// not from before a change of the server ([`Server::generation`]) that was known when this call began.
    pub(crate) async fn lease(&self) -> Result<Lease, StoreError> {
        let began = Instant::now();
        let connection = self.pool.get().await;
        self.waits.observe(began.elapsed());
        Ok(Lease { connection: Some(connection.map_err(no_connection)?) })
    }

    /// The state of the pool.
    pub(crate) fn figures(&self) -> PoolFigures {
        let (status, waits) = (self.pool.status(), self.waits.read());
        PoolFigures {
            name: self.name,
            used: status.size.saturating_sub(status.available),
            idle: status.available,
            waiting: status.waiting,
            waits: waits.counts,
            waited: waits.sum,
        }
    }

    /// Closes the idle connections: if one connection is broken, assume that all are.
    pub(crate) fn close_idle(&self) {
        self.pool.retain(|_, _| false);
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }

    /// The runtime that drives the connections.
    pub(crate) fn runtime(&self) -> Handle {
        self.pool.manager().runtime.clone()
    }
}

/// The pool's message for a failed connection repeats the cause, which is also its source.
fn no_connection(error: PoolError<ConnectError>) -> StoreError {
    match error {
        PoolError::Backend(cause) => StoreError::Unavailable(Box::new(cause)),
        error => StoreError::Unavailable(Box::new(error)),
    }
}

/// A connection in use. Dropping it closes the connection, so that the server rolls back and releases its locks. Only
/// [`Lease::give_back`] returns the connection to the pool.
pub(crate) struct Lease {
    connection: Option<Object<Opener>>,
}

impl Lease {
    /// Returns the connection to the pool. No transaction may be open.
    pub(crate) fn give_back(mut self) {
        drop(self.connection.take());
    }

    /// Ends the transaction if there is one.
    pub(crate) async fn roll_back(&self) -> QueryResult<()> {
        (&mut &**self).batch_execute("ROLLBACK").await
    }

    fn opened(&self) -> &Opened {
        self.connection.as_ref().expect("a lease has its connection until give_back or drop")
    }
}

impl Deref for Lease {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.opened().connection
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.connection.take().map(Object::take));
    }
}

#[cfg(test)]
mod tests {
    use throwaway_postgres::Cluster;

    use super::*;
    use crate::timelines::Timeline;

    #[tokio::test]
    async fn a_connection_to_a_server_that_is_replaced_meanwhile_is_not_used_again() {
        let database = Cluster::shared().await.unwrap().database().await.unwrap();
        let server = Server::parse(&format!("{}?sslmode=disable", database.url), None).unwrap();
        let pool = Connections::new("test", server.clone(), Purpose::Calls, 2, Handle::current()).unwrap();
        let generation = async || {
            let lease = pool.lease().await.unwrap();
            let generation = lease.opened().generation;
            lease.give_back();
            generation
        };
        let first = generation().await;
        let lease = pool.lease().await.unwrap();
        assert!(server.timelines().admit(Timeline::parse("another:1").unwrap()));
        lease.give_back();
        assert_eq!(generation().await, first + 1);
    }
}
