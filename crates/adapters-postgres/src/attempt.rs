use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::AsyncPgConnection;
use domain::OwnerId;
use domain::ports::StoreError;

use crate::PostgresStore;
use crate::audit::{forget_noted, showing};
use crate::left_attempt::Attempted;
use crate::pool::Connections;

/// The maximum duration of a call. Callers of the HTTP API get an answer within 5 s.
pub(crate) const DEADLINE: Duration = Duration::from_secs(4);
/// The most attempts of a call that loses its connections.
const LOST_MAX: u32 = 5;
/// The most attempts of a call that conflicts with other calls. Where all transactions are serializable, parallel changes
/// conflict many times before the last one of them succeeds. [`DEADLINE`] ends them before.
const CONFLICTS_MAX: u32 = 30;
/// The most attempts of a call that fails for a reason without a name.
const UNKNOWN_MAX: u32 = 3;
/// The longest wait before the second attempt; doubled before each further one, up to [`BACKOFF_MAX`].
const BACKOFF: Duration = Duration::from_millis(5);
const BACKOFF_MAX: Duration = Duration::from_millis(160);

/// Work on one connection, as one transaction or one statement. It may be attempted again.
pub(crate) trait Work: Sync {
    /// The answer of the work.
    type Answer: Send;

    /// Does the work. On success no transaction is open.
    fn attempt(&self, connection: &AsyncPgConnection) -> impl Future<Output = Result<Self::Answer, Failure>> + Send;
}

/// Why an attempt failed, and whether it may have had an effect.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It had no effect, or one that the next attempt repeats in the same way.
    Undone(Error),
    /// It may have had its full effect: the connection was lost around the commit.
    Unknown(Error),
    /// The work is done, but the answer cannot be read.
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
    /// The failure of a single statement that must not run twice: it may have run when the connection was lost.
    pub(crate) fn of_statement(error: Error) -> Self {
        match error {
            Error::DatabaseError(DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection, _) => {
                Self::Unknown(error)
            }
            error => Self::Undone(error),
        }
    }

    /// Whether the server rejected the content. A part of the content may then succeed.
    pub(crate) fn is_about_the_content(&self) -> bool {
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

    /// Whether a row has no partition: the tables of the log have no other checks.
    pub(crate) fn lacks_a_partition(&self) -> bool {
        matches!(
            self,
            Self::Undone(Error::DatabaseError(DatabaseErrorKind::CheckViolation, _))
                | Self::Unknown(Error::DatabaseError(DatabaseErrorKind::CheckViolation, _))
        )
    }

    /// Another call came first. The next attempt sees its changes.
    pub(crate) fn overtaken(by: &str) -> Self {
        Self::Undone(Error::DatabaseError(DatabaseErrorKind::SerializationFailure, Box::new(by.to_owned())))
    }

    /// Whether the error names one of the driver's prepared statements: a pooler has given the connection another
    /// session. The driver hides the codes of such errors, and a server may translate their texts, but not the name.
    fn names_a_statement(&self) -> bool {
        let (Self::Undone(error) | Self::Unknown(error)) = self else { return false };
        let Error::DatabaseError(DatabaseErrorKind::Unknown, information) = error else { return false };
        let mut words = information.message().split(|it: char| it.is_whitespace() || "\"'«»„“”".contains(it));
        words.any(|word| word.strip_prefix('s').is_some_and(|number| number.parse::<u64>().is_ok()))
    }

    /// Whether the server is read-only (25006), for example because it is a demoted primary.
    fn is_read_only(&self) -> bool {
        matches!(self, Self::Undone(Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, _)))
    }
}

/// The state of a connection after a failure.
#[derive(Clone, Copy, Debug)]
enum Connection {
    Returned,
    Closed,
}

/// The attempts of one call that have failed, by the reason.
#[derive(Debug, Default)]
struct Failed {
    conflicts: u32,
    lost: u32,
    unknown: u32,
}

impl Failed {
    /// Counts a failure, and returns whether another attempt may succeed.
    ///
    /// The driver reports a deadlock (40P01), a shutdown (57P01) and a cancelled statement as unknown errors. A
    /// statement that fails with an unknown error has no effect, so other attempts are safe for all of them.
    fn count(&mut self, failure: &Failure, connection: Connection) -> bool {
        let Failure::Undone(Error::DatabaseError(kind, _)) = failure else {
            return false;
        };
        let (count, max) = match (kind, connection) {
            (DatabaseErrorKind::SerializationFailure, _) => (&mut self.conflicts, CONFLICTS_MAX),
            (_, Connection::Closed) => (&mut self.lost, LOST_MAX),
            (DatabaseErrorKind::Unknown, Connection::Returned) => (&mut self.unknown, UNKNOWN_MAX),
            _ => return false,
        };
        *count += 1;
        *count < max
    }

    /// The time to wait before the next attempt. It is random: calls that conflict and then wait equally long conflict
    /// again.
    fn backoff(&self) -> Duration {
        let failed = self.conflicts + self.lost + self.unknown;
        let half = BACKOFF_MAX.min(BACKOFF * 2_u32.saturating_pow(failed.saturating_sub(1))) / 2;
        half + Duration::from_nanos(RandomState::new().hash_one(failed) % u64::from(half.subsec_nanos()))
    }
}

impl PostgresStore {
    /// Does the work within the deadline. Repeats it if another attempt may succeed.
    pub(crate) async fn run<W: Work>(&self, work: &W) -> Result<W::Answer, StoreError> {
        within_deadline(showing(&self.audit_watchers, attempts(&self.connections, work))).await
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
        within_deadline(showing(&self.audit_watchers, attempts(&self.queue_connections, work))).await
    }

    /// [`Self::run`], one at a time for each owner in this process.
    pub(crate) async fn run_in_turn<W: Work>(&self, owner: &OwnerId, work: &W) -> Result<W::Answer, StoreError> {
        let in_turn = async {
            let _turn = self.owner_turns.wait(owner).await;
            showing(&self.audit_watchers, attempts(&self.connections, work)).await
        };
        within_deadline(in_turn).await
    }
}

async fn attempts<W: Work>(connections: &Connections, work: &W) -> Result<W::Answer, StoreError> {
    attempts_on(connections, work).await.map_err(StoreError::from)
}

/// Attempts the work until it succeeds or another attempt cannot help. The caller limits the time.
pub(crate) async fn attempts_on<W: Work>(connections: &Connections, work: &W) -> Result<W::Answer, Failure> {
    let mut failed = Failed::default();
    loop {
        let attempted = Attempted::on(connections.lease().await?, connections.runtime());
        forget_noted();
        let failure = match work.attempt(&attempted).await {
            Ok(answer) => {
                attempted.ended().give_back();
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        let connection = clear_up(connections, attempted, &failure).await;
        if !failed.count(&failure, connection) {
            return Err(failure);
        }
        tokio::time::sleep(failed.backoff()).await;
    }
}

/// Ends the transaction that the attempt may have left open. If the connection is lost, leads to the wrong server or has
/// another session, closes it and all idle connections, because they are likely to be in the same state.
async fn clear_up(connections: &Connections, attempted: Attempted, failure: &Failure) -> Connection {
    let is_usable = !failure.is_read_only() && !failure.names_a_statement();
    if is_usable && attempted.roll_back().await.is_ok() {
        attempted.ended().give_back();
        return Connection::Returned;
    }
    drop(attempted.ended());
    connections.close_idle();
    Connection::Closed
}

/// Ends a call that takes longer than [`DEADLINE`].
pub(crate) async fn within_deadline<T>(call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let late = |_| Err(StoreError::Unavailable("Postgres did not answer in time".into()));
    tokio::time::timeout(DEADLINE, call).await.unwrap_or_else(late)
}
