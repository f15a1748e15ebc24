//! The session behind a new connection: its settings, and whether it belongs to the connection alone.
//!
//! A pooler in transaction mode gives a connection another session for each transaction. Then settings, prepared
//! statements, notifications and locks end up in sessions that other connections use. So each connection leaves a mark in
//! its session. A session that already has a mark, or no longer has its own, is shared. See decision 93.

use std::fmt::Write;
use std::hash::{BuildHasher as _, RandomState};
use std::pin::pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{Client, Connection, Error, SimpleQueryMessage, SimpleQueryRow, Socket};

use crate::timelines::{TIMELINE, Timeline, Timelines, UNTOLD_TIMELINE};

/// `NULL` in a new session, empty after `DISCARD ALL`.
const MARK: &str = "current_setting('gatepost.session', true)";
/// Leaves a mark in a session that is known to be shared, so that other processes learn it sooner.
pub(crate) const MARK_AS_SHARED: &str = "set_config('gatepost.session', 'shared', false)";
const SCHEMA: &str = "current_setting('search_path')";
const CLOSED: &str = "the connection was closed";

/// Why a connection failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// Or a pooler keeps back the schema of the shard. In both cases each transaction makes its own settings.
    #[error("several connections share one session")]
    SharedSession,
    #[error(
        "the server is a pooler without transactions, as PgBouncer is with pool_mode=statement: use \
         pool_mode=transaction or pool_mode=session, or connect to Postgres itself"
    )]
    NoTransactions,
    #[error("the server is a standby")]
    Standby,
    #[error(
        "the server is a former primary: another server has been promoted since. After a restore from a backup, restart \
         Gatepost"
    )]
    Replaced,
    #[error("{}", with_sources(.0))]
    Driver(Error),
    #[error("{0}")]
    Other(String),
}

/// The requirements of a new session.
pub(crate) struct Wanted<'a> {
    /// Statements that make the settings.
    pub(crate) settings: &'a str,
    /// The schema that it was given when it began.
    pub(crate) schema: Option<&'a str>,
}

/// The first part of the marks of this process. It is random: a process id is the same in many containers.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(()));

/// The mark of one connection.
pub(crate) struct Mark(String);

impl Mark {
    fn new() -> Self {
        static CONNECTIONS: AtomicU64 = AtomicU64::new(0);
        Self(format!("{:x}.{}", *PROCESS, CONNECTIONS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Fails if the session has no longer this mark.
    async fn check(&self, client: &Client) -> Result<(), ConnectError> {
        let row = first_row(client, &format!("SELECT {MARK}")).await?;
        if row.get(0) == Some(self.0.as_str()) { Ok(()) } else { Err(ConnectError::SharedSession) }
    }
}

/// Drives the connection until the session has these settings and is known to be good.
pub(crate) async fn begin<Tls: TlsStream + Unpin>(
    client: &Client,
    connection: &mut Connection<Socket, Tls>,
    wanted: Wanted<'_>,
    timelines: &Timelines,
) -> Result<Mark, ConnectError> {
    let mark = Mark::new();
    driven(connection, mark_and_check(client, &mark, wanted, timelines)).await?;
    Ok(mark)
}

/// Drives the connection until it is known whether its session still has the mark.
pub(crate) async fn check_again<Tls: TlsStream + Unpin>(
    client: &Client,
    connection: &mut Connection<Socket, Tls>,
    mark: &Mark,
) -> Result<(), ConnectError> {
    driven(connection, mark.check(client)).await
}

/// Drives the connection while this work uses it. If the connection ends before the work has its answer, the error of the
/// connection is the answer.
pub(crate) async fn driven<Stream: AsyncRead + AsyncWrite + Unpin, Tls: TlsStream + Unpin>(
    connection: &mut Connection<Stream, Tls>,
    work: impl Future<Output = Result<(), ConnectError>>,
) -> Result<(), ConnectError> {
    let mut work = pin!(work);
    let ended = tokio::select! {
        outcome = &mut work => return outcome,
        ended = connection => ended,
    };
    // A pooler may send an error and close the connection at once, so that both arrive together.
    let answered = work.now_or_never();
    let closed = || Err(ended.err().map_or_else(|| ConnectError::Other(CLOSED.to_owned()), ConnectError::Driver));
    answered.unwrap_or_else(closed)
}

async fn mark_and_check(
    client: &Client,
    mark: &Mark,
    wanted: Wanted<'_>,
    timelines: &Timelines,
) -> Result<(), ConnectError> {
    let Wanted { settings, schema } = wanted;
    let first = |timeline: &str| {
        format!("SELECT {timeline}, {MARK}, {SCHEMA}; SET gatepost.session = '{}'; {settings}", mark.0)
    };
    let row = admitted_row(client, timelines, first).await?;
    let has_mark = !row.get(1).unwrap_or_default().is_empty();
    // A pooler may take the parameter and ignore it. Then the tables of all shards would be the same.
    let lacks_schema = schema.is_some() && row.get(2) != schema;
    if has_mark || lacks_schema {
        return Err(ConnectError::SharedSession);
    }
    mark.check(client).await
}

/// Fails if the server on this connection is not the primary.
pub(crate) async fn check_timeline(client: &Client, timelines: &Timelines) -> Result<(), ConnectError> {
    admitted_row(client, timelines, |timeline| format!("SELECT {timeline}")).await.map(drop)
}

/// The first row of these statements, which begins with the timeline. Fails if the server is not the primary. A server
/// that does not tell its timeline is the primary if it is not in recovery. See decision 95.
async fn admitted_row(
    client: &Client,
    timelines: &Timelines,
    statements: impl Fn(&str) -> String,
) -> Result<SimpleQueryRow, ConnectError> {
    let told = if timelines.are_refused() { None } else { Some(first_row(client, &statements(TIMELINE)).await) };
    let row = match told {
        Some(Err(ConnectError::Driver(refusal))) if is_refusal(&refusal) => {
            let row = first_row(client, &statements(UNTOLD_TIMELINE)).await?;
            timelines.refuse(&with_sources(&refusal));
            row
        }
        Some(outcome) => outcome?,
        None => first_row(client, &statements(UNTOLD_TIMELINE)).await?,
    };
    let timeline = row.get(0).and_then(Timeline::parse).ok_or(ConnectError::Standby)?;
    if timelines.admit(timeline) { Ok(row) } else { Err(ConnectError::Replaced) }
}

/// Whether the server lacks a function, does not support it, forbids the role to call it, or is not set up for it. It
/// answers with an error of these classes each time.
fn is_refusal(error: &Error) -> bool {
    let class = error.code().and_then(|code| code.code().get(..2));
    matches!(class, Some("0A" | "42" | "55"))
}

async fn first_row(client: &Client, statements: &str) -> Result<SimpleQueryRow, ConnectError> {
    let messages = client.simple_query(statements).await.map_err(ConnectError::Driver)?;
    let row = messages.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    row.ok_or_else(|| ConnectError::Other("the server returned no row".to_owned()))
}

/// Adds the sources of the driver's error to its message, because diesel's error drops the sources.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
    use tokio_postgres::error::SqlState;
    use tokio_postgres::{Config, NoTls};

    use super::*;

    /// Accepts a connection, answers a query with an error, and closes the connection, as PgBouncer does with
    /// `pool_mode=statement`.
    async fn refuse(mut server: DuplexStream) {
        let mut request = [0; 1024];
        assert!(server.read(&mut request).await.unwrap() > 0);
        server.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").await.unwrap();
        assert!(server.read(&mut request).await.unwrap() > 0);
        server.write_all(b"E\0\0\0\x17SFATAL\0C08P01\0Mno\0\0").await.unwrap();
    }

    #[tokio::test]
    async fn an_error_is_not_lost_if_the_connection_ends_with_it() {
        let (stream, server) = tokio::io::duplex(1024);
        let server = tokio::spawn(refuse(server));
        let (client, mut connection) = Config::new().user("u").connect_raw(stream, NoTls).await.unwrap();
        let work = async { first_row(&client, "BEGIN").await.map(drop) };
        let outcome = driven(&mut connection, work).await;
        let Err(ConnectError::Driver(error)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(error.code(), Some(&SqlState::PROTOCOL_VIOLATION), "{error}");
        server.await.unwrap();
    }
}
