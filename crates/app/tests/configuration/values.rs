//! The settings: their defaults, their allowed values, and how lists and empty values read.

use crate::{ConfigFile, KEY, Loaded, SECRET, problems, with};

/// Each setting and its default.
const DEFAULTS: [(&str, Option<&str>); 70] = [
    ("DATABASE_URL", Some("sqlite://gatepost-data/gatepost.db")),
    ("DATABASE_SHARDS", Some("1")),
    ("DATABASE_POOL_SIZE", Some("16")),
    ("LISTEN", Some("127.0.0.1:8080")),
    ("METRICS_LISTEN", Some("127.0.0.1:9464")),
    ("PUBLIC_URL", None),
    ("OIDC_ISSUER", None),
    ("OIDC_AUDIENCE", None),
    ("OIDC_CLIENT_ID", None),
    ("OIDC_TOKENS", Some("id")),
    ("OIDC_CLIENT_SECRET", None),
    ("OIDC_CLI_CLIENT_ID", None),
    ("OPERATORS", None),
    ("OPERATOR_CLAIM", None),
    ("OWNER_PROFILE", Some("on")),
    ("OWNER_SEEN_WITHIN_DAYS", None),
    ("SCIM_SUBJECT", None),
    ("OIDC_ORGANIZATION_CLAIM", None),
    ("OIDC_ROLE_CLAIM", None),
    ("ORGANIZATION_ROLES", Some("*=keys:read+webhooks:read")),
    ("ORGANIZATION_KEYS_END_WITH_MEMBER", Some("false")),
    ("DEFAULT_OWNER", Some("user")),
    ("SESSION_ROLE_MAX_AGE", Some("3600")),
    ("PORTAL_NAME", None),
    ("PORTAL_LOGO", None),
    ("PORTAL_COLOR", None),
    ("PORTAL_FRAME_ANCESTORS", None),
    ("API_KEYS_MAX_ACTIVE", Some("10")),
    ("API_KEY_PREFIX", Some("svc_live_")),
    ("API_KEY_PREFIX_LENGTH", Some("12")),
    ("API_KEYS_RETENTION_DAYS", Some("90")),
    ("API_KEYS_MAX_TTL_DAYS", Some("3650")),
    ("AUDIT_RETENTION_DAYS", Some("400")),
    ("OPERATOR_TOKEN", None),
    ("OPERATOR_TOKENS", None),
    ("ENCRYPTION_KEY", None),
    ("RATE_LIMIT", None),
    ("USER_RATE_LIMIT", Some("6000/m")),
    ("MANUAL_SEND_LIMIT", Some("60/m")),
    ("CREDENTIAL_FAILURE_LIMIT", Some("100/m")),
    ("KEEP_ALIVE_SECONDS", Some("75")),
    ("MAX_CONNECTIONS", Some("8192")),
    ("MAX_CONNECTIONS_PER_ADDRESS", Some("4096")),
    ("KEY_CACHE_SIZE", Some("200000")),
    ("KEY_CACHE_MAX_AGE", Some("600")),
    ("VERIFY_WHEN_STALE", Some("refuse")),
    ("CONSOLE", Some("true")),
    ("CORS_ORIGINS", None),
    ("TRUSTED_PROXIES", None),
    ("MIGRATE", Some("true")),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", None),
    ("OTEL_EXPORTER_OTLP_HEADERS", None),
    ("OTEL_SERVICE_NAME", Some("gatepost")),
    ("OTEL_TRACES_SAMPLER_ARG", Some("0.01")),
    ("WEBHOOK_TRACEPARENT", Some("true")),
    ("OPERATOR_WEBHOOK_URL", None),
    ("OPERATOR_WEBHOOK_SECRET", None),
    ("OPERATOR_WEBHOOK_EVENTS", Some("gatepost.*")),
    ("LOG", Some("info")),
    ("LOG_FORMAT", None),
    ("DISPATCH", Some("true")),
    ("EVENT_TYPES", Some("open")),
    ("WEBHOOK_ALLOW_HTTP", Some("false")),
    ("WEBHOOK_ALLOWED_NETWORKS", None),
    ("WEBHOOK_MAX_SUBSCRIPTIONS", Some("100")),
    ("WEBHOOK_MAX_PAYLOAD_BYTES", Some("262144")),
    ("WEBHOOK_TIMEOUT_SECONDS", Some("15")),
    ("WEBHOOK_RETRY_SCHEDULE", Some("5s,5m,30m,2h,5h,10h,14h,20h,1d")),
    ("WEBHOOK_CONCURRENCY", Some("512")),
    ("WEBHOOK_RETENTION_DAYS", Some("30")),
];

#[test]
fn nothing_set_gives_the_documented_defaults() {
    let loaded = with("", []).unwrap();
    for (name, default) in DEFAULTS {
        assert_eq!(loaded.value(name), (default.map(str::to_owned), "default".into()), "{name}");
    }
    assert_eq!(loaded.settings.len(), 76);
}

#[test]
fn every_setting_takes_a_good_value_from_either_source() {
    for (name, good) in [
        ("DATABASE_URL", "postgres://u@h/d"),
        ("DATABASE_SHARDS", "1"),
        ("DATABASE_POOL_SIZE", "500"),
        ("LISTEN", "[::1]:0"),
        ("METRICS_LISTEN", "[::1]:0"),
        ("PUBLIC_URL", "https://keys.example.com/gate"),
        ("OIDC_ISSUER", "https://id.example.com/"),
        ("OIDC_AUDIENCE", "one,two"),
        ("OIDC_CLIENT_ID", "web,app"),
        ("OIDC_TOKENS", "id,access"),
        ("OPERATORS", "alice,bob"),
        ("OPERATOR_CLAIM", "groups=gatepost-operators"),
        ("OIDC_ORGANIZATION_CLAIM", "/urn:zitadel:iam:user:resourceowner:id"),
        ("OIDC_ROLE_CLAIM", "/https:~1~1app.example~1roles"),
        ("ORGANIZATION_ROLES", "*=keys:read, admin=keys+webhooks, dev=keys:read+webhooks"),
        ("ORGANIZATION_KEYS_END_WITH_MEMBER", "true"),
        ("DEFAULT_OWNER", "organization"),
        ("OWNER_PROFILE", "off"),
        ("OWNER_SEEN_WITHIN_DAYS", "90"),
        ("SCIM_SUBJECT", "externalId"),
        ("SESSION_ROLE_MAX_AGE", "10"),
        ("PORTAL_NAME", "Acme"),
        ("PORTAL_COLOR", "#6f2da8"),
        ("PORTAL_FRAME_ANCESTORS", "https://app.example.com,http://localhost:3000"),
        ("API_KEYS_MAX_ACTIVE", "1"),
        ("API_KEY_PREFIX", "acme-live_"),
        ("API_KEY_PREFIX_LENGTH", "17"),
        ("API_KEYS_RETENTION_DAYS", "1"),
        ("API_KEYS_MAX_TTL_DAYS", "365"),
        ("AUDIT_RETENTION_DAYS", "30"),
        ("AUDIT_LOG", "/var/log/gatepost/audit.jsonl"),
        ("USER_RATE_LIMIT", "off"),
        ("MANUAL_SEND_LIMIT", "off"),
        ("CREDENTIAL_FAILURE_LIMIT", "10/s"),
        ("KEEP_ALIVE_SECONDS", "3600"),
        ("MAX_CONNECTIONS", "1000000"),
        ("MAX_CONNECTIONS_PER_ADDRESS", "1"),
        ("KEY_CACHE_SIZE", "10000000"),
        ("KEY_CACHE_MAX_AGE", "86400"),
        ("VERIFY_WHEN_STALE", "serve:86400"),
        ("CONSOLE", "false"),
        ("CORS_ORIGINS", "https://a.example,http://localhost:3000"),
        ("TRUSTED_PROXIES", "10.0.0.0/8,192.0.2.1/32"),
        ("MIGRATE", "false"),
        ("LOG", "info,actix_server=warn"),
        ("LOG_FORMAT", "json"),
        ("OPERATOR_WEBHOOK_EVENTS", "gatepost.key.*,gatepost.subscription.failing"),
        ("DISPATCH", "false"),
        ("EVENT_TYPES", "closed"),
        ("WEBHOOK_ALLOW_HTTP", "true"),
        ("WEBHOOK_ALLOWED_NETWORKS", "10.0.0.0/8,192.0.2.1/32"),
        ("WEBHOOK_MAX_SUBSCRIPTIONS", "1"),
        ("WEBHOOK_MAX_PAYLOAD_BYTES", "1024"),
        ("WEBHOOK_TIMEOUT_SECONDS", "30"),
        ("WEBHOOK_RETRY_SCHEDULE", "1s,90s,7d"),
        ("WEBHOOK_CONCURRENCY", "1"),
        ("WEBHOOK_RETENTION_DAYS", "90"),
    ] {
        let from_environment = with("", [(name, good)]).unwrap();
        assert_eq!(from_environment.value(name), (Some(good.into()), "environment".into()));
        let from_file = with(&format!("{} = \"{good}\"", name.to_lowercase()), []).unwrap();
        assert_eq!(from_file.value(name).0.as_deref(), Some(good));
    }
}

#[test]
fn secrets_are_not_shown() {
    let secrets = with("", [("OPERATOR_TOKEN", SECRET), ("ENCRYPTION_KEY", &format!("{KEY}, {KEY}"))]).unwrap();
    assert_eq!(secrets.value("OPERATOR_TOKEN"), (Some("***".into()), "environment".into()));
    let hook = with("", [("OPERATOR_WEBHOOK_URL", "https://hooks.example.com/s3cret?t=1")]).unwrap();
    assert_eq!(hook.value("OPERATOR_WEBHOOK_URL").0.as_deref(), Some("https://hooks.example.com"));
    let both = with("", [("OPERATOR_TOKENS", &*format!("ci:verify:{SECRET}, b2:publish+support:a:{SECRET}"))]).unwrap();
    let shown = "ci:verify:***,b2:publish+support:***";
    assert_eq!(both.value("OPERATOR_TOKENS").0.as_deref(), Some(shown), "a token may contain a colon");
    assert_eq!(secrets.value("ENCRYPTION_KEY"), (Some("***,***".into()), "environment".into()));
}

#[test]
fn a_value_that_is_not_allowed_is_refused_with_its_name_and_what_is_allowed() {
    expect_refused(&[
        ("DATABASE_URL", "mysql://h/d", "sqlite://PATH"),
        ("DATABASE_URL", "", "postgres://"),
        ("DATABASE_SHARDS", "0", "1 to 256"),
        ("DATABASE_SHARDS", "257", "1 to 256"),
        ("DATABASE_POOL_SIZE", "0", "1 to 500"),
        ("DATABASE_POOL_SIZE", "many", "1 to 500"),
        ("KEY_CACHE_SIZE", "0", "1 to 10000000"),
        ("KEY_CACHE_SIZE", "10000001", "1 to 10000000"),
        ("KEY_CACHE_SIZE", "200k", "1 to 10000000"),
        ("KEY_CACHE_MAX_AGE", "9", "10 to 86400"),
        ("KEY_CACHE_MAX_AGE", "10m", "10 to 86400"),
        ("VERIFY_WHEN_STALE", "serve", "serve: and 1 to 86400 seconds"),
        ("VERIFY_WHEN_STALE", "serve:0", "serve: and 1 to 86400 seconds"),
        ("VERIFY_WHEN_STALE", "accept:10", "refuse, or serve:"),
        ("LISTEN", "8080", "127.0.0.1:8080"),
        ("LISTEN", "localhost:8080", "127.0.0.1:8080"),
        ("METRICS_LISTEN", "9464", "or empty"),
        ("PUBLIC_URL", "gatepost.example", "http or https"),
        ("OPERATOR_WEBHOOK_EVENTS", "invoice.paid", "begin with gatepost."),
        ("OPERATOR_WEBHOOK_EVENTS", "*", "begin with gatepost."),
        ("OIDC_ISSUER", "http://id.example.com", "https"),
        ("OIDC_ISSUER", "https://id.example.com#a", "without"),
        ("OIDC_AUDIENCE", "one,,two", "one or more"),
        ("OIDC_TOKENS", "id,refresh", "id, access or both"),
        ("OIDC_TOKENS", "", "id, access or both"),
        ("OIDC_ORGANIZATION_CLAIM", "org_id", "a JSON pointer"),
        ("OIDC_ROLE_CLAIM", "/a~2b", "a JSON pointer"),
        ("ORGANIZATION_ROLES", "admin=everything", "roles and their capabilities"),
        ("ORGANIZATION_ROLES", "admin=keys,admin=webhooks", "roles and their capabilities"),
        ("ORGANIZATION_KEYS_END_WITH_MEMBER", "yes", "true or false"),
        ("DEFAULT_OWNER", "org", "user or organization"),
        ("OWNER_PROFILE", "false", "on or off"),
        ("OWNER_SEEN_WITHIN_DAYS", "29", "30 to 3650"),
        ("SCIM_SUBJECT", "sub", "externalId or userName"),
        ("SESSION_ROLE_MAX_AGE", "3601", "10 to 3600"),
        ("API_KEYS_MAX_ACTIVE", "0", "1 to 10000"),
        ("API_KEYS_MAX_ACTIVE", "-1", "1 to 10000"),
        ("API_KEY_PREFIX", "a.b", "1 to 32"),
        ("API_KEY_PREFIX", "", "1 to 32"),
        ("API_KEY_PREFIX_LENGTH", "18", "1 to 17"),
        ("API_KEYS_RETENTION_DAYS", "0", "1 to 36500"),
        ("API_KEYS_MAX_TTL_DAYS", "99999999999", "1 to 36500"),
        ("AUDIT_RETENTION_DAYS", "0", "1 to 3653"),
        ("PORTAL_NAME", "Acme\nInc", "1 to 40 characters"),
        ("PORTAL_LOGO", "logo.svg", "an SVG image"),
        ("PORTAL_COLOR", "purple", "#0b6b4f"),
        ("PORTAL_COLOR", "#ffcc00", "contrast of 4.5 to 1"),
        ("PORTAL_FRAME_ANCESTORS", "*", "origins such as"),
        ("CONSOLE", "yes", "true or false"),
        ("CORS_ORIGINS", "*", "origins such as"),
        ("CORS_ORIGINS", "https://app.example.com/", "origins such as"),
        ("CORS_ORIGINS", "https://app.example.com:443", "origins such as"),
        ("CORS_ORIGINS", "https://APP.example.com", "origins such as"),
        ("CORS_ORIGINS", "null", "origins such as"),
        ("CORS_ORIGINS", "ftp://example.com", "origins such as"),
        ("TRUSTED_PROXIES", "10.0.0.0/33", "CIDR"),
        ("MIGRATE", "yes", "true or false"),
        ("DISPATCH", "no", "true or false"),
        ("EVENT_TYPES", "Closed", "open or closed"),
        ("LOG", "inof", "error, warn, info"),
        ("LOG", "a=b=c", "error, warn, info"),
        ("LOG_FORMAT", "xml", "text or json"),
    ]);
}

#[test]
fn a_value_of_webhooks_that_is_not_allowed_is_refused_too() {
    expect_refused(&[
        ("WEBHOOK_ALLOWED_NETWORKS", "everywhere", "CIDR"),
        ("WEBHOOK_MAX_SUBSCRIPTIONS", "0", "1 to 10000"),
        ("WEBHOOK_MAX_PAYLOAD_BYTES", "1048577", "1024 to 1048576"),
        ("WEBHOOK_TIMEOUT_SECONDS", "31", "1 to 30"),
        ("WEBHOOK_RETRY_SCHEDULE", "5s,soon", "such as 5s,5m,2h,1d"),
        ("WEBHOOK_RETRY_SCHEDULE", "8d", "1s to 7d"),
        ("WEBHOOK_RETRY_SCHEDULE", "5", "1s to 7d"),
        ("WEBHOOK_RETRY_SCHEDULE", "s", "1s to 7d"),
        ("WEBHOOK_RETRY_SCHEDULE", "-5s", "1s to 7d"),
        ("WEBHOOK_RETRY_SCHEDULE", "1.5h", "1s to 7d"),
        ("WEBHOOK_RETRY_SCHEDULE", "9999999999999999999d", "1s to 7d"),
        ("WEBHOOK_RETRY_SCHEDULE", "5\u{e9}", "1s to 7d"),
        ("WEBHOOK_CONCURRENCY", "0", "1 to 10000"),
        ("WEBHOOK_RETENTION_DAYS", "0", "8 to 3650"),
        ("WEBHOOK_RETENTION_DAYS", "7", "8 to 3650"),
    ]);
}

/// Each row is a setting, a value that is not allowed, and a part of the values that the message allows.
fn expect_refused(rows: &[(&str, &str, &str)]) {
    for &(name, wrong, allowed) in rows {
        let text = problems("", [(name, wrong)]);
        assert!(text.contains(&format!("{name} is {wrong:?} (environment), but must be ")), "{text}");
        assert!(text.contains(allowed), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}

/// A receiver's URL may have a secret in its path.
#[test]
fn a_secret_that_is_not_allowed_is_not_shown() {
    for (name, wrong, allowed) in [
        ("OPERATOR_WEBHOOK_URL", "hooks.example.com", "an absolute URL"),
        ("OPERATOR_WEBHOOK_URL", "ftp://hooks.example.com/", "an absolute URL"),
        ("OPERATOR_WEBHOOK_SECRET", "hunter2", "whsec_ and base64"),
    ] {
        let text = problems("", [(name, wrong)]);
        assert!(text.contains(&format!("{name} is \"***\" (environment), but must be ")), "{text}");
        assert!(text.contains(allowed) && !text.contains(wrong), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}

#[test]
fn lists_come_as_arrays_or_with_commas() {
    let audiences = |loaded: Result<Loaded, String>| loaded.unwrap().value("OIDC_AUDIENCE").0.unwrap();
    assert_eq!(audiences(with("oidc_audience = ['a', 'b']", [])), "a,b");
    assert_eq!(audiences(with("oidc_audience = 'a, b'", [])), "a,b");
    assert_eq!(audiences(with("", [("OIDC_AUDIENCE", "a, b")])), "a,b");
    assert!(problems("listen = ['127.0.0.1:1']", []).contains("LISTEN is \"127.0.0.1:1\""));
    assert!(problems("[listen]\nport = 1", []).contains("LISTEN is \"a table\""));
}

#[test]
fn empty_means_not_set_only_where_there_is_no_default() {
    let names = ["PUBLIC_URL", "OIDC_ISSUER", "OIDC_AUDIENCE", "OPERATOR_TOKEN", "ENCRYPTION_KEY", "LOG_FORMAT"];
    for name in names.into_iter().chain(["CORS_ORIGINS", "TRUSTED_PROXIES", "AUDIT_LOG"]) {
        assert_eq!(with("", [(name, "")]).unwrap().value(name).0, None, "{name}");
    }
    let with_default = [
        "DATABASE_URL",
        "DATABASE_SHARDS",
        "DATABASE_POOL_SIZE",
        "LISTEN",
        "API_KEYS_MAX_ACTIVE",
        "KEY_CACHE_SIZE",
        "MIGRATE",
        "LOG",
    ];
    for name in with_default {
        assert!(problems("", [(name, "")]).contains(name), "{name}");
    }
}

#[test]
fn shards_are_of_postgres_and_each_server_has_one() {
    assert!(problems("", [("DATABASE_SHARDS", "2")]).contains("DATABASE_URL names a SQLite file"));
    let servers = "postgres://u:se cret@a/d postgresql://u:p:w@b,c/d?sslmode=disable";
    let few = problems("", [("DATABASE_URL", servers), ("DATABASE_SHARDS", "1")]);
    assert!(few.contains("DATABASE_URL names 2 servers") && few.contains("set it to 2 or more"), "{few}");
    let loaded = with("", [("DATABASE_URL", servers), ("DATABASE_SHARDS", "16")]).unwrap();
    let shown = "postgres://u:***@a/d postgresql://u:***@b,c/d?sslmode=disable";
    assert_eq!(loaded.value("DATABASE_URL").0.as_deref(), Some(shown));
    assert_eq!(loaded.value("DATABASE_SHARDS").0.as_deref(), Some("16"));
}

#[test]
fn the_log_is_kept_as_long_as_a_delivery_may_live() {
    let short = [("WEBHOOK_RETRY_SCHEDULE", "1s"), ("WEBHOOK_RETENTION_DAYS", "5")];
    assert!(with("", short).is_ok());
    let long = problems("", [("WEBHOOK_RETRY_SCHEDULE", "7d,7d,7d"), ("WEBHOOK_RETENTION_DAYS", "28")]);
    assert!(long.contains("WEBHOOK_RETENTION_DAYS is \"28\" (environment)") && long.contains("30 to 3650"), "{long}");
    let none = with("", [("WEBHOOK_RETRY_SCHEDULE", "")]).unwrap();
    assert_eq!(none.value("WEBHOOK_RETRY_SCHEDULE").0, None);
}

#[test]
fn the_reference_page_is_what_the_code_says() {
    let committed = include_str!("../../../../docs/configuration.md");
    let current = ConfigFile::new("").run(&["config", "--reference"], &[]).stdout;
    assert!(committed.as_bytes() == current, "write it again: cargo run -- config --reference > docs/configuration.md");
}
