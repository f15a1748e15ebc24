use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diesel_async::AsyncPgConnection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::sync::OnceCell;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Connection, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::hosts::Hosts;
use crate::server_session::{self, ConnectError, Mark, Wanted, with_sources};
use crate::shared_session;
use crate::timelines::Timelines;

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

/// Why the store cannot be set up. Contains no part of the URL, which may have a password.
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

/// Citus cannot plan an `INSERT … SELECT` without a table before it has the values. See decision 120.
const PLANNED_ONCE: &str =
    "CASE WHEN current_setting('citus.version', true) IS NULL THEN 'force_generic_plan' ELSE 'auto' END";

/// The purpose of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Calls: the server cancels them early, so that no work continues for a refused caller. Every statement has
    /// indexes for all its reads. The planner must use them, even if it last saw the tables empty: otherwise a list
    /// took 4 s during a backlog. See decision 38.
    Calls,
    /// [`Purpose::Calls`] on the queue of webhooks. Its tables are empty at one moment and have millions of rows at the
    /// next, so the planner's statistics, and plans from them, are useless. Every statement there has one good plan,
    /// which uses the indexes row by row and is made once. See decision 38.
    Queue,
    /// Migrations: they may take long, but must not block all other sessions while they wait for a lock.
    Migrations,
}

/// A setting of a session: its name and its value.
type Setting<'a> = (&'a str, &'a str);

impl Purpose {
    const fn settings(self) -> &'static [Setting<'static>] {
        match self {
            Self::Calls => &[
                ("statement_timeout", "3000"),
                ("lock_timeout", "2500"),
                ("idle_in_transaction_session_timeout", "3000"),
                ("enable_seqscan", "off"),
                ("enable_hashjoin", "off"),
                ("enable_mergejoin", "off"),
                ("enable_bitmapscan", "off"),
                ("enable_sort", "off"),
                ("jit", "off"),
            ],
            Self::Queue => &[
                ("statement_timeout", "3000"),
                ("lock_timeout", "2500"),
                ("idle_in_transaction_session_timeout", "3000"),
                ("enable_seqscan", "off"),
                ("enable_hashjoin", "off"),
                ("enable_mergejoin", "off"),
                ("enable_bitmapscan", "off"),
                ("jit", "off"),
            ],
            Self::Migrations => &[("statement_timeout", "0"), ("lock_timeout", "10000")],
        }
    }

    /// An expression for `plan_cache_mode`, where it is not the server's default.
    const fn plan_mode(self) -> Option<&'static str> {
        match self {
            Self::Queue => Some(PLANNED_ONCE),
            Self::Calls | Self::Migrations => None,
        }
    }

    /// How long a pooler may take to answer: longer than every timeout of the server.
    const fn patience(self) -> Option<Duration> {
        match self {
            Self::Calls | Self::Queue => Some(Duration::from_secs(10)),
            Self::Migrations => None,
        }
    }
}

/// The hosts of the database and the TLS settings. Connections go to the host that accepts writes.
#[derive(Clone)]
pub(crate) struct Server {
    hosts: Hosts,
    way: Way,
    sessions: Arc<Sessions>,
}

/// The common settings of all connections of the process.
#[derive(Clone)]
struct Way {
    tls: Option<MakeRustlsConnect>,
    timelines: Arc<Timelines>,
    /// The schema of the shard: connections find and make tables there only.
    schema: Option<Arc<str>>,
}

/// The findings about the sessions behind the connections. See decision 93.
#[derive(Default)]
struct Sessions {
    are_probed: OnceCell<()>,
    /// Never becomes false again.
    are_shared: AtomicBool,
}

type Opening<'a, T> = BoxFuture<'a, Result<T, ConnectError>>;

/// An open connection.
pub(crate) struct Opened {
    pub(crate) connection: AsyncPgConnection,
    /// The [`Server::generation`] before it was opened.
    pub(crate) generation: u64,
}

impl Server {
    /// With a schema, connections find and make tables there only.
    pub(crate) fn parse(url: &str, schema: Option<&str>) -> Result<Self, OpenError> {
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
        let way = Way { tls: tls(config.get_ssl_mode())?, timelines: Arc::default(), schema: schema.map(Arc::from) };
        Ok(Self { hosts, way, sessions: Arc::default() })
    }

    /// Opens a connection to the first server that is neither a standby nor a former primary. The runtime of the calling
    /// task drives the connection from then on. A standby may be behind without limit: a revoked key would stay good
    /// there. So may a former primary. See decision 95.
    pub(crate) async fn open(&self, purpose: Purpose) -> Result<Opened, ConnectError> {
        let opened = tokio::time::timeout(CONNECT_TIMEOUT, self.open_as_needed(purpose)).await;
        opened.unwrap_or_else(|_| Err(ConnectError::Other(LATE.to_owned())))
    }

    /// The connection of [`Self::open`].
    pub(crate) async fn connect(&self, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError> {
        self.open(purpose).await.map(|opened| opened.connection)
    }

    /// The timelines of the servers to which connections have led.
    pub(crate) fn timelines(&self) -> Arc<Timelines> {
        Arc::clone(&self.way.timelines)
    }

    /// Whether a pooler gives each transaction another session. Known when a connection was opened.
    pub(crate) fn shares_sessions(&self) -> bool {
        self.sessions.are_shared.load(Ordering::Acquire)
    }

    /// Increases when earlier connections become useless: the server was replaced, or sessions are found to be shared.
    pub(crate) fn generation(&self) -> u64 {
        self.way.timelines.promotions() + u64::from(self.shares_sessions())
    }

    /// Opens a connection, and closes it.
    pub(crate) async fn check(&self) -> Result<(), ConnectError> {
        self.connect(Purpose::Calls).await.map(drop)
    }

    async fn open_as_needed(&self, purpose: Purpose) -> Result<Opened, ConnectError> {
        self.sessions.are_probed.get_or_try_init(|| self.probe()).await?;
        if !self.shares_sessions() {
            let (generation, way) = (self.generation(), self.way.clone());
            let opened = self.at_first_host(&move |config| connect_to(config, way.clone(), purpose).boxed()).await;
            if !matches!(opened, Err(ConnectError::SharedSession)) {
                return opened.map(|connection| Opened { connection, generation });
            }
            self.sessions.are_shared.store(true, Ordering::Release);
        }
        let (generation, way) = (self.generation(), self.way.clone());
        let opened = self.at_first_host(&move |config| connect_to_shared(config, way.clone(), purpose).boxed()).await;
        opened.map(|connection| Opened { connection, generation })
    }

    async fn probe(&self) -> Result<(), ConnectError> {
        let way = self.way.clone();
        match self.at_first_host(&move |config| probe(config, way.clone()).boxed()).await {
            Err(ConnectError::SharedSession) => self.sessions.are_shared.store(true, Ordering::Release),
            outcome => outcome?,
        }
        Ok(())
    }

    /// Opens something at the first host that can be used.
    async fn at_first_host<T>(
        &self,
        open: &(dyn for<'a> Fn(&'a Config) -> Opening<'a, T> + Sync),
    ) -> Result<T, ConnectError> {
        let candidates = self.hosts.candidates().await.map_err(|error| ConnectError::Other(with_sources(&error)))?;
        // A server that accepts connections but never answers must leave time for the other servers.
        let share = CONNECT_TIMEOUT / u32::try_from(candidates.len()).unwrap_or(u32::MAX).max(1);
        let mut refusals = Vec::new();
        for candidate in candidates {
            match tokio::time::timeout(share, open(&candidate.config)).await {
                Ok(Ok(opened)) => {
                    self.hosts.prefer(&candidate);
                    return Ok(opened);
                }
                Ok(Err(error @ (ConnectError::SharedSession | ConnectError::NoTransactions))) => return Err(error),
                Ok(Err(error)) => refusals.push(error.to_string()),
                Err(_) => refusals.push(LATE.to_owned()),
            }
        }
        refusals.dedup();
        Err(ConnectError::Other(refusals.join("; ")))
    }
}

/// Opens a connection with a separate session.
async fn connect_to(config: &Config, way: Way, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError> {
    match way.tls.clone() {
        Some(tls) => connect_with(config, tls, purpose, &way).await,
        None => connect_with(config, NoTls, purpose, &way).await,
    }
}

async fn connect_to_shared(config: &Config, way: Way, purpose: Purpose) -> Result<AsyncPgConnection, ConnectError> {
    let schema = way.schema.as_deref().map(|schema| ("search_path", schema));
    let settings = purpose.settings().iter().copied().chain(schema).map(|(name, value)| (name, format!("'{value}'")));
    let plan_mode = purpose.plan_mode().map(|mode| ("plan_cache_mode", mode.to_owned()));
    let settings: Vec<(&str, String)> = settings.chain(plan_mode).collect();
    shared_session::connect(config, way.tls, &settings, purpose.patience(), &way.timelines).await
}

async fn connect_with<Tls>(
    config: &Config,
    tls: Tls,
    purpose: Purpose,
    way: &Way,
) -> Result<AsyncPgConnection, ConnectError>
where
    Tls: MakeTlsConnect<Socket, Stream: Send + 'static, TlsConnect: TlsConnect<Socket, Future: Send> + Send>,
{
    let settings = purpose.settings().iter().map(|(name, value)| format!("SET {name} = {value}"));
    let plan_mode = purpose.plan_mode().map(|mode| format!("SELECT set_config('plan_cache_mode', {mode}, false)"));
    let settings: Vec<String> = settings.chain(plan_mode).collect();
    let (client, connection, _) = begin(config, tls, &settings.join("; "), way).await?;
    let connection = AsyncPgConnection::try_from_client_and_connection(client, connection).await;
    connection.map_err(|error| ConnectError::Other(error.to_string()))
}

/// Fails if connections share sessions.
async fn probe(config: &Config, way: Way) -> Result<(), ConnectError> {
    match way.tls.clone() {
        Some(tls) => probe_with(config, tls, &way).await,
        None => probe_with(config, NoTls, &way).await,
    }
}

/// Opens two connections. A pooler that shares sessions gives the second one the session of the first, or another one
/// that a process has marked, or the first one another session later.
async fn probe_with<Tls>(config: &Config, tls: Tls, way: &Way) -> Result<(), ConnectError>
where
    Tls: MakeTlsConnect<Socket, Stream: Send + 'static, TlsConnect: TlsConnect<Socket, Future: Send> + Send> + Clone,
{
    let (client, mut connection, mark) = begin(config, tls.clone(), "", way).await?;
    let _second = begin(config, tls, "", way).await?;
    server_session::check_again(&client, &mut connection, &mark).await
}

/// Opens a connection with a session that has these settings. The schema is a parameter of its start, so no
/// statement resets it.
async fn begin<Tls>(
    config: &Config,
    tls: Tls,
    settings: &str,
    way: &Way,
) -> Result<(Client, Connection<Socket, Tls::Stream>, Mark), ConnectError>
where
    Tls: MakeTlsConnect<Socket, Stream: Send + 'static, TlsConnect: TlsConnect<Socket, Future: Send> + Send>,
{
    let mut config = config.clone();
    if let Some(schema) = way.schema.as_deref() {
        let before = config.get_options().map(|options| format!("{options} ")).unwrap_or_default();
        config.options(format!("{before}-c search_path={schema}"));
    }
    let (client, mut connection) = config.connect(tls).await.map_err(|error| way.not_connected(error))?;
    let wanted = Wanted { settings, schema: way.schema.as_deref() };
    let mark = server_session::begin(&client, &mut connection, wanted, &way.timelines).await?;
    Ok((client, connection, mark))
}

impl Way {
    /// A pooler may refuse the schema as a parameter, as PgBouncer does. Each transaction can still set it.
    fn not_connected(&self, error: tokio_postgres::Error) -> ConnectError {
        match error.code() {
            Some(code) if *code == SqlState::PROTOCOL_VIOLATION && self.schema.is_some() => ConnectError::SharedSession,
            _ => ConnectError::Driver(error),
        }
    }
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
        Server::parse(url, None).err().map(|error| error.to_string())
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
