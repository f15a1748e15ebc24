use std::sync::LazyLock;

use adapters_http::{OperatorToken, OperatorTokens};
use adapters_oidc::OperatorClaim;
use adapters_otlp::{CollectorHeader, CollectorUrl};
use adapters_system::AuditDestination;
use adapters_web::PortalColor;
use cli::WebAddress;
use domain::sessions::SESSION_ROLE_AGE_MAX;
use domain::webhooks::SubscribedEvents;
use verifier::WhenStale;

use super::forms::{
    RATE_LIMIT, ROLES, SECONDS_PER_DAY, audit_retention, certificates, claim, client_secret, default_owner, each_token,
    encryption_key, event_name, event_types, flag, form, hook_url, issuer, key_limit, limit_or_off, log_filter,
    log_format, masked, metadata_name, named_token, names, networks, not_empty, not_none, number, operator_token,
    parsed, portal_name, private_key, ratio, schedule, scim_subject, seconds, some, svg, token_kinds, url, wait, waits,
    web_origins, webhook_limit, webhook_retention, webhook_secret, word,
};
use super::{Setting, list, one, optional, whole};
use crate::configuration::DatabaseUrl;

/// The largest connection pool. A Postgres server with default settings allows 100 connections in all.
const POOL_SIZE_MAX: usize = 500;
/// The most shards: each instance reads the changes of each shard four times a second.
pub(crate) const SHARDS_MAX: u16 = 256;
/// The longest keep-alive, in seconds: an hour.
const KEEP_ALIVE_SECONDS_MAX: u64 = 60 * 60;
/// The most connections: more than one machine has memory for.
const CONNECTIONS_MAX: usize = 1_000_000;
/// The most keys in the verification cache, which then takes about 6 GB.
const KEY_CACHE_SIZE_MAX: usize = 10_000_000;
/// With a lower age, a round would read the database as often as a look-up of each key does.
const KEY_CACHE_MAX_AGE_MIN: u64 = 10;
/// The longest attempt: half of a lease, so that no lease ends during an attempt.
const TIMEOUT_SECONDS_MAX: u64 = 30;
const CONCURRENCY_MAX: u32 = 10_000;

/// Every setting, in the order of the reference page.
pub(super) static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    vec![
        // Where the data is.
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
        // Where the service is found.
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
        // The accepted ID tokens.
        optional("OIDC_ISSUER", |all| &mut all.oidc_issuer, issuer())
            .doc("The identity provider whose ID tokens are accepted, exactly as its tokens have it in `iss`.")
            .doc("`serve` requires it; `dev` has its own provider."),
        list("OIDC_AUDIENCE", |all| &mut all.oidc_audiences, some("audiences"))
            .doc("The audience for which an ID token must be issued (`aud`): usually your client id at the provider.")
            .doc("Can be a list."),
        list("OIDC_CLIENT_ID", |all| &mut all.oidc_client_ids, some("client ids"))
            .doc("The clients of the provider whose tokens are accepted: `azp` must be one of them, or, in a token")
            .doc("without `azp`, the only `aud`.")
            .doc("Set it if other clients of the provider can get tokens with your audience.")
            .doc("See [identity providers](operations/start.md#identity-providers).")
            .doc("People [sign in](console.md) with the first one or, if there is none, with the first audience.")
            .when_unset("every client"),
        whole("OIDC_TOKENS", |all| &mut all.oidc_tokens, token_kinds(), not_none, Vec::clone)
            .doc("The kinds of tokens that callers may present in place of API keys. `access` accepts [access")
            .doc("tokens](organizations.md#access-tokens) of RFC 9068 (`typ` is `at+jwt`). People sign in with ID tokens")
            .doc("alone."),
        // The organizations that users belong to.
        optional("OIDC_ORGANIZATION_CLAIM", |all| &mut all.organization_claims.organizations, claim())
            .doc("Where an ID token names the [organizations](organizations.md) of its user: a string, a list of")
            .doc("strings, or an object whose keys are the ids. At most 200.")
            .when_unset("no organizations"),
        optional("OIDC_ROLE_CLAIM", |all| &mut all.organization_claims.roles, claim())
            .doc("Where an ID token names the [roles](organizations.md#roles) of its user, in the same forms.")
            .when_unset("members have no roles"),
        one("ORGANIZATION_ROLES", |all| &mut all.organization_claims.rights, form(ROLES, |text| text.parse().ok()))
            .doc(
                "What each [role](organizations.md#roles) may do in its organization: `keys` and `webhooks` to change,",
            )
            .doc("`keys:read` and `webhooks:read` to see. `*` is for members without a role that has a name here."),
        one("ORGANIZATION_KEYS_END_WITH_MEMBER", |all| &mut all.organization_keys_end_with_member, flag())
            .doc("Whether a key of an organization is refused while the member who made it is suspended, and revoked when")
            .doc("the member is [erased](hosts.md#keys-that-members-made)."),
        one("DEFAULT_OWNER", |all| &mut all.default_owner, default_owner())
            .doc("The owner for whom a call with an ID token acts if it names no organization: the user, or the user's")
            .doc("organization if the ID token names exactly one. The console begins with the same owner."),
        one("SESSION_ROLE_MAX_AGE", |all| &mut all.session_role_max_age, seconds(10..=SESSION_ROLE_AGE_MAX.as_secs()))
            .doc("How many seconds after a sign-in a [session](organizations.md#sessions) acts for the organizations of")
            .doc("its user. A member whom the provider has removed keeps access for this time."),
        // Keys.
        one("API_KEYS_MAX_ACTIVE", |all| &mut all.keys.max_active, key_limit(|keys| keys.max_active = 0))
            .doc("The maximum number of active keys for each user."),
        one("API_KEY_PREFIX", |all| &mut all.keys.prefix, key_limit(|keys| keys.prefix.clear()))
            .doc("The prefix of every new key. Existing keys keep their prefix."),
        one("API_KEY_PREFIX_LENGTH", |all| &mut all.keys.preview_length, key_limit(|keys| keys.preview_length = 0))
            .doc("The number of characters of a key that its preview shows.")
            .doc("The allowed maximum grows with the prefix."),
        one("API_KEYS_RETENTION_DAYS", |all| &mut all.keys.retention_days, key_limit(|keys| keys.retention_days = 0))
            .doc("Days after which a revoked or expired key is deleted. Until then it stays listed."),
        one("API_KEYS_MAX_TTL_DAYS", |all| &mut all.keys.max_ttl_days, key_limit(|keys| keys.max_ttl_days = 0))
            .doc("The maximum number of days until the `expiresAt` of a new key."),
        optional(
            "API_KEYS_DEFAULT_TTL_DAYS",
            |all| &mut all.keys.default_ttl_days,
            form("1 to `API_KEYS_MAX_TTL_DAYS`", parsed),
        )
        .doc("Days until a new key expires whose creator names no `expiresAt`.")
        .when_unset("keys do not expire"),
        one("API_KEYS_REQUIRE_EXPIRY", |all| &mut all.keys.requires_expiry, flag())
            .doc("Whether each new key must have an expiry time. With `API_KEYS_DEFAULT_TTL_DAYS` every key has one."),
        // The audit log.
        one("AUDIT_RETENTION_DAYS", |all| &mut all.audit_retention, audit_retention())
            .doc("Days after which an event of the audit log is deleted, with the address in it."),
        optional("AUDIT_LOG", |all| &mut all.audit_log, form(AuditDestination::ALLOWED, parsed))
            .doc("Where this instance copies what it writes to the [audit log](audit.md#a-copy-for-your-log-system),")
            .doc("one JSON object a line.")
            .when_unset("no copy"),
        // Secrets that the operator makes.
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
        // The pages that browsers may reach.
        one("CONSOLE", |all| &mut all.console, flag())
            .doc("Whether this instance serves the [console](console.md) at `/console/`.")
            .doc("With `false`, `/` is a page that names the API."),
        list("CORS_ORIGINS", |all| &mut all.cors_origins, web_origins().with_password())
            .doc("Origins whose pages may call the API from a browser.")
            .doc("Without it the service answers no CORS preflight."),
        list("TRUSTED_PROXIES", |all| &mut all.trusted_proxies, networks())
            .doc("Proxies whose `X-Forwarded-For` header is trusted, read from the right."),
        // How the process runs.
        one("MIGRATE", |all| &mut all.migrate, flag())
            .doc("Whether `serve` migrates the database schema at its start. With `false`, run `gatepost migrate`."),
        one("LOG", |all| &mut all.logs.filter, log_filter()).doc("Which log lines are written to standard error."),
        optional("LOG_FORMAT", |all| &mut all.logs.format, log_format())
            .doc("The format of log lines.")
            .when_unset("`text` on a terminal, `json` elsewhere"),
        // TLS.
        optional("TLS_CERT", |all| &mut all.tls.chain, certificates())
            .doc("The certificate of this server in PEM, followed by the intermediate certificates: with it,")
            .doc("`LISTEN` speaks HTTPS. Usually a file that `TLS_CERT_FILE` names.")
            .doc("`serve` uses a new certificate without a restart, see [TLS](operations/start.md#tls).")
            .doc("`dev` speaks plain HTTP.")
            .when_unset("plain HTTP"),
        optional("TLS_KEY", |all| &mut all.tls.key, private_key())
            .doc("The private key of the certificate, in PEM. Usually a file that `TLS_KEY_FILE` names."),
        // Signing in.
        optional("OIDC_CLIENT_SECRET", |all| &mut all.oidc_client_secret, client_secret())
            .doc("The secret of the client that people [sign in](console.md) with, if the provider gave it one.")
            .doc("Without it the client is public, and PKCE alone protects the sign-in.")
            .when_unset("a public client"),
        optional("OIDC_CLI_CLIENT_ID", |all| &mut all.oidc_cli_client_id, form("a client id", not_empty))
            .doc("The public client of the provider with which [`gatepost login`](cli.md#sign-in-with-a-browser)")
            .doc("signs people in, and whose ID tokens are accepted. Everybody may read it.")
            .doc("It must not be the client that has `OIDC_CLIENT_SECRET`.")
            .when_unset("command lines cannot sign in"),
        list("OPERATORS", |all| &mut all.operators, some("subjects"))
            .doc("The subjects (`sub`) of the users who get the role of operators when they [sign")
            .doc("in](console.md#operators)."),
        optional("OPERATOR_CLAIM", |all| &mut all.operator_claim, form(OperatorClaim::ALLOWED, OperatorClaim::parse))
            .doc("The claim of the ID token that makes its user an operator: the claim has the value, or is a list")
            .doc("with the value. If the provider has a scope with the name of the claim, it is requested."),
        one("OWNER_PROFILE", |all| &mut all.owner_profile, word(&[("on", true), ("off", false)]))
            .doc("Whether a sign-in fills the [name and the e-mail address](hosts.md#what-you-set-for-a-customer) of its user")
            .doc("from the ID token, where the host has set none. `off` requests and stores neither."),
        optional("OWNER_SEEN_WITHIN_DAYS", |all| &mut all.owner_seen_within_days, number(30..=3650))
            .doc("The number of days without a sign-in after which a user is [suspended](hosts.md#absent-users), with all keys.")
            .when_unset("absent users are not suspended"),
        optional("SCIM_SUBJECT", |all| &mut all.scim_subject, scim_subject())
            .doc("The attribute of [SCIM](scim.md) that is the subject (`sub`) of ID tokens: with it, the identity provider")
            .doc("says at `/scim/v2` which users may act.")
            .when_unset("no SCIM"),
        // The portal.
        optional("PORTAL_NAME", |all| &mut all.portal.name, portal_name())
            .doc("The name of your application, which visitors who come by a [portal link](console.md#portal-links)")
            .doc("see instead of Gatepost.")
            .when_unset("Gatepost"),
        optional("PORTAL_LOGO", |all| &mut all.portal.logo, svg())
            .doc("The logo that these visitors see, an SVG image.")
            .doc("Usually a file that `PORTAL_LOGO_FILE` names, of at most 64 KiB.")
            .when_unset("that of Gatepost"),
        optional("PORTAL_COLOR", |all| &mut all.portal.color, form(PortalColor::ALLOWED, PortalColor::parse))
            .doc("The colour of links and buttons that these visitors see.")
            .doc("Dark pages use a lighter shade.")
            .when_unset("that of Gatepost"),
        list("PORTAL_FRAME_ANCESTORS", |all| &mut all.portal.frame_ancestors, web_origins())
            .doc("Origins whose pages may show the portal [in a frame](console.md#in-a-frame).")
            .doc("Other pages of the service may not be in a frame."),
        // The verification of keys.
        optional("RATE_LIMIT", |all| &mut all.keys.rate_limit, form(RATE_LIMIT, parsed))
            .doc("How often each key may be used in a period, even all at once, unless the key or [its")
            .doc("owner](hosts.md#what-you-set-for-a-customer) has another limit.")
            .when_unset("no limit"),
        list("FORWARD_METADATA", |all| &mut all.forward_metadata, form("names of metadata", metadata_name))
            .doc("The metadata of a key that `/forward-auth` gives to gateways, in `X-Auth-Metadata`."),
        one("KEY_CACHE_SIZE", |all| &mut all.verifier.keys_max, number(1..=KEY_CACHE_SIZE_MAX))
            .doc("The maximum number of valid keys in memory, which are verified without the database.")
            .doc("Each takes about 550 bytes."),
        one("KEY_CACHE_MAX_AGE", |all| &mut all.verifier.max_age, seconds(KEY_CACHE_MAX_AGE_MIN..=SECONDS_PER_DAY))
            .doc("Seconds until the database must confirm that a key in memory is still valid.")
            .doc("Changes by SQL or by a restored backup take effect within this time."),
        one("VERIFY_WHEN_STALE", |all| &mut all.verifier.when_stale, form(WhenStale::ALLOWED, parsed))
            .doc("What an instance on Postgres does with keys in memory when its last read of the change feed is")
            .doc("older than three seconds. `refuse` looks each key up, and answers 503 while the database is away.")
            .doc("`serve:SECONDS` accepts keys in memory for that long, including a key that another instance has")
            .doc("revoked in the meantime."),
        // How often clients may call, and how long their connections stay.
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
        // The webhooks of users, and their allowed targets.
        one("DISPATCH", |all| &mut all.webhooks.dispatch, flag())
            .doc("Whether this instance delivers webhooks.")
            .doc("With `false` it still accepts events, which another instance must deliver."),
        one("EVENT_TYPES", |all| &mut all.webhooks.event_types, event_types())
            .doc("Whether events of types that the [catalogue](webhooks/event-types.md) does not have, or has archived, are")
            .doc("accepted. With `closed` publishing one fails with status 422."),
        one("WEBHOOK_ALLOW_HTTP", |all| &mut all.webhooks.allow_http, flag())
            .doc("Whether webhooks may be sent to `http` URLs. `dev` allows them."),
        list("WEBHOOK_ALLOWED_NETWORKS", |all| &mut all.webhooks.allowed_networks, networks())
            .doc("Private or otherwise refused networks to which webhooks may be sent. `dev` allows loopback."),
        one(
            "WEBHOOK_MAX_SUBSCRIPTIONS",
            |all| &mut all.webhooks.settings.max_subscriptions,
            webhook_limit(|webhooks| webhooks.max_subscriptions = 0),
        )
        .doc("The maximum number of subscriptions for each user.")
        .doc("A user may have 100 times that number of deleted ones in the log."),
        one(
            "WEBHOOK_MAX_PAYLOAD_BYTES",
            |all| &mut all.webhooks.settings.max_payload_bytes,
            webhook_limit(|webhooks| webhooks.max_payload_bytes = 0),
        )
        .doc("The largest payload of a webhook, in bytes. Publishing a larger one fails with status 413."),
        // How webhooks are delivered.
        one("WEBHOOK_TIMEOUT_SECONDS", |all| &mut all.webhooks.timeout, seconds(1..=TIMEOUT_SECONDS_MAX))
            .doc("How long one attempt may take, from resolving the host name to reading the answer."),
        whole("WEBHOOK_RETRY_SCHEDULE", |all| &mut all.webhooks.settings.retry_schedule, wait(), schedule, waits)
            .doc("The waits after failed attempts of a delivery.")
            .doc("The first attempt is immediate, and the delivery fails after the attempt that follows the last")
            .doc("wait. Each wait is extended by up to 20 % at random.")
            .when_unset("no retries"),
        one("WEBHOOK_CONCURRENCY", |all| &mut all.webhooks.concurrency, number(1..=CONCURRENCY_MAX))
            .doc("The maximum number of attempts that this instance makes at the same time."),
        one("WEBHOOK_TRACEPARENT", |all| &mut all.webhooks.traceparent, flag())
            .doc("Whether receivers get the header `traceparent` with deliveries that are [traced](tracing.md)."),
        one("WEBHOOK_RETENTION_DAYS", |all| &mut all.webhooks.settings.retention, webhook_retention())
            .doc("Days after which events, deliveries and attempts are deleted.")
            .doc("A delivery may last for the retry schedule plus a fifth of it plus 3 days, and the retention must")
            .doc("be at least a day longer."),
        // The webhook that informs the operator of operational events.
        optional("OPERATOR_WEBHOOK_URL", |all| &mut all.operator_webhook.url, hook_url())
            .doc("Where [operational events](webhooks/operational-events.md) are sent: what happens to keys and")
            .doc("subscriptions of all users. The rules for URLs of webhooks hold for it.")
            .when_unset("no operational events for the operator"),
        optional("OPERATOR_WEBHOOK_SECRET", |all| &mut all.operator_webhook.secret, webhook_secret())
            .doc("Signs what is sent to `OPERATOR_WEBHOOK_URL`, which requires it.")
            .doc("After a change of it, the old secret signs as well for a day."),
        whole(
            "OPERATOR_WEBHOOK_EVENTS",
            |all| &mut all.operator_webhook.events,
            event_name(),
            |names| SubscribedEvents::parse(names.iter().map(String::as_str)).ok(),
            names,
        )
        .doc("Which operational events are sent to `OPERATOR_WEBHOOK_URL`."),
        // Traces. The names are OpenTelemetry's.
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
});
