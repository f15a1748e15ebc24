//! The settings of the service, and where each value came from.
//!
//! [`settings::settings`] is the one table of them: parsing, `gatepost config` and `docs/configuration.md` use it. A
//! value comes from the environment, or else from the file, or else is the default.

mod database_url;
mod environment;
mod file;
mod given;
mod http_settings;
mod load;
mod operator_webhook_settings;
mod portal_settings;
mod problem;
mod reference;
mod settings;
mod sign_in_settings;
mod tls_settings;
mod trace_settings;
mod verification_settings;
mod warning;
mod webhook_settings;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use adapters_http::{HttpLimits, OperatorTokens, PORTAL_COOKIE};
use adapters_oidc::OperatorClaim;
use adapters_system::{AuditDestination, EncryptionKey, LogFilter, LogSettings, Secret};
use adapters_web::PortalSettings;
use cli::WebAddress;
use domain::audit::AuditRetention;
use domain::webhooks::{PauseLengths, WebhookPolicy};
use domain::{KeyPolicy, RateLimit};
use ipnet::IpNet;
use verifier::VerifierSettings;

pub(crate) use database_url::{DatabaseUrl, without_password};
pub(crate) use environment::Environment;
pub(crate) use load::{Effective, Loaded, in_environment, load};
use operator_webhook_settings::OperatorWebhookConfiguration;
pub(crate) use problem::{InvalidConfiguration, Problem};
pub(crate) use reference::reference_page;
pub(crate) use settings::{SHARDS_MAX, operator_token};
pub(crate) use tls_settings::TlsConfiguration;
pub(crate) use trace_settings::TraceConfiguration;
pub(crate) use warning::Warning;

/// 100 calls a second for as long as a user likes, and 6,000 at once.
const USER_RATE_LIMIT_DEFAULT: &str = "6000/m";
/// A person who clicks needs less; a program repeats many deliveries with one recovery.
const MANUAL_SEND_LIMIT_DEFAULT: &str = "60/m";
/// Enough for a client that retries with an expired token.
const CREDENTIAL_FAILURE_LIMIT_DEFAULT: &str = "100/m";

/// Every setting, parsed. Only its [`Default`] states the defaults.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    /// `DATABASE_URL`
    pub(crate) database_url: DatabaseUrl,
    /// `DATABASE_SHARDS`
    pub(crate) database_shards: u16,
    /// `DATABASE_POOL_SIZE`
    pub(crate) database_pool_size: usize,
    /// `LISTEN`
    pub(crate) listen: SocketAddr,
    /// `TLS_CERT` and `TLS_KEY`
    pub(crate) tls: TlsConfiguration,
    /// `METRICS_LISTEN`; `None` means no metrics.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// `PUBLIC_URL`; `None` means the address of the listener.
    pub(crate) public_url: Option<WebAddress>,
    /// `OIDC_ISSUER`, byte for byte: the `iss` of every token must equal it.
    pub(crate) oidc_issuer: Option<String>,
    /// `OIDC_AUDIENCE`
    pub(crate) oidc_audiences: Vec<String>,
    /// `OIDC_CLIENT_ID`; empty accepts the tokens of every client.
    pub(crate) oidc_client_ids: Vec<String>,
    /// `OIDC_CLIENT_SECRET`
    pub(crate) oidc_client_secret: Option<Secret>,
    /// `OIDC_CLI_CLIENT_ID`; `None` means that command lines cannot sign in.
    pub(crate) oidc_cli_client_id: Option<String>,
    /// `OPERATORS`: their subjects.
    pub(crate) operators: Vec<String>,
    /// `OPERATOR_CLAIM`
    pub(crate) operator_claim: Option<OperatorClaim>,
    /// `API_KEYS_*`, `API_KEY_PREFIX` and `API_KEY_PREFIX_LENGTH`
    pub(crate) key_policy: KeyPolicy,
    /// `OPERATOR_TOKEN`
    pub(crate) operator_token: Option<Secret>,
    /// `OPERATOR_TOKENS`
    pub(crate) operator_tokens: OperatorTokens,
    /// `AUDIT_RETENTION_DAYS`
    pub(crate) audit_retention: AuditRetention,
    /// `AUDIT_LOG`; `None` means no copy.
    pub(crate) audit_log: Option<AuditDestination>,
    /// `ENCRYPTION_KEY`: the first key encrypts, every key decrypts.
    pub(crate) encryption_keys: Vec<EncryptionKey>,
    /// `RATE_LIMIT`, `KEY_CACHE_SIZE`, `KEY_CACHE_MAX_AGE` and `VERIFY_WHEN_STALE`
    pub(crate) verifier: VerifierSettings,
    /// `USER_RATE_LIMIT`: of each user; `None` means no limit.
    pub(crate) user_rate_limit: Option<RateLimit>,
    /// `MANUAL_SEND_LIMIT`: of each user; `None` means no limit.
    pub(crate) manual_send_limit: Option<RateLimit>,
    /// `CREDENTIAL_FAILURE_LIMIT`: of each client address; `None` means no limit.
    pub(crate) credential_failure_limit: Option<RateLimit>,
    /// `KEEP_ALIVE_SECONDS`
    pub(crate) keep_alive: Duration,
    /// `MAX_CONNECTIONS`
    pub(crate) connections_max: usize,
    /// `MAX_CONNECTIONS_PER_ADDRESS`
    pub(crate) connections_per_address_max: usize,
    /// `CONSOLE`
    pub(crate) console: bool,
    /// `PORTAL_*`
    pub(crate) portal: PortalSettings,
    /// `CORS_ORIGINS`
    pub(crate) cors_origins: Vec<String>,
    /// `TRUSTED_PROXIES`
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// `WEBHOOK_*` and `DISPATCH`
    pub(crate) webhooks: WebhookConfiguration,
    /// `OPERATOR_WEBHOOK_*`
    pub(crate) operator_webhook: OperatorWebhookConfiguration,
    /// `OTEL_*`
    pub(crate) traces: TraceConfiguration,
    /// `MIGRATE`
    pub(crate) migrate: bool,
    /// `LOG`, `LOG_FORMAT` and `NO_COLOR`
    pub(crate) logs: LogSettings,
}

impl Configuration {
    /// Whether people who sign in can be operators.
    pub(crate) fn operators_sign_in(&self) -> bool {
        self.operator_claim.is_some() || !self.operators.is_empty()
    }

    /// All tokens of operators: `OPERATOR_TOKEN` has all scopes.
    pub(crate) fn all_operator_tokens(&self) -> OperatorTokens {
        let named = self.operator_tokens.clone();
        self.operator_token.iter().fold(named, |tokens, token| tokens.and_admin(token.expose()))
    }

    /// Where clients on this machine find the service.
    pub(crate) fn address(&self) -> WebAddress {
        self.address_at(self.listen)
    }

    /// What is wrong with the number of shards for this database.
    fn shards_problem(&self) -> Option<Problem> {
        let rule = self.database_url.misfit(self.database_shards)?;
        let rule = format!("DATABASE_URL names {rule}");
        Some(Problem::NotForThisCommand { name: "DATABASE_SHARDS", shown: self.database_shards.to_string(), rule })
    }

    /// The same, if the service listens at `address`.
    pub(crate) fn address_at(&self, address: SocketAddr) -> WebAddress {
        let scheme = if self.tls.is_on() { "https" } else { "http" };
        self.public_url.clone().unwrap_or_else(|| WebAddress::of_listener(scheme, address))
    }
}

impl Default for Configuration {
    fn default() -> Self {
        let limits = HttpLimits::default();
        Self {
            database_url: DatabaseUrl::default(),
            database_shards: 1,
            database_pool_size: 16,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            tls: TlsConfiguration::default(),
            metrics_listen: Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9464)),
            public_url: None,
            oidc_issuer: None,
            oidc_audiences: Vec::new(),
            oidc_client_ids: Vec::new(),
            oidc_client_secret: None,
            oidc_cli_client_id: None,
            operators: Vec::new(),
            operator_claim: None,
            key_policy: KeyPolicy::default(),
            operator_token: None,
            operator_tokens: OperatorTokens::default(),
            audit_retention: AuditRetention::default(),
            audit_log: None,
            encryption_keys: Vec::new(),
            verifier: VerifierSettings::default(),
            user_rate_limit: USER_RATE_LIMIT_DEFAULT.parse().ok(),
            manual_send_limit: MANUAL_SEND_LIMIT_DEFAULT.parse().ok(),
            credential_failure_limit: CREDENTIAL_FAILURE_LIMIT_DEFAULT.parse().ok(),
            keep_alive: limits.keep_alive,
            connections_max: limits.connections_max,
            connections_per_address_max: limits.connections_per_address_max,
            console: true,
            portal: PortalSettings { cookie: PORTAL_COOKIE, ..PortalSettings::default() },
            cors_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            webhooks: WebhookConfiguration::default(),
            operator_webhook: OperatorWebhookConfiguration::default(),
            traces: TraceConfiguration::default(),
            migrate: true,
            logs: LogSettings { filter: LogFilter::default(), format: None, colours: true, short_requests: false },
        }
    }
}

/// `WEBHOOK_*` and `DISPATCH`. Only its [`Default`] and that of the policy state their defaults.
#[derive(Clone, Debug)]
pub(crate) struct WebhookConfiguration {
    /// `DISPATCH`
    pub(crate) dispatch: bool,
    /// `WEBHOOK_ALLOW_HTTP`
    pub(crate) allow_http: bool,
    /// `WEBHOOK_ALLOWED_NETWORKS`
    pub(crate) allowed_networks: Vec<IpNet>,
    /// `WEBHOOK_TIMEOUT_SECONDS`
    pub(crate) timeout: Duration,
    /// `WEBHOOK_CONCURRENCY`
    pub(crate) concurrency: u32,
    /// How long a subscription pauses after failures. No setting: `dev` has shorter pauses than `serve`.
    pub(crate) pauses: PauseLengths,
    /// `WEBHOOK_TRACEPARENT`
    pub(crate) traceparent: bool,
    /// `WEBHOOK_MAX_SUBSCRIPTIONS`, `WEBHOOK_MAX_PAYLOAD_BYTES`, `WEBHOOK_RETENTION_DAYS` and `WEBHOOK_RETRY_SCHEDULE`
    pub(crate) policy: WebhookPolicy,
}

impl Default for WebhookConfiguration {
    fn default() -> Self {
        Self {
            dispatch: true,
            allow_http: false,
            allowed_networks: Vec::new(),
            timeout: Duration::from_secs(15),
            concurrency: 512,
            pauses: PauseLengths::default(),
            traceparent: true,
            policy: WebhookPolicy::default(),
        }
    }
}
