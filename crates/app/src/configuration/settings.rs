use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use adapters_http::{OperatorToken, OperatorTokens};
use adapters_oidc::{OidcSettings, OidcVerifier};
use adapters_system::{AuditDestination, EncryptionKey, LogFilter, LogFormat, MASK, Secret};
use cli::WebAddress;
use domain::audit::AuditRetention;
use domain::webhooks::WebhookPolicySettings;
use domain::{KeyPolicy, KeyPolicySettings};
use ipnet::IpNet;
use url::Url;

use super::database_url::without_passwords;
use super::given::{Given, Refused};
use super::http_settings::HTTP_SETTINGS;
use super::operator_webhook_settings::OPERATOR_WEBHOOK_SETTINGS;
use super::portal_settings::PORTAL_SETTINGS;
use super::sign_in_settings::SIGN_IN_SETTINGS;
use super::tls_settings::TLS_SETTINGS;
use super::trace_settings::TRACE_SETTINGS;
use super::verification_settings::VERIFICATION_SETTINGS;
use super::webhook_settings::WEBHOOK_SETTINGS;
use super::{Configuration, DatabaseUrl};

/// The largest connection pool. A Postgres server with default settings allows 100 connections in all.
const POOL_SIZE_MAX: usize = 500;
/// The most shards. Each instance reads the changes of each four times a second.
pub(crate) const SHARDS_MAX: u16 = 256;
pub(super) const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// One row of the table: a setting.
pub(super) struct Setting {
    /// Its name in the environment. In the file the name is in lower case.
    pub(super) name: &'static str,
    /// Its description on the reference page.
    pub(super) doc: &'static str,
    /// What applies when the setting is not set and has no default.
    pub(super) when_unset: &'static str,
    /// How much of a refused value may be shown.
    pub(super) secrecy: Secrecy,
    /// The allowed values, to follow "must be".
    pub(super) allowed: fn() -> String,
    /// Parses a value.
    pub(super) set: fn(&mut Draft, &Given) -> Result<(), Refused>,
    /// The value as it may be shown; `None` if it is not set.
    pub(super) show: fn(&Configuration) -> Option<String>,
}

/// How much of a value may be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    /// All of it.
    Open,
    /// All but the password in its URL.
    Password,
    /// Nothing.
    Secret,
}

/// The configuration while it is read. The domain checks the settings of keys and of webhooks together, at the end.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) configuration: Configuration,
    pub(super) keys: KeyPolicySettings,
    pub(super) webhooks: WebhookPolicySettings,
}

impl Setting {
    /// A setting without secrets.
    pub(super) const fn new(
        name: &'static str,
        doc: &'static str,
        allowed: fn() -> String,
        set: fn(&mut Draft, &Given) -> Result<(), Refused>,
        show: fn(&Configuration) -> Option<String>,
    ) -> Self {
        Self { name, doc, when_unset: "–", secrecy: Secrecy::Open, allowed, set, show }
    }

    pub(super) const fn when_unset(self, when_unset: &'static str) -> Self {
        Self { when_unset, ..self }
    }

    pub(super) const fn showing(self, secrecy: Secrecy) -> Self {
        Self { secrecy, ..self }
    }

    /// The name that reads the value from a file.
    pub(super) fn value_file_name(&self) -> String {
        value_file_name(self.name)
    }

    /// The value as it may be shown.
    pub(super) fn shown(&self, given: &Given) -> String {
        match self.secrecy {
            Secrecy::Open => given.shown(),
            Secrecy::Password => without_passwords(&given.shown()),
            Secrecy::Secret => MASK.to_owned(),
        }
    }
}

/// The name that reads a value from a file.
pub(super) fn value_file_name(name: &str) -> String {
    format!("{name}_FILE")
}

/// Every setting, in the order of the reference page.
pub(super) fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .chain(TLS_SETTINGS)
        .chain(SIGN_IN_SETTINGS)
        .chain(PORTAL_SETTINGS)
        .chain(VERIFICATION_SETTINGS)
        .chain(HTTP_SETTINGS)
        .chain(WEBHOOK_SETTINGS)
        .chain(OPERATOR_WEBHOOK_SETTINGS)
        .chain(TRACE_SETTINGS)
}

/// The settings of the service as a whole and of keys.
const SETTINGS: &[Setting] = &[
    Setting::new(
        "DATABASE_URL",
        "Where the data is: a SQLite file for one machine, or a Postgres server, which several instances may \
              share. Several servers for [several shards](scaling.md), with spaces between their URLs.",
        || DatabaseUrl::ALLOWED.into(),
        |draft, given| given.one(DatabaseUrl::parse).map(|url| draft.configuration.database_url = url),
        |configuration| Some(configuration.database_url.to_string()),
    )
    .showing(Secrecy::Password),
    Setting::new(
        "DATABASE_SHARDS",
        "In how many [shards](scaling.md) of Postgres the data is. The first start fixes the number for good. Each shard is \
              a schema of a database that `DATABASE_URL` names.",
        || format!("1 to {SHARDS_MAX}; 1 for SQLite"),
        |draft, given| {
            given.one(|text| within(1..=SHARDS_MAX, text)).map(|shards| draft.configuration.database_shards = shards)
        },
        |configuration| Some(configuration.database_shards.to_string()),
    ),
    Setting::new(
        "DATABASE_POOL_SIZE",
        "The maximum of connections to the database, or to each shard. SQLite opens this many for reading, and one for \
              writing.",
        || format!("1 to {POOL_SIZE_MAX}"),
        |draft, given| {
            given.one(|text| within(1..=POOL_SIZE_MAX, text)).map(|size| draft.configuration.database_pool_size = size)
        },
        |configuration| Some(configuration.database_pool_size.to_string()),
    ),
    Setting::new(
        "LISTEN",
        "The address and port to listen on. Port 0 chooses a free port. `dev` accepts loopback addresses only.",
        || "an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".into(),
        |draft, given| given.one(parsed::<SocketAddr>).map(|address| draft.configuration.listen = address),
        |configuration| Some(configuration.listen.to_string()),
    ),
    Setting::new(
        "METRICS_LISTEN",
        "The address and port for [metrics](operations/monitoring.md#metrics), which have no password: choose one that \
              only your own machines reach. Empty means no metrics. Port 0 chooses a free port.",
        || "an IP address and a port, such as 127.0.0.1:9464, or empty".into(),
        |draft, given| {
            given.optional(parsed::<SocketAddr>).map(|address| draft.configuration.metrics_listen = address)
        },
        |configuration| configuration.metrics_listen.map(|address| address.to_string()),
    ),
    Setting::new(
        "PUBLIC_URL",
        "The URL at which browsers and clients find this service, if it is not the address of `LISTEN`.",
        || WebAddress::ALLOWED.into(),
        |draft, given| given.optional(WebAddress::parse).map(|url| draft.configuration.public_url = url),
        |configuration| configuration.public_url.as_ref().map(ToString::to_string),
    )
    .when_unset("from `LISTEN`")
    .showing(Secrecy::Password),
    Setting::new(
        "OIDC_ISSUER",
        "The identity provider whose ID tokens are accepted, exactly as its tokens have it in `iss`. `serve` \
              requires it; `dev` has its own provider.",
        || "the issuer's URL: https, or http on a loopback host; without user, query and fragment".into(),
        |draft, given| given.optional(issuer).map(|issuer| draft.configuration.oidc_issuer = issuer),
        |configuration| configuration.oidc_issuer.clone(),
    )
    .showing(Secrecy::Password),
    Setting::new(
        "OIDC_AUDIENCE",
        "The audience for which an ID token must be issued (`aud`): usually your client id at the provider. Can \
              be a list.",
        || "one or more audiences, separated by commas".into(),
        |draft, given| given.many(not_empty).map(|audiences| draft.configuration.oidc_audiences = audiences),
        |configuration| listed(&configuration.oidc_audiences),
    ),
    Setting::new(
        "OIDC_CLIENT_ID",
        "The clients of the provider whose tokens are accepted: `azp` must be one of them, or, in a token without \
              `azp`, the only `aud`. Set it if other clients of the provider can get tokens with your audience. See \
              [identity providers](operations/start.md#identity-providers). People [sign in](console.md) with the first one \
              or, if there is none, with the first audience.",
        || "one or more client ids, separated by commas".into(),
        |draft, given| given.many(not_empty).map(|clients| draft.configuration.oidc_client_ids = clients),
        |configuration| listed(&configuration.oidc_client_ids),
    )
    .when_unset("every client"),
    Setting::new(
        "API_KEYS_MAX_ACTIVE",
        "The maximum of active keys for each user.",
        || allowed_by_policy(|keys| keys.max_active = 0),
        |draft, given| given.one(parsed).map(|max| draft.keys.max_active = max),
        |configuration| Some(configuration.key_policy.max_active().to_string()),
    ),
    Setting::new(
        "API_KEY_PREFIX",
        "The prefix of every new key. Existing keys keep their prefix.",
        || allowed_by_policy(|keys| keys.prefix = String::new()),
        |draft, given| given.one(not_empty).map(|prefix| draft.keys.prefix = prefix),
        |configuration| Some(configuration.key_policy.prefix().to_owned()),
    ),
    Setting::new(
        "API_KEY_PREFIX_LENGTH",
        "The number of characters of a key that its preview shows. The allowed maximum grows with the prefix.",
        || allowed_by_policy(|keys| keys.preview_length = 0),
        |draft, given| given.one(parsed).map(|length| draft.keys.preview_length = length),
        |configuration| Some(configuration.key_policy.preview_length().to_string()),
    ),
    Setting::new(
        "API_KEYS_RETENTION_DAYS",
        "Days after which a revoked or expired key is deleted. Until then it stays listed.",
        || allowed_by_policy(|keys| keys.retention_days = 0),
        |draft, given| given.one(parsed).map(|days| draft.keys.retention_days = days),
        |configuration| Some((configuration.key_policy.retention().as_secs() / SECONDS_PER_DAY).to_string()),
    ),
    Setting::new(
        "API_KEYS_MAX_TTL_DAYS",
        "The maximum of days until the `expiresAt` of a new key.",
        || allowed_by_policy(|keys| keys.max_ttl_days = 0),
        |draft, given| given.one(parsed).map(|days| draft.keys.max_ttl_days = days),
        |configuration| Some(configuration.key_policy.max_ttl_days().to_string()),
    ),
    Setting::new(
        "AUDIT_RETENTION_DAYS",
        "Days after which an event of the audit log is deleted, with the address in it.",
        || format!("1 to {}", AuditRetention::DAYS_MAX),
        |draft, given| {
            let retention = given.one(|text| AuditRetention::of_days(parsed(text)?).ok());
            retention.map(|retention| draft.configuration.audit_retention = retention)
        },
        |configuration| Some(configuration.audit_retention.days().to_string()),
    ),
    Setting::new(
        "AUDIT_LOG",
        "Where this instance copies what it writes to the [audit log](audit.md#a-copy-for-your-log-system), one JSON object a \
              line.",
        || AuditDestination::ALLOWED.into(),
        |draft, given| given.optional(parsed).map(|destination| draft.configuration.audit_log = destination),
        |configuration| configuration.audit_log.as_ref().map(ToString::to_string),
    )
    .when_unset("no copy"),
    Setting::new(
        "OPERATOR_TOKEN",
        "The credential of the host application for the operator API, with all scopes. Without it and without \
              `OPERATOR_TOKENS` the operator API answers 404.",
        || format!("{}; OPERATOR_TOKENS takes several tokens", OperatorToken::STRONG),
        |draft, given| given.optional(operator_token).map(|token| draft.configuration.operator_token = token),
        |configuration| configuration.operator_token.as_ref().map(|_| MASK.to_owned()),
    )
    .showing(Secrecy::Secret),
    Setting::new(
        "OPERATOR_TOKENS",
        "More tokens for the operator API, each with a name for the log and with \
              [scopes](operations/access.md#operator-tokens) that say what it may do.",
        || format!("tokens separated by commas, each as {}", OperatorToken::FORMAT),
        |draft, given| {
            let tokens = OperatorTokens::named(given.many(OperatorToken::parse)?).ok_or(Refused)?;
            draft.configuration.operator_tokens = tokens;
            Ok(())
        },
        |configuration| listed(&configuration.operator_tokens.all()),
    )
    .showing(Secrecy::Secret),
    Setting::new(
        "ENCRYPTION_KEY",
        "Encrypts stored secrets. For a rotation give a list: the first key encrypts new secrets. `serve` \
              requires it; `dev` makes one. Keep it apart from the backups of the database, and do not lose it: \
              stored secrets cannot be read without it.",
        || format!("{}; or several keys, separated by commas", EncryptionKey::ALLOWED),
        |draft, given| given.many(EncryptionKey::parse).map(|keys| draft.configuration.encryption_keys = keys),
        |configuration| listed(&configuration.encryption_keys.iter().map(|_| MASK).collect::<Vec<_>>()),
    )
    .showing(Secrecy::Secret),
    Setting::new(
        "CONSOLE",
        "Whether this instance serves the [console](console.md) at `/console/`. With `false`, `/` is a page that names \
              the API.",
        || "true or false".into(),
        |draft, given| given.one(parsed).map(|console| draft.configuration.console = console),
        |configuration| Some(configuration.console.to_string()),
    ),
    Setting::new(
        "CORS_ORIGINS",
        "Origins whose pages may call the API from a browser. Without it the service answers no CORS preflight.",
        || {
            "origins such as https://app.example.com, separated by commas: scheme, host and port only, without * and \
             without a slash at the end"
                .into()
        },
        |draft, given| given.many(web_origin).map(|origins| draft.configuration.cors_origins = origins),
        |configuration| listed(&configuration.cors_origins),
    )
    .showing(Secrecy::Password),
    Setting::new(
        "TRUSTED_PROXIES",
        "Proxies whose `X-Forwarded-For` header is trusted, read from the right.",
        || "addresses or CIDR ranges such as 10.0.0.0/8, separated by commas".into(),
        |draft, given| given.many(network).map(|networks| draft.configuration.trusted_proxies = networks),
        |configuration| listed(&configuration.trusted_proxies),
    ),
    Setting::new(
        "MIGRATE",
        "Whether `serve` migrates the database schema at its start. With `false`, run `gatepost migrate`.",
        || "true or false".into(),
        |draft, given| given.one(parsed).map(|migrate| draft.configuration.migrate = migrate),
        |configuration| Some(configuration.migrate.to_string()),
    ),
    Setting::new(
        "LOG",
        "Which log lines are written to standard error.",
        || LogFilter::ALLOWED.into(),
        |draft, given| given.one(LogFilter::parse).map(|filter| draft.configuration.logs.filter = filter),
        |configuration| Some(configuration.logs.filter.as_str().to_owned()),
    ),
    Setting::new(
        "LOG_FORMAT",
        "The format of log lines.",
        || LogFormat::ALLOWED.into(),
        |draft, given| given.optional(LogFormat::parse).map(|format| draft.configuration.logs.format = format),
        |configuration| configuration.logs.format.map(|format| format.name().to_owned()),
    )
    .when_unset("`text` on a terminal, `json` elsewhere"),
];

/// A number that is in the range.
pub(super) fn within<Number: FromStr + PartialOrd>(range: RangeInclusive<Number>, text: &str) -> Option<Number> {
    parsed(text).filter(|number| range.contains(number))
}

pub(super) fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// A number of seconds that is in the range.
pub(super) fn seconds_within(range: RangeInclusive<u64>, text: &str) -> Option<Duration> {
    within(range, text).map(Duration::from_secs)
}

pub(super) fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Kept byte for byte, because `iss` must equal it: a slash at the end counts. The verifier knows which URLs are safe.
fn issuer(text: &str) -> Option<String> {
    let settings = OidcSettings { issuer: text.to_owned(), audiences: Vec::new(), client_ids: Vec::new(), tls: None };
    OidcVerifier::new(settings).is_ok().then(|| text.to_owned())
}

/// See [`OperatorToken::is_strong`].
pub(crate) fn operator_token(text: &str) -> Option<Secret> {
    OperatorToken::is_strong(text).then(|| Secret::new(text))
}

/// The origin of a page, as browsers send it.
pub(super) fn web_origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    (url.origin().ascii_serialization() == text).then(|| text.to_owned())
}

/// A range, or a single address.
pub(super) fn network(text: &str) -> Option<IpNet> {
    parsed(text).or_else(|| parsed::<IpAddr>(text).map(IpNet::from))
}

pub(super) fn listed<T: ToString>(items: &[T]) -> Option<String> {
    (!items.is_empty()).then(|| items.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// What the domain allows: the domain states the rule.
fn allowed_by_policy(break_it: fn(&mut KeyPolicySettings)) -> String {
    let mut keys = KeyPolicySettings::default();
    break_it(&mut keys);
    KeyPolicy::new(keys).err().map(|error| error.allowed).unwrap_or_default()
}
