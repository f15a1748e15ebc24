//! Connections through a pooler that gives each transaction another session, as PgBouncer does in transaction mode.
//!
//! The driver prepares statements under names and keeps them, and expects settings to last. Neither survives in a
//! shared session. So a filter between the driver and the socket rewrites the protocol: the driver's statements stay in
//! this process, and each execution brings its statement along without a name, in the same round trip. Each transaction
//! begins with its settings. See decision 93.

mod answers;
mod requests;
mod socket;
mod stream;

use std::time::Duration;

use diesel_async::AsyncPgConnection;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::server_session::{self, ConnectError};
use crate::timelines::Timelines;
use stream::SharedStream;

/// Opens a connection on which each transaction has these settings: names, and expressions for their values. The runtime of the calling task drives it. It ends
/// when an answer takes longer than `patience`.
pub(crate) async fn connect(
    config: &Config,
    tls: Option<MakeRustlsConnect>,
    settings: &[(&str, String)],
    patience: Option<Duration>,
    timelines: &Timelines,
) -> Result<AsyncPgConnection, ConnectError> {
    let socket = socket::open(config, tls).await?;
    let stream = SharedStream::new(socket, begin_with(settings), patience);
    let mut config = config.clone();
    // The socket has its TLS already.
    config.ssl_mode(SslMode::Disable);
    let (client, mut connection) = config.connect_raw(stream, NoTls).await.map_err(ConnectError::Driver)?;
    let checks = async {
        check(&client).await?;
        server_session::check_timeline(&client, timelines).await
    };
    server_session::driven(&mut connection, checks).await?;
    tokio::spawn(connection);
    AsyncPgConnection::try_from(client).await.map_err(|error| ConnectError::Other(error.to_string()))
}

/// The statement with which each transaction begins. It fails on a standby: a pooler may lead to another server from one
/// transaction to the next.
fn begin_with(settings: &[(&str, String)]) -> String {
    let settings: Vec<String> =
        settings.iter().map(|(name, value)| format!("set_config('{name}', {value}, true)")).collect();
    format!(
        "SELECT {}, set_config('TimeZone', 'UTC', true), {}, 1 / (NOT pg_is_in_recovery())::int",
        settings.join(", "),
        server_session::MARK_AS_SHARED
    )
}

/// One transaction, in two round trips: a pooler that shares sessions between statements ends the connection.
async fn check(client: &Client) -> Result<(), ConnectError> {
    for statement in ["BEGIN", "COMMIT"] {
        client.batch_execute(statement).await.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::DIVISION_BY_ZERO => ConnectError::Standby,
            Some(code) if *code == SqlState::PROTOCOL_VIOLATION => ConnectError::NoTransactions,
            _ => ConnectError::Driver(error),
        })?;
    }
    Ok(())
}
