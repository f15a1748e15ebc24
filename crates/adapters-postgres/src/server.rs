use std::sync::Arc;
use std::time::Duration;

use diesel_async::AsyncPgConnection;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::hosts::Hosts;
use crate::server_session::{self, ConnectError, with_sources};

/// How long opening a connection may take, name resolution and handshakes included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const LATE: &str = "the server did not answer in time";
/// How long to wait until one of several hosts accepts a connection.
const HOST_CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long sent data may stay unacknowledged before the socket is closed.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(4);
/// A dead peer of an idle socket is noticed after 5 s and two probes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
const KEEPALIVE_RETRIES: u32 = 2;

/// Options of libpq that the driver does not support. An error names the option.
const UNSUPPORTED_OPTIONS: [&str; 8] =
    ["sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl", "passfile", "service", "gssencmode"];

/// Why the store cannot be set up. Contains nothing of the URL, which may have a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The string is not a connection URL.
    #[error("the database URL is not valid: {reason}")]
    InvalidUrl {
        /// The cause, without any part of the URL.
        reason: String,
    },
    /// The system has no certificate authorities, so certificates of servers cannot be verified.
    #[error(
        "cannot load the certificate authorities of the system, which TLS requires: install them, name a PEM file in \
         SSL_CERT_FILE, or, on a network that you trust, set sslmode=disable"
    )]
    NoCertificateAuthorities(#[source] rustls::Error),
    /// The pool cannot be created.
    #[error("cannot create the connection pool")]
    Pool(#[source] deadpool::managed::BuildError),
}

/// What a connection is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Calls: the server cancels them early, so that no work continues for a refused caller. Every statement has indexes
    /// for all that it reads. The planner must use them, also if it last saw the tables empty: a list beside a backlog
    /// took 4 s. See decision 38.
    Calls,
    /// [`Purpose::Calls`] on the queue of webhooks. Its tables are empty at one moment and have millions of rows at the
    /// next, so the planner's statistics, and plans from them, are useless. Every statement there has one good plan,
    /// which uses the indexes row by row and is made once. See decision 38.
    Queue,
    /// Migrations: they may take long, but must not block all other sessions while they wait for a lock.
    Migrations,
}

impl Purpose {
    const fn settings(self) -> &'static str {
        match self {
            Self::Calls => {
                "SET statement_timeout = 3000; SET lock_timeout = 2500; SET idle_in_transaction_session_timeout = 3000;
                 SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
                 SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off"
            }
            Self::Queue => {
                "SET statement_timeout = 3000; SET lock_timeout = 2500; SET idle_in_transaction_session_timeout = 3000;
                 SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
                 SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off"
            }
            Self::Migrations => "SET statement_timeout = 0; SET lock_timeout = 10000",
        }
    }
}

/// The hosts of the database and the TLS settings. Connections go to the host that accepts writes.
#[derive(Clone)]
pub(crate) struct Server {
    hosts: Hosts,
    tls: Option<MakeRustlsConnect>,
}

impl Server {
    pub(crate) fn parse(url: &str) -> Result<Self, OpenError> {
        let mut config = parse_url(url)?;
        if config.get_target_session_attrs() == TargetSessionAttrs::ReadOnly {
            return Err(invalid(
                "target_session_attrs=read-only selects read-only servers, but Gatepost needs to write",
            ));
        }
        if config.get_application_name().is_none() {
            config.application_name("gatepost");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(HOST_CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        config.keepalives_idle(KEEPALIVE_IDLE);
        config.keepalives_interval(KEEPALIVE_INTERVAL);
        config.keepalives_retries(KEEPALIVE_RETRIES);
        let hosts = Hosts::of(&config)
            .ok_or_else(|| invalid("it has no host, or the numbers of hosts, addresses and ports differ"))?;
        Ok(Self { hosts, tls: tls(config.get_ssl_mode())? })
    }

    /// Opens a connection to the first server that is not a standby. The runtime of the calling task drives the
    /// connection from then on. A standby may be behind without limit: a revoked key would stay good there.
    pub(crate) async fn connect(&self, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError> {
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, self.connect_to_any(purpose)).await;
        connected.unwrap_or_else(|_| Err(ConnectError::Other(LATE.to_owned())))
    }

    /// Opens two connections, one after the other. A pooler that shares sessions gives the second one the session of
    /// the first, or has changed the first one's session by its second statement.
    pub(crate) async fn check_sessions(&self) -> Result<(), ConnectError> {
        for _ in 0..2 {
            drop(self.connect(Purpose::Calls).await?);
        }
        Ok(())
    }

    async fn connect_to_any(&self, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError> {
        let candidates = self.hosts.candidates().await.map_err(|error| ConnectError::Other(with_sources(&error)))?;
        // A server that accepts connections but never answers must leave time for the other servers.
        let share = CONNECT_TIMEOUT / u32::try_from(candidates.len()).unwrap_or(u32::MAX).max(1);
        let mut refusals = Vec::new();
        for candidate in candidates {
            match tokio::time::timeout(share, self.connect_to(&candidate.config, purpose)).await {
                Ok(Ok(connection)) => {
                    self.hosts.prefer(&candidate);
                    return Ok(connection);
                }
                Ok(Err(ConnectError::SharedSession)) => return Err(ConnectError::SharedSession),
                Ok(Err(error)) => refusals.push(error.to_string()),
                Err(_) => refusals.push(LATE.to_owned()),
            }
        }
        refusals.dedup();
        Err(ConnectError::Other(refusals.join("; ")))
    }

    async fn connect_to(&self, config: &Config, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError> {
        match &self.tls {
            Some(tls) => connect_with(config, tls.clone(), purpose).await,
            None => connect_with(config, NoTls, purpose).await,
        }
    }
}

async fn connect_with<Tls>(config: &Config, tls: Tls, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError>
where
    Tls: MakeTlsConnect<Socket, Stream: Send + 'static, TlsConnect: TlsConnect<Socket, Future: Send> + Send>,
{
    let (client, mut connection) = config.connect(tls).await.map_err(ConnectError::Driver)?;
    server_session::begin(&client, &mut connection, purpose.settings()).await?;
    let connection = AsyncPgConnection::try_from_client_and_connection(client, connection).await;
    connection.map_err(|error| ConnectError::Other(error.to_string()))
}

fn parse_url(url: &str) -> Result<Config, OpenError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(invalid("it does not start with postgres://"));
    }
    let (address, options) = url.rsplit_once('?').unwrap_or((url, ""));
    let options: Vec<&str> = options.split('&').map(always_verified).collect();
    if let Some(option) =
        UNSUPPORTED_OPTIONS.iter().find(|name| options.iter().any(|o| o.split('=').next() == Some(name)))
    {
        return Err(invalid(format!("the option {option} is not supported")));
    }
    // The driver's message may quote a part of the password.
    format!("{address}?{}", options.join("&")).parse().map_err(|_| invalid("it is malformed or has an unknown option"))
}

/// The driver does not support `verify-...`: it leaves verification to the TLS library, which always verifies here.
fn always_verified(option: &str) -> &str {
    if matches!(option, "sslmode=verify-full" | "sslmode=verify-ca") { "sslmode=require" } else { option }
}

fn tls(mode: SslMode) -> Result<Option<MakeRustlsConnect>, OpenError> {
    if mode == SslMode::Disable {
        return Ok(None);
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier);
    match config {
        Ok(config) => Ok(Some(MakeRustlsConnect::new(config.with_no_client_auth()))),
        // An error with `prefer` too: an attacker could cause a silent fallback to plain text.
        Err(error) => Err(OpenError::NoCertificateAuthorities(error)),
    }
}

fn invalid(reason: impl Into<String>) -> OpenError {
    OpenError::InvalidUrl { reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str) -> Option<String> {
        Server::parse(url).err().map(|error| error.to_string())
    }

    #[test]
    fn every_sslmode_of_libpq_that_encrypts_is_accepted() {
        let mode = |url: &str| parse_url(url).unwrap().get_ssl_mode();
        assert_eq!(mode("postgres://u@h/d"), SslMode::Prefer);
        assert_eq!(mode("postgresql://u@h/d?sslmode=disable"), SslMode::Disable);
        for required in ["require", "verify-ca", "verify-full"] {
            assert_eq!(mode(&format!("postgres://u@h/d?application_name=x&sslmode={required}")), SslMode::Require);
        }
    }

    #[test]
    fn errors_name_the_cause_and_contain_no_password() {
        for url in [
            "",
            "sqlite://gatepost.db",
            "postgres://u:hunter2@h:port/d",
            "postgres://u:hunter2@h/d?sslmode=hunter2",
            "postgres://u:hunter2@h/d?sslrootcert=hunter2",
            "postgres://u:hunter2@h/d?hunter2",
            "postgres:///d",
            "postgres://u:hunter2@h,i/d?port=1,2,3",
            "postgres://u:hunter2@h/d?target_session_attrs=read-only",
        ] {
            let refusal = refusal(url).unwrap_or_else(|| panic!("{url} was accepted"));
            assert!(!refusal.contains("hunter2"), "{refusal}");
        }
        assert!(refusal("postgres://h/d?sslrootcert=x").unwrap().contains("sslrootcert"));
    }
}
