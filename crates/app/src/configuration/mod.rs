//! The settings of the service, and where each value came from.
//!
//! [`settings`] has the one table of them: parsing, `gatepost config` and `docs/configuration.md` use it. A value comes from
//! the environment, or else from the file, or else is the default.

mod checks;
mod database_url;
mod environment;
mod file;
mod given;
mod load;
mod problem;
mod settings;
mod warning;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use adapters_http::{HttpLimits, OperatorTokens, PORTAL_COOKIE, ScimSubject};
use adapters_oidc::{OperatorClaim, OrganizationClaims, TokenKind};
use adapters_otlp::{CollectorHeader, CollectorUrl};
use adapters_system::{AuditDestination, EncryptionKey, LogFilter, LogSettings, Secret};
use adapters_web::PortalSettings;
use cli::WebAddress;
use domain::audit::AuditRetention;
use domain::catalogue::UncataloguedTypes;
use domain::organizations::DefaultOwner;
use domain::sessions::SESSION_ROLE_AGE_MAX;
use domain::webhooks::{PauseLengths, SubscribedEvents, TargetUrl, WebhookPolicy, WebhookPolicySettings};
use domain::{KeyPolicy, KeyPolicySettings, RateLimit, SamplingRatio};
use ipnet::IpNet;
use verifier::VerifierSettings;

pub(crate) use database_url::{DatabaseUrl, without_password};
pub(crate) use environment::Environment;
pub(crate) use load::{Effective, Loaded, in_environment, load};
pub(crate) use problem::{InvalidConfiguration, Problem};
pub(crate) use settings::{SHARDS_MAX, operator_token, reference_page};
pub(crate) use warning::Warning;

/// 100 calls a second on average, and 6,000 at once.
const USER_RATE_LIMIT_DEFAULT: &str = "6000/m";
/// A person who clicks needs less. A program repeats many deliveries with one recovery.
const MANUAL_SEND_LIMIT_DEFAULT: &str = "60/m";
/// Enough for a client that retries with an expired token.
const CREDENTIAL_FAILURE_LIMIT_DEFAULT: &str = "100/m";

/// Every setting, parsed. Only its [`Default`] states the defaults.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
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
    /// `OIDC_TOKENS`
    pub(crate) oidc_tokens: Vec<TokenKind>,
    /// `OIDC_CLIENT_SECRET`
    pub(crate) oidc_client_secret: Option<Secret>,
    /// `OIDC_CLI_CLIENT_ID`; `None` means that command lines cannot sign in.
    pub(crate) oidc_cli_client_id: Option<String>,
    /// `OPERATORS`: their subjects.
    pub(crate) operators: Vec<String>,
    /// `OPERATOR_CLAIM`
    pub(crate) operator_claim: Option<OperatorClaim>,
    /// `OWNER_PROFILE`
    pub(crate) owner_profile: bool,
    /// `OWNER_SEEN_WITHIN_DAYS`; `None` means that absent users are not suspended.
    pub(crate) owner_seen_within_days: Option<u16>,
    /// `SCIM_SUBJECT`; `None` means no SCIM.
    pub(crate) scim_subject: Option<ScimSubject>,
    /// `OIDC_ORGANIZATION_CLAIM`, `OIDC_ROLE_CLAIM` and `ORGANIZATION_ROLES`
    pub(crate) organization_claims: OrganizationClaims,
    /// `ORGANIZATION_KEYS_END_WITH_MEMBER`
    pub(crate) organization_keys_end_with_member: bool,
    /// `DEFAULT_OWNER`
    pub(crate) default_owner: DefaultOwner,
    /// `SESSION_ROLE_MAX_AGE`
    pub(crate) session_role_max_age: Duration,
    /// `API_KEYS_*`, `API_KEY_PREFIX` and `API_KEY_PREFIX_LENGTH`, as they are written.
    keys: KeyPolicySettings,
    /// The same, checked.
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
    /// `KEEP_ALIVE_SECONDS`, `MAX_CONNECTIONS` and `MAX_CONNECTIONS_PER_ADDRESS`
    pub(crate) limits: HttpLimits,
    /// `CONSOLE`
    pub(crate) console: bool,
    /// `PORTAL_*`
    pub(crate) portal: PortalSettings,
    /// `CORS_ORIGINS`
    pub(crate) cors_origins: Vec<String>,
    /// `FORWARD_METADATA`
    pub(crate) forward_metadata: Vec<String>,
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

impl Default for Configuration {
    fn default() -> Self {
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
            oidc_tokens: vec![TokenKind::Id],
            oidc_client_secret: None,
            oidc_cli_client_id: None,
            operators: Vec::new(),
            operator_claim: None,
            owner_profile: true,
            owner_seen_within_days: None,
            scim_subject: None,
            organization_claims: OrganizationClaims::default(),
            organization_keys_end_with_member: false,
            default_owner: DefaultOwner::default(),
            session_role_max_age: SESSION_ROLE_AGE_MAX,
            keys: KeyPolicySettings::default(),
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
            limits: HttpLimits::default(),
            console: true,
            portal: PortalSettings { cookie: PORTAL_COOKIE, ..PortalSettings::default() },
            cors_origins: Vec::new(),
            forward_metadata: Vec::new(),
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
    /// `EVENT_TYPES`
    pub(crate) event_types: UncataloguedTypes,
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
    /// `WEBHOOK_MAX_SUBSCRIPTIONS`, `WEBHOOK_MAX_PAYLOAD_BYTES`, `WEBHOOK_RETENTION_DAYS` and `WEBHOOK_RETRY_SCHEDULE`, as
    /// they are written.
    settings: WebhookPolicySettings,
    /// The same, checked.
    pub(crate) policy: WebhookPolicy,
}

impl Default for WebhookConfiguration {
    fn default() -> Self {
        Self {
            dispatch: true,
            event_types: UncataloguedTypes::Open,
            allow_http: false,
            allowed_networks: Vec::new(),
            timeout: Duration::from_secs(15),
            concurrency: 512,
            pauses: PauseLengths::default(),
            traceparent: true,
            settings: WebhookPolicySettings::default(),
            policy: WebhookPolicy::default(),
        }
    }
}

/// `TLS_CERT` and `TLS_KEY`, as they are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsConfiguration {
    chain: Option<String>,
    key: Option<Secret>,
}

/// `OPERATOR_WEBHOOK_*`
#[derive(Clone, Debug)]
pub(crate) struct OperatorWebhookConfiguration {
    /// The URL. The egress policy has not judged it.
    pub(crate) url: Option<TargetUrl>,
    /// The signing secret.
    pub(crate) secret: Option<Secret>,
    /// The event types.
    pub(crate) events: SubscribedEvents,
}

impl Default for OperatorWebhookConfiguration {
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "the pattern is valid, as the test of the defaults shows")]
        let events = SubscribedEvents::parse(["gatepost.*"]).expect("a valid pattern");
        Self { url: None, secret: None, events }
    }
}

/// `OTEL_*`
#[derive(Clone, Debug)]
pub(crate) struct TraceConfiguration {
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`; `None` means no traces.
    pub(crate) endpoint: Option<CollectorUrl>,
    /// `OTEL_EXPORTER_OTLP_HEADERS`
    pub(crate) headers: Vec<CollectorHeader>,
    /// `OTEL_SERVICE_NAME`
    pub(crate) service_name: String,
    /// `OTEL_TRACES_SAMPLER_ARG`
    pub(crate) ratio: SamplingRatio,
}

impl Default for TraceConfiguration {
    fn default() -> Self {
        let (endpoint, service_name) = (None, "gatepost".to_owned());
        Self { endpoint, headers: Vec::new(), service_name, ratio: SamplingRatio::default() }
    }
}
