//! The session behind a new connection: its settings, and whether it belongs to the connection alone.
//!
//! A pooler in transaction mode gives a connection another session for each transaction. Then settings, prepared
//! statements, notifications and the lock of migrations end up in sessions that other connections use. So each
//! connection leaves a mark in its session. A session that already has a mark, or no longer has its own, is shared. See
//! decision 58.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::ConnectionError;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{Client, Connection, Error, SimpleQueryMessage, SimpleQueryRow, Socket};

/// `NULL` in a new session, empty after `DISCARD ALL`.
const MARK: &str = "current_setting('gatepost.session', true)";
const CLOSED: &str = "the connection was closed";

/// Why a connection failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error(
        "the server is a pooler that lets several connections share one session, as PgBouncer does with \
         pool_mode=transaction: use pool_mode=session, or connect to Postgres itself"
    )]
    SharedSession,
    #[error("the server is a standby")]
    Standby,
    #[error("{}", with_sources(.0))]
    Driver(Error),
    #[error("{0}")]
    Other(String),
}

impl From<ConnectError> for ConnectionError {
    fn from(error: ConnectError) -> Self {
        Self::BadConnection(error.to_string())
    }
}

/// Drives the connection until the session has these settings and is known to be good.
pub(crate) async fn begin<Tls: TlsStream + Unpin>(
    client: &Client,
    connection: &mut Connection<Socket, Tls>,
    settings: &str,
) -> Result<(), ConnectError> {
    static CONNECTIONS: AtomicU64 = AtomicU64::new(0);
    let mark = format!("{}.{}", std::process::id(), CONNECTIONS.fetch_add(1, Ordering::Relaxed));
    tokio::select! {
        outcome = mark_and_check(client, &mark, settings) => outcome,
        ended = connection => Err(ended.err().map_or_else(|| ConnectError::Other(CLOSED.to_owned()), ConnectError::Driver)),
    }
}

async fn mark_and_check(client: &Client, mark: &str, settings: &str) -> Result<(), ConnectError> {
    let first = format!("SELECT pg_is_in_recovery(), {MARK}; SET gatepost.session = '{mark}'; {settings}");
    let row = first_row(client, &first).await?;
    if row.get(0) == Some("t") {
        return Err(ConnectError::Standby);
    }
    let was_unmarked = row.get(1).unwrap_or_default().is_empty();
    let second = format!("SELECT {MARK}");
    let is_still_marked = first_row(client, &second).await?.get(0) == Some(mark);
    if was_unmarked && is_still_marked { Ok(()) } else { Err(ConnectError::SharedSession) }
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
