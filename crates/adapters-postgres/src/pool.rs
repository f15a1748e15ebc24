use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use counters::Histogram;
use deadpool::Runtime;
use deadpool::managed::QueueMode;
use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{Object, Pool, PoolError};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use domain::ports::{POOL_WAIT_BOUNDS, PoolFigures, StoreError};
use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::server::{OpenError, Purpose, Server};
use crate::server_session::ConnectError;
use crate::timelines::Timelines;

/// How long a call waits for a connection if all are in use.
const WAIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A pool of connections for one [`Purpose`].
#[derive(Clone)]
pub(crate) struct Connections {
    name: &'static str,
    timelines: Arc<Timelines>,
    pool: Pool<AsyncPgConnection>,
    waits: Arc<Histogram>,
    /// The promotions of the server to which the idle connections lead.
    promotions: Arc<AtomicU64>,
    /// Drives the connections.
    runtime: Handle,
}

impl Connections {
    /// Makes a pool of at most `count` connections, but at least one. They open when they are needed. The pool has this
    /// name for operators.
    ///
    /// Each connection opens on `runtime`, which drives it from then on. If the calling thread opened it, that thread
    /// would drive it: an HTTP worker, which may be busy while another worker waits for an answer.
    pub(crate) fn new(
        name: &'static str,
        server: Server,
        purpose: Purpose,
        count: usize,
        runtime: Handle,
    ) -> Result<Self, OpenError> {
        let (mut config, timelines, driving) = (ManagerConfig::default(), server.timelines(), runtime.clone());
        config.recycling_method = RecyclingMethod::Fast;
        config.custom_setup = Box::new(move |_| {
            let server = server.clone();
            let connecting = runtime.spawn(async move { server.connect(purpose).await });
            async move {
                let connected =
                    connecting.await.unwrap_or_else(|cut_off| Err(ConnectError::Other(cut_off.to_string())));
                connected.map_err(ConnectionError::from)
            }
            .boxed()
        });
        let manager = AsyncDieselConnectionManager::new_with_config("", config);
        // Last in, first out: the connections in use have warm statements and caches.
        let pool = Pool::builder(manager)
            .max_size(count.max(1))
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(WAIT_TIMEOUT))
            .runtime(Runtime::Tokio1)
            .build();
        let waits = Arc::new(Histogram::new(POOL_WAIT_BOUNDS));
        pool.map(|pool| Self { name, timelines, pool, waits, promotions: Arc::default(), runtime: driving })
            .map_err(OpenError::Pool)
    }

    /// Takes an idle connection from the pool, or opens one. The connection may have died since its last use, but does
    /// not lead to a server that was known to be replaced when this call began.
    pub(crate) async fn lease(&self) -> Result<Lease, StoreError> {
        let promotions = self.timelines.promotions();
        if self.promotions.load(Ordering::Acquire) != promotions {
            self.close_idle();
            self.promotions.store(promotions, Ordering::Release);
        }
        let began = Instant::now();
        let connection = self.pool.get().await;
        self.waits.observe(began.elapsed());
        Ok(Lease {
            connection: Some(connection.map_err(no_connection)?),
            timelines: Arc::clone(&self.timelines),
            promotions,
        })
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
        self.runtime.clone()
    }
}

/// The pool's message for a failed connection repeats the cause, which is also its source.
fn no_connection(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(cause) => StoreError::Unavailable(Box::new(cause)),
        error => StoreError::Unavailable(Box::new(error)),
    }
}

/// A connection in use. Dropping it closes the connection, so that the server rolls back and releases its locks. Only
/// [`Lease::give_back`] returns the connection to the pool.
pub(crate) struct Lease {
    connection: Option<Object<AsyncPgConnection>>,
    timelines: Arc<Timelines>,
    /// The promotions of the server when the lease began.
    promotions: u64,
}

impl Lease {
    /// Returns the connection to the pool, or closes it if the server was replaced since the lease began. No
    /// transaction may be open.
    pub(crate) fn give_back(mut self) {
        if self.promotions == self.timelines.promotions() {
            drop(self.connection.take());
        }
    }
}

impl Deref for Lease {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        self.connection.as_ref().expect("a lease has its connection until give_back or drop")
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
    async fn a_connection_to_a_server_that_is_replaced_meanwhile_is_not_kept() {
        let database = Cluster::shared().await.unwrap().database().await.unwrap();
        let server = Server::parse(&format!("{}?sslmode=disable", database.url), None).unwrap();
        let pool = Connections::new("test", server.clone(), Purpose::Calls, 2, Handle::current()).unwrap();
        pool.lease().await.unwrap().give_back();
        assert_eq!(pool.figures().idle, 1);
        let lease = pool.lease().await.unwrap();
        assert!(server.timelines().admit(Timeline::parse("another:1").unwrap()));
        lease.give_back();
        assert_eq!(pool.figures().idle, 0);
    }
}
