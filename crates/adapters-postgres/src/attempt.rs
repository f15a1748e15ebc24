use std::time::Duration;

use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use domain::UserId;
use domain::ports::StoreError;

use crate::PostgresStore;
use crate::pool::{Connections, Lease};

/// The longest that a call takes. Callers of the HTTP API are promised an answer within 5 s.
pub(crate) const DEADLINE: Duration = Duration::from_secs(4);
/// How often a call is tried that keeps losing against others, or its connection.
const ATTEMPTS_MAX: u32 = 5;
/// The wait before the second attempt; doubled before each further one.
const BACKOFF: Duration = Duration::from_millis(5);

/// Something to do on one connection, as one transaction or one statement. It may be attempted again.
pub(crate) trait Work: Sync {
    /// What comes of it.
    type Answer: Send;

    /// Does it. On success no transaction is open.
    fn attempt(&self, connection: &AsyncPgConnection) -> impl Future<Output = Result<Self::Answer, Failure>> + Send;
}

/// Why an attempt failed, and what is left of it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nothing, or nothing that the next attempt would not do in the same way.
    Undone(Error),
    /// Perhaps all of it: the connection was lost around the commit.
    Unknown(Error),
    /// It was done, but the answer cannot be read.
    Unreadable(StoreError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Undone(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Unreadable(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Undone(error) | Failure::Unknown(error) => diesel_mapping::store_error(error),
            Failure::Unreadable(error) => error,
        }
    }
}

impl Failure {
    /// Whether another attempt may fare better, after so many.
    ///
    /// The driver does not name a deadlock (40P01), a shutdown (57P01) or a cancelled statement: they are among the
    /// unknown errors, of which any leaves nothing behind. One more attempt is harmless for the rest of them.
    fn may_pass(&self, attempts: u32, connection: Connection) -> bool {
        let Self::Undone(Error::DatabaseError(kind, _)) = self else {
            return false;
        };
        match (kind, connection) {
            (DatabaseErrorKind::SerializationFailure, _) | (_, Connection::ThrownAway) => attempts < ATTEMPTS_MAX,
            (DatabaseErrorKind::Unknown, Connection::GivenBack) => attempts < 2,
            _ => false,
        }
    }

    /// Of a single statement that must not be done twice: it may have been done when the connection was lost.
    pub(crate) fn of_statement(error: Error) -> Self {
        match error {
            Error::DatabaseError(DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection, _) => {
                Self::Unknown(error)
            }
            error => Self::Undone(error),
        }
    }

    /// Whether the server refused what it was told, so that less of it may pass.
    pub(crate) fn is_of_the_content(&self) -> bool {
        match self {
            Self::Undone(Error::DatabaseError(kind, _)) => !matches!(
                kind,
                DatabaseErrorKind::UnableToSendCommand
                    | DatabaseErrorKind::ClosedConnection
                    | DatabaseErrorKind::SerializationFailure
                    | DatabaseErrorKind::ReadOnlyTransaction
            ),
            Self::Undone(_) | Self::Unreadable(StoreError::Corrupt { .. }) => true,
            Self::Unknown(_) | Self::Unreadable(_) => false,
        }
    }

    /// Others were faster: the next attempt sees what they did.
    pub(crate) fn overtaken(by: &str) -> Self {
        Self::Undone(Error::DatabaseError(DatabaseErrorKind::SerializationFailure, Box::new(by.to_owned())))
    }

    /// The server is a demoted primary, or takes no writes for another reason (25006).
    fn is_read_only(&self) -> bool {
        matches!(self, Self::Undone(Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, _)))
    }
}

/// What became of a connection after a failure on it.
#[derive(Clone, Copy, Debug)]
enum Connection {
    GivenBack,
    ThrownAway,
}

impl PostgresStore {
    /// Does the work within the deadline, again where that may help.
    pub(crate) async fn run<W: Work>(&self, work: &W) -> Result<W::Answer, StoreError> {
        within_deadline(attempts(&self.connections, work)).await
    }

    /// [`Self::run`] on the connections for look-ups of keys.
    pub(crate) async fn run_look_up<W: Work>(&self, work: &W) -> Result<W::Answer, StoreError> {
        within_deadline(attempts(&self.look_up_connections, work)).await
    }

    /// [`Self::run`] on the connection of the change feed.
    pub(crate) async fn run_on_feed<W: Work>(&self, work: &W) -> Result<W::Answer, StoreError> {
        within_deadline(attempts(&self.feed_connections, work)).await
    }

    /// [`Self::run`] on the connections of the queue.
    pub(crate) async fn run_on_queue<W: Work>(&self, work: &W) -> Result<W::Answer, StoreError> {
        within_deadline(attempts(&self.queue_connections, work)).await
    }

    /// [`Self::run`], one at a time for each owner in this process.
    pub(crate) async fn run_in_turn<W: Work>(&self, owner: &UserId, work: &W) -> Result<W::Answer, StoreError> {
        let in_turn = async {
            let _turn = self.owner_turns.wait(owner).await;
            attempts(&self.connections, work).await
        };
        within_deadline(in_turn).await
    }
}

async fn attempts<W: Work>(connections: &Connections, work: &W) -> Result<W::Answer, StoreError> {
    attempts_on(connections, work).await.map_err(StoreError::from)
}

/// Attempts the work as often as that may help. The caller bounds how long.
pub(crate) async fn attempts_on<W: Work>(connections: &Connections, work: &W) -> Result<W::Answer, Failure> {
    let mut attempts = 0;
    loop {
        let lease = connections.lease().await?;
        let failure = match work.attempt(&lease).await {
            Ok(answer) => {
                lease.give_back();
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        attempts += 1;
        let connection = clear_up(connections, lease, &failure).await;
        if !failure.may_pass(attempts, connection) {
            return Err(failure);
        }
        tokio::time::sleep(BACKOFF * 2_u32.pow(attempts - 1)).await;
    }
}

/// Ends what the attempt may have left open. A connection that is lost, or leads to the wrong server, is thrown away
/// with its idle siblings, which have met the same fate.
async fn clear_up(connections: &Connections, lease: Lease, failure: &Failure) -> Connection {
    if !failure.is_read_only() && (&mut &*lease).batch_execute("ROLLBACK").await.is_ok() {
        lease.give_back();
        return Connection::GivenBack;
    }
    connections.distrust_idle();
    Connection::ThrownAway
}

async fn within_deadline<T>(call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let late = |_| Err(StoreError::Unavailable("Postgres did not answer in time".into()));
    tokio::time::timeout(DEADLINE, call).await.unwrap_or_else(late)
}
