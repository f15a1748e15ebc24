use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use adapters_oidc::{OidcSettings, OidcVerifier};
use domain::webhooks::WebhookPolicySettings;
use domain::{KeyPolicy, KeyPolicySettings};
use ipnet::IpNet;

use super::database_url::without_password;
use super::given::{Given, Refused};
use super::http_settings::HTTP_SETTINGS;
use super::secret::MASK;
use super::web_address::{ORIGIN_ALLOWED, is_web_origin};
use super::webhook_settings::WEBHOOK_SETTINGS;
use super::{Configuration, DatabaseUrl, EncryptionKey, LogFilter, LogFormat, Secret, WebAddress};

/// The most connections to a database: what a Postgres server with its defaults allows five instances together.
const POOL_SIZE_MAX: usize = 500;
/// The shortest operator token, in characters.
const OPERATOR_TOKEN_LENGTH_MIN: usize = 32;
/// The most keys in the verification cache: some 6 GB.
const KEY_CACHE_SIZE_MAX: usize = 10_000_000;
pub(super) const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// One row of the table: everything that is known of a setting.
pub(super) struct Setting {
    /// Its name in the environment; in the file it is in lower case.
    pub(super) name: &'static str,
    /// What it is, for the reference page.
    pub(super) doc: &'static str,
    /// What holds when nobody sets it and it has no default of its own.
    pub(super) when_unset: &'static str,
    /// What may be shown of a value that was refused.
    pub(super) secrecy: Secrecy,
    /// What it takes, to follow "must be".
    pub(super) allowed: fn() -> String,
    /// Parses a value.
    pub(super) set: fn(&mut Draft, &Given) -> Result<(), Refused>,
    /// The value as it may be shown; `None` when it is not set.
    pub(super) show: fn(&Configuration) -> Option<String>,
}

/// What may be shown of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    /// All of it.
    Open,
    /// All but the password of its URL.
    Password,
    /// Nothing.
    Secret,
}

/// The configuration while it is read: the settings of keys and those of webhooks are judged together, at the end.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) configuration: Configuration,
    pub(super) keys: KeyPolicySettings,
    pub(super) webhooks: WebhookPolicySettings,
}

impl Setting {
    /// The name that reads the value from a file.
    pub(super) fn value_file_name(&self) -> String {
        value_file_name(self.name)
    }

    /// A refused value, as its operator may see it.
    pub(super) fn shown(&self, given: &Given) -> String {
        match self.secrecy {
            Secrecy::Open => given.shown(),
            Secrecy::Password => without_password(&given.shown()),
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
    SETTINGS.iter().chain(HTTP_SETTINGS).chain(WEBHOOK_SETTINGS)
}

/// Those of the service as a whole and of keys.
const SETTINGS: &[Setting] = &[
    Setting {
        name: "DATABASE_URL",
        doc: "Where the data is. The scheme chooses: a SQLite file for one machine, or a Postgres server, which \
              several instances may share.",
        when_unset: "–",
        secrecy: Secrecy::Password,
        allowed: || DatabaseUrl::ALLOWED.into(),
        set: |draft, given| given.one(DatabaseUrl::parse).map(|url| draft.configuration.database_url = url),
        show: |configuration| Some(configuration.database_url.to_string()),
    },
    Setting {
        name: "DATABASE_POOL_SIZE",
        doc: "Connections to the database, at most. SQLite opens this many to read (and one to write).",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || format!("1 to {POOL_SIZE_MAX}"),
        set: |draft, given| given.one(pool_size).map(|size| draft.configuration.database_pool_size = size),
        show: |configuration| Some(configuration.database_pool_size.to_string()),
    },
    Setting {
        name: "LISTEN",
        doc: "The address and port to listen on. Port 0 takes a free one. `dev` takes loopback addresses only.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".into(),
        set: |draft, given| given.one(parsed::<SocketAddr>).map(|address| draft.configuration.listen = address),
        show: |configuration| Some(configuration.listen.to_string()),
    },
    Setting {
        name: "PUBLIC_URL",
        doc: "Where browsers and clients find this service, when that is not the address it listens on.",
        when_unset: "from `LISTEN`",
        secrecy: Secrecy::Password,
        allowed: || WebAddress::ALLOWED.into(),
        set: |draft, given| given.optional(WebAddress::parse).map(|url| draft.configuration.public_url = url),
        show: |configuration| configuration.public_url.as_ref().map(ToString::to_string),
    },
    Setting {
        name: "OIDC_ISSUER",
        doc: "The identity provider whose ID tokens are accepted, exactly as its tokens say in `iss`. `serve` needs \
              it; `dev` brings its own provider.",
        when_unset: "–",
        secrecy: Secrecy::Password,
        allowed: || "the issuer's URL: https, or http on a loopback host; without user, query and fragment".into(),
        set: |draft, given| given.optional(issuer).map(|issuer| draft.configuration.oidc_issuer = issuer),
        show: |configuration| configuration.oidc_issuer.clone(),
    },
    Setting {
        name: "OIDC_AUDIENCE",
        doc: "For whom an ID token must be issued (`aud`): your client id at the provider. Several are a list.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "one or more audiences, separated by commas".into(),
        set: |draft, given| given.many(not_empty).map(|audiences| draft.configuration.oidc_audiences = audiences),
        show: |configuration| listed(&configuration.oidc_audiences),
    },
    Setting {
        name: "API_KEYS_MAX_ACTIVE",
        doc: "Active keys for each user, at most.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|keys| keys.max_active = 0),
        set: |draft, given| given.one(parsed).map(|max| draft.keys.max_active = max),
        show: |configuration| Some(configuration.key_policy.max_active().to_string()),
    },
    Setting {
        name: "API_KEY_PREFIX",
        doc: "What every new key starts with. Keys that exist keep theirs.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|keys| keys.prefix = String::new()),
        set: |draft, given| given.one(not_empty).map(|prefix| draft.keys.prefix = prefix),
        show: |configuration| Some(configuration.key_policy.prefix().to_owned()),
    },
    Setting {
        name: "API_KEY_PREFIX_LENGTH",
        doc: "Characters of a key that its preview shows. The most that is allowed grows with the prefix.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|keys| keys.preview_length = 0),
        set: |draft, given| given.one(parsed).map(|length| draft.keys.preview_length = length),
        show: |configuration| Some(configuration.key_policy.preview_length().to_string()),
    },
    Setting {
        name: "API_KEYS_RETENTION_DAYS",
        doc: "Days that a revoked or expired key stays listed before it is deleted.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|keys| keys.retention_days = 0),
        set: |draft, given| given.one(parsed).map(|days| draft.keys.retention_days = days),
        show: |configuration| Some((configuration.key_policy.retention().as_secs() / SECONDS_PER_DAY).to_string()),
    },
    Setting {
        name: "API_KEYS_MAX_TTL_DAYS",
        doc: "Days that a new key's `expiresAt` may lie ahead, at most.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || allowed_by_policy(|keys| keys.max_ttl_days = 0),
        set: |draft, given| given.one(parsed).map(|days| draft.keys.max_ttl_days = days),
        show: |configuration| Some(configuration.key_policy.max_ttl_days().to_string()),
    },
    Setting {
        name: "OPERATOR_TOKEN",
        doc: "The host application's credential for the operator API. Without it that API is not there: 404.",
        when_unset: "–",
        secrecy: Secrecy::Secret,
        allowed: || format!("at least {OPERATOR_TOKEN_LENGTH_MIN} visible ASCII characters"),
        set: |draft, given| given.optional(operator_token).map(|token| draft.configuration.operator_token = token),
        show: |configuration| configuration.operator_token.as_ref().map(|_| MASK.to_owned()),
    },
    Setting {
        name: "ENCRYPTION_KEY",
        doc: "Encrypts stored secrets. A list for rotation: the first is used for what is new. `serve` needs it; \
              `dev` makes one. Keep it apart from the database's backups, and keep it: nothing else reads them.",
        when_unset: "–",
        secrecy: Secrecy::Secret,
        allowed: || EncryptionKey::ALLOWED.into(),
        set: |draft, given| given.many(EncryptionKey::parse).map(|keys| draft.configuration.encryption_keys = keys),
        show: |configuration| listed(&configuration.encryption_keys.iter().map(|_| MASK).collect::<Vec<_>>()),
    },
    Setting {
        name: "RATE_LIMIT",
        doc: "How often each key may be used, all at once if its bearer likes. Past it the answer is 429. Counted by \
              each instance for itself.",
        when_unset: "no limit",
        secrecy: Secrecy::Open,
        allowed: || "a count and a unit, such as 100/s, 6000/m or 100000/h".into(),
        set: |draft, given| given.optional(parsed).map(|limit| draft.configuration.rate_limit = limit),
        show: |configuration| configuration.rate_limit.map(|limit| limit.to_string()),
    },
    Setting {
        name: "KEY_CACHE_SIZE",
        doc: "Good keys that are kept in memory, so that no database is asked about them: some 550 bytes each.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || format!("1 to {KEY_CACHE_SIZE_MAX}"),
        set: |draft, given| given.one(key_cache_size).map(|size| draft.configuration.key_cache_size = size),
        show: |configuration| Some(configuration.key_cache_size.to_string()),
    },
    Setting {
        name: "CORS_ORIGINS",
        doc: "Origins whose pages may call the API from a browser. Without it no preflight is answered.",
        when_unset: "–",
        secrecy: Secrecy::Password,
        allowed: || ORIGIN_ALLOWED.into(),
        set: |draft, given| given.many(web_origin).map(|origins| draft.configuration.cors_origins = origins),
        show: |configuration| listed(&configuration.cors_origins),
    },
    Setting {
        name: "TRUSTED_PROXIES",
        doc: "Proxies whose `X-Forwarded-For` is believed, read from the right.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "addresses or CIDR ranges such as 10.0.0.0/8, separated by commas".into(),
        set: |draft, given| given.many(network).map(|networks| draft.configuration.trusted_proxies = networks),
        show: |configuration| listed(&configuration.trusted_proxies),
    },
    Setting {
        name: "MIGRATE",
        doc: "Whether `serve` brings the database's schema up to date at its start. If not, run `gatepost migrate`.",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || "true or false".into(),
        set: |draft, given| given.one(parsed).map(|migrate| draft.configuration.migrate = migrate),
        show: |configuration| Some(configuration.migrate.to_string()),
    },
    Setting {
        name: "LOG",
        doc: "Which log lines are written (to standard error).",
        when_unset: "–",
        secrecy: Secrecy::Open,
        allowed: || LogFilter::ALLOWED.into(),
        set: |draft, given| given.one(LogFilter::parse).map(|filter| draft.configuration.log = filter),
        show: |configuration| Some(configuration.log.as_str().to_owned()),
    },
    Setting {
        name: "LOG_FORMAT",
        doc: "How log lines look.",
        when_unset: "`text` on a terminal, `json` elsewhere",
        secrecy: Secrecy::Open,
        allowed: || LogFormat::ALLOWED.into(),
        set: |draft, given| given.optional(LogFormat::parse).map(|format| draft.configuration.log_format = format),
        show: |configuration| configuration.log_format.map(|format| format.name().to_owned()),
    },
];

pub(super) fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn pool_size(text: &str) -> Option<usize> {
    parsed(text).filter(|size| (1..=POOL_SIZE_MAX).contains(size))
}

fn key_cache_size(text: &str) -> Option<usize> {
    parsed(text).filter(|size| (1..=KEY_CACHE_SIZE_MAX).contains(size))
}

/// Kept to the letter, since tokens are compared with it: a slash at the end counts. The verifier knows what may be.
fn issuer(text: &str) -> Option<String> {
    let settings = OidcSettings { issuer: text.to_owned(), audiences: Vec::new() };
    OidcVerifier::new(settings).is_ok().then(|| text.to_owned())
}

/// A token that is long enough and fits into a header.
pub(crate) fn operator_token(text: &str) -> Option<Secret> {
    let long_enough = text.len() >= OPERATOR_TOKEN_LENGTH_MIN;
    (long_enough && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Secret::new(text))
}

fn web_origin(text: &str) -> Option<String> {
    is_web_origin(text).then(|| text.to_owned())
}

/// A range, or one address alone.
pub(super) fn network(text: &str) -> Option<IpNet> {
    parsed(text).or_else(|| parsed::<IpAddr>(text).map(IpNet::from))
}

pub(super) fn listed<T: ToString>(items: &[T]) -> Option<String> {
    (!items.is_empty()).then(|| items.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// What the domain allows, in its own words: the rule is stated there.
fn allowed_by_policy(break_it: fn(&mut KeyPolicySettings)) -> String {
    let mut keys = KeyPolicySettings::default();
    break_it(&mut keys);
    KeyPolicy::new(keys).err().map(|error| error.allowed).unwrap_or_default()
}
