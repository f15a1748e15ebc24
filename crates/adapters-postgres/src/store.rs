use std::fmt;

use tokio::runtime::Handle;

use crate::change_signal::ChangeSignal;
use crate::owner_turns::OwnerTurns;
use crate::pool::Connections;
use crate::server::{OpenError, Server};

/// Where the database is, and how much of it is used.
#[derive(Clone)]
pub struct PostgresSettings {
    /// `postgres://…`, as libpq reads it. A secret: it may hold a password.
    pub url: String,
    /// Connections, at most.
    pub pool_size: usize,
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PostgresSettings").field("pool_size", &self.pool_size).finish_non_exhaustive()
    }
}

/// The storage ports on Postgres. Cheap to clone: all clones share one pool.
#[derive(Clone)]
pub struct PostgresStore {
    pub(crate) server: Server,
    pub(crate) connections: Connections,
    pub(crate) owner_turns: OwnerTurns,
    pub(crate) change_signal: ChangeSignal,
    pub(crate) runtime: Handle,
}

impl PostgresStore {
    /// Sets the store up on the current runtime, which drives its connections from then on: let it be one that is
    /// never blocked. The server need not be up.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    #[expect(clippy::unused_async, reason = "asynchronous, so that it is called within the runtime it settles on")]
    pub async fn open(settings: PostgresSettings) -> Result<Self, OpenError> {
        let runtime = Handle::current();
        let server = Server::parse(&settings.url)?;
        let connections = Connections::new(server.clone(), settings.pool_size, runtime.clone())?;
        let change_signal = ChangeSignal::new(server.clone(), runtime.clone());
        Ok(Self { server, connections, owner_turns: OwnerTurns::new(), change_signal, runtime })
    }

    /// Closes the connections, those in use as soon as they are given back. Every later call is refused as
    /// unavailable.
    #[expect(clippy::unused_async, reason = "every store closes in the same way, and the others have to wait")]
    pub async fn close(&self) {
        self.connections.close();
        self.change_signal.close();
    }
}
