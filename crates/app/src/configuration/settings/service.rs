use adapters_http::{OperatorToken, OperatorTokens};
use adapters_otlp::{CollectorHeader, CollectorUrl};
use adapters_system::{AuditDestination, EncryptionKey, LogFilter, LogFormat, Secret};
use cli::WebAddress;
use domain::audit::AuditRetention;
use domain::{RateLimit, SamplingRatio};

use super::people::web_origins;
use super::webhooks::networks;
use super::{
    Form, RATE_LIMIT, Setting, flag, form, list, masked, not_empty, number, one, optional, parsed, seconds, url, whole,
    word,
};
use crate::configuration::DatabaseUrl;

/// The largest connection pool. A Postgres server with default settings allows 100 connections in all.
const POOL_SIZE_MAX: usize = 500;
/// The most shards: each instance reads the changes of each shard four times a second.
pub(crate) const SHARDS_MAX: u16 = 256;
/// The longest keep-alive, in seconds: an hour.
const KEEP_ALIVE_SECONDS_MAX: u64 = 60 * 60;
/// The most connections: more than one machine has memory for.
const CONNECTIONS_MAX: usize = 1_000_000;
/// The value that switches a limit off.
const OFF: &str = "off";

/// Where the data is.
pub(super) fn database() -> Vec<Setting> {
    vec![
        one("DATABASE_URL", |all| &mut all.database_url, url(DatabaseUrl::ALLOWED, DatabaseUrl::parse))
            .doc("Where the data is: a SQLite file for one machine, or a Postgres server, which several instances may")
            .doc("share. Several servers for [several shards](scaling.md), with spaces between their URLs."),
        one("DATABASE_SHARDS", |all| &mut all.database_shards, number(1..=SHARDS_MAX).noting("; 1 for SQLite"))
            .doc("In how many [shards](scaling.md) of Postgres the data is.")
            .doc("The first start fixes the number for good.")
            .doc("Each shard is a schema of a database that `DATABASE_URL` names."),
        one("DATABASE_POOL_SIZE", |all| &mut all.database_pool_size, number(1..=POOL_SIZE_MAX))
            .doc("The maximum number of connections to the database, or to each shard.")
            .doc("SQLite opens this many for reading, and one for writing."),
    ]
}

/// Where the service is found.
pub(super) fn addresses() -> Vec<Setting> {
    vec![
        one(
            "LISTEN",
            |all| &mut all.listen,
            form("an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080", parsed),
        )
        .doc("The address and port to listen on. Port 0 chooses a free port.")
        .doc("`dev` accepts loopback addresses only."),
        optional(
            "METRICS_LISTEN",
            |all| &mut all.metrics_listen,
            form("an IP address and a port, such as 127.0.0.1:9464, or empty", parsed),
        )
        .doc("The address and port for [metrics](operations/monitoring.md#metrics), which have no password: choose one that")
        .doc("only your own machines reach. Empty means no metrics. Port 0 chooses a free port."),
        optional("PUBLIC_URL", |all| &mut all.public_url, url(WebAddress::ALLOWED, WebAddress::parse))
            .doc("The URL at which browsers and clients find this service, if it is not the address of `LISTEN`.")
            .when_unset("from `LISTEN`"),
    ]
}

/// The audit log.
pub(super) fn audit() -> Vec<Setting> {
    vec![
        one("AUDIT_RETENTION_DAYS", |all| &mut all.audit_retention, retention())
            .doc("Days after which an event of the audit log is deleted, with the address in it."),
        optional("AUDIT_LOG", |all| &mut all.audit_log, form(AuditDestination::ALLOWED, parsed))
            .doc("Where this instance copies what it writes to the [audit log](audit.md#a-copy-for-your-log-system),")
            .doc("one JSON object a line.")
            .when_unset("no copy"),
    ]
}

/// Secrets that the operator makes.
pub(super) fn secrets() -> Vec<Setting> {
    vec![
        optional(
            "OPERATOR_TOKEN",
            |all| &mut all.operator_token,
            masked(OperatorToken::STRONG, operator_token).noting("; OPERATOR_TOKENS takes several tokens"),
        )
        .doc("The credential of the host application for the operator API, with all scopes.")
        .doc("Without it, `OPERATOR_TOKENS`, `OPERATORS` and `OPERATOR_CLAIM` the operator API answers 404."),
        whole("OPERATOR_TOKENS", |all| &mut all.operator_tokens, named_token(), OperatorTokens::named, each_token)
            .doc("More tokens for the operator API, each with a name for the log and with")
            .doc("[scopes](operations/access.md#operator-tokens) that say what it may do."),
        list("ENCRYPTION_KEY", |all| &mut all.encryption_keys, encryption_key())
            .doc("Encrypts stored secrets. For a rotation give a list: the first key encrypts new secrets.")
            .doc("`serve` requires it; `dev` makes one.")
            .doc("Keep it apart from the backups of the database, and do not lose it: stored secrets cannot be read")
            .doc("without it."),
    ]
}

/// The pages that browsers may reach.
pub(super) fn pages() -> Vec<Setting> {
    vec![
        one("CONSOLE", |all| &mut all.console, flag())
            .doc("Whether this instance serves the [console](console.md) at `/console/`.")
            .doc("With `false`, `/` is a page that names the API."),
        list("CORS_ORIGINS", |all| &mut all.cors_origins, web_origins().with_password())
            .doc("Origins whose pages may call the API from a browser.")
            .doc("Without it the service answers no CORS preflight."),
        list("TRUSTED_PROXIES", |all| &mut all.trusted_proxies, networks())
            .doc("Proxies whose `X-Forwarded-For` header is trusted, read from the right."),
    ]
}

/// How the process runs.
pub(super) fn running() -> Vec<Setting> {
    vec![
        one("MIGRATE", |all| &mut all.migrate, flag())
            .doc("Whether `serve` migrates the database schema at its start. With `false`, run `gatepost migrate`."),
        one("LOG", |all| &mut all.logs.filter, log_filter()).doc("Which log lines are written to standard error."),
        optional("LOG_FORMAT", |all| &mut all.logs.format, log_format())
            .doc("The format of log lines.")
            .when_unset("`text` on a terminal, `json` elsewhere"),
    ]
}

/// TLS.
pub(super) fn tls() -> Vec<Setting> {
    vec![
        optional("TLS_CERT", |all| &mut all.tls.chain, certificates())
            .doc("The certificate of this server in PEM, followed by the intermediate certificates: with it,")
            .doc("`LISTEN` speaks HTTPS. Usually a file that `TLS_CERT_FILE` names.")
            .doc("`serve` uses a new certificate without a restart, see [TLS](operations/start.md#tls).")
            .doc("`dev` speaks plain HTTP.")
            .when_unset("plain HTTP"),
        optional("TLS_KEY", |all| &mut all.tls.key, private_key())
            .doc("The private key of the certificate, in PEM. Usually a file that `TLS_KEY_FILE` names."),
    ]
}

/// How often clients may call, and how long their connections stay.
pub(super) fn http() -> Vec<Setting> {
    vec![
        one("USER_RATE_LIMIT", |all| &mut all.user_rate_limit, limit_or_off())
            .doc("How often each user may call the API, with all credentials together, unless [the user's")
            .doc("record](hosts.md#what-you-set-for-a-customer) has another limit.")
            .doc("Introspection and forward-auth do not count."),
        one("MANUAL_SEND_LIMIT", |all| &mut all.manual_send_limit, limit_or_off())
            .doc("How often each user may retry deliveries, recover subscriptions and send test events, all together."),
        one("CREDENTIAL_FAILURE_LIMIT", |all| &mut all.credential_failure_limit, limit_or_off())
            .doc("How many requests with invalid credentials are answered 401 for each client address (for IPv6: each")
            .doc("/64). Valid credentials from the same address are not affected.")
            .doc("Refused sign-ins have the same limit and a separate count.")
            .doc("Introspection and forward-auth do not count. Behind a proxy, set `TRUSTED_PROXIES`."),
        one("KEEP_ALIVE_SECONDS", |all| &mut all.limits.keep_alive, seconds(1..=KEEP_ALIVE_SECONDS_MAX))
            .doc("How long a connection may be idle between two requests.")
            .doc("Longer than the idle timeout of the load balancer in front, so that the balancer closes first."),
        one("MAX_CONNECTIONS", |all| &mut all.limits.connections_max, number(1..=CONNECTIONS_MAX))
            .doc("Connections of clients that are open at once.")
            .doc("At the maximum, the connections that have been idle longest give way to new ones.")
            .doc("At most three quarters of the limit on open files are used."),
        one(
            "MAX_CONNECTIONS_PER_ADDRESS",
            |all| &mut all.limits.connections_per_address_max,
            number(1..=CONNECTIONS_MAX),
        )
        .doc("Connections from one client address (for IPv6: one /64) that are open at once.")
        .doc("The addresses in `TRUSTED_PROXIES` have no such limit."),
    ]
}

/// Traces. The names are OpenTelemetry's.
pub(super) fn traces() -> Vec<Setting> {
    vec![
        optional(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            |all| &mut all.traces.endpoint,
            url(CollectorUrl::ALLOWED, CollectorUrl::parse),
        )
        .doc("The collector of [traces](tracing.md), which speaks OTLP over HTTP (protobuf).")
        .doc("Spans go to `/v1/traces` below this URL.")
        .when_unset("no traces"),
        list(
            "OTEL_EXPORTER_OTLP_HEADERS",
            |all| &mut all.traces.headers,
            masked(CollectorHeader::ALLOWED, CollectorHeader::parse),
        )
        .doc("Headers for the collector, such as `Authorization=Basic%20…`."),
        one("OTEL_SERVICE_NAME", |all| &mut all.traces.service_name, form("a name", not_empty))
            .doc("The name of this service in traces."),
        one("OTEL_TRACES_SAMPLER_ARG", |all| &mut all.traces.ratio, ratio())
            .doc("The traced part of the requests without a `traceparent`.")
            .doc("Verifications are traced only if their caller says so."),
    ]
}

fn retention() -> Form<AuditRetention> {
    let parse = |text: &str| AuditRetention::of_days(parsed(text)?).ok();
    Form::new(format!("1 to {}", AuditRetention::DAYS_MAX), parse, |kept| kept.days().to_string())
}

fn named_token() -> Form<OperatorToken> {
    form(format!("tokens separated by commas, each as {}", OperatorToken::FORMAT), OperatorToken::parse).secret()
}

fn each_token(tokens: &OperatorTokens) -> Vec<OperatorToken> {
    tokens.all().iter().map(|token| OperatorToken::clone(token)).collect()
}

/// See [`OperatorToken::is_strong`].
pub(crate) fn operator_token(text: &str) -> Option<Secret> {
    OperatorToken::is_strong(text).then(|| Secret::new(text))
}

fn encryption_key() -> Form<EncryptionKey> {
    masked(EncryptionKey::ALLOWED, EncryptionKey::parse).noting("; or several keys, separated by commas")
}

fn log_filter() -> Form<LogFilter> {
    Form::new(LogFilter::ALLOWED, LogFilter::parse, |filter| filter.as_str().to_owned())
}

fn log_format() -> Form<LogFormat> {
    word(&[("text", LogFormat::Text), ("json", LogFormat::Json)])
}

fn certificates() -> Form<String> {
    Form::new("a chain of certificates in PEM", not_empty, |_| "a chain of certificates".to_owned())
}

fn private_key() -> Form<Secret> {
    masked("a private key in PEM", |text| not_empty(text).map(Secret::new))
}

fn ratio() -> Form<SamplingRatio> {
    let parse = |text: &str| parsed(text).and_then(SamplingRatio::new);
    Form::new("a number from 0 to 1", parse, |ratio| ratio.value().to_string())
}

fn limit_or_off() -> Form<Option<RateLimit>> {
    Form::new(
        format!("{RATE_LIMIT}; or {OFF}"),
        |text| if text == OFF { Some(None) } else { parsed::<RateLimit>(text).map(Some) },
        |limit| limit.map_or_else(|| OFF.to_owned(), |limit| limit.to_string()),
    )
}
