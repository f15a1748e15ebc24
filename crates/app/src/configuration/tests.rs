use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

const SECRET: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A configuration file with this text, in a folder that goes with the value.
struct ConfigFile(TempDir);

impl ConfigFile {
    fn new(text: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("gatepost.toml"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("gatepost.toml")
    }

    fn beside(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }
}

fn no_needs(_: &Configuration) -> Vec<Problem> {
    Vec::new()
}

fn with<const N: usize>(file: &str, environment: [(&str, &str); N]) -> Result<Loaded, String> {
    let file = ConfigFile::new(file);
    load(Some(&file.path()), &environment.into(), no_needs).map_err(|error| error.to_string())
}

fn problems<const N: usize>(file: &str, environment: [(&str, &str); N]) -> String {
    with(file, environment).expect_err("a problem")
}

fn value(loaded: &Loaded, name: &str) -> (Option<String>, String) {
    let found = loaded.effective().find(|setting| setting.name == name).expect("a setting of the table");
    (found.value, found.origin)
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_default() {
    let file = "listen = '127.0.0.1:1'\nmigrate = false\ndatabase_pool_size = 7";
    let loaded = with(file, [("LISTEN", "127.0.0.1:2")]).unwrap();
    assert_eq!(value(&loaded, "LISTEN"), (Some("127.0.0.1:2".into()), "environment".into()));
    let (migrate, origin) = value(&loaded, "MIGRATE");
    assert_eq!((migrate.as_deref(), origin.ends_with("gatepost.toml")), (Some("false"), true));
    assert_eq!(loaded.configuration.database_pool_size, 7);
    assert_eq!(value(&loaded, "LOG"), (Some("info".into()), "default".into()));
}

#[test]
fn nothing_set_gives_the_documented_defaults() {
    let loaded = with("", []).unwrap();
    for (name, default) in [
        ("DATABASE_URL", Some("sqlite://gatepost-data/gatepost.db")),
        ("DATABASE_POOL_SIZE", Some("16")),
        ("LISTEN", Some("127.0.0.1:8080")),
        ("PUBLIC_URL", None),
        ("OIDC_ISSUER", None),
        ("OIDC_AUDIENCE", None),
        ("API_KEYS_MAX_ACTIVE", Some("10")),
        ("API_KEY_PREFIX", Some("svc_live_")),
        ("API_KEY_PREFIX_LENGTH", Some("12")),
        ("API_KEYS_RETENTION_DAYS", Some("90")),
        ("API_KEYS_MAX_TTL_DAYS", Some("3650")),
        ("OPERATOR_TOKEN", None),
        ("ENCRYPTION_KEY", None),
        ("RATE_LIMIT", None),
        ("USER_RATE_LIMIT", Some("6000/m")),
        ("CREDENTIAL_FAILURE_LIMIT", Some("100/m")),
        ("KEEP_ALIVE_SECONDS", Some("75")),
        ("MAX_CONNECTIONS", Some("8192")),
        ("MAX_CONNECTIONS_PER_ADDRESS", Some("4096")),
        ("KEY_CACHE_SIZE", Some("200000")),
        ("CORS_ORIGINS", None),
        ("TRUSTED_PROXIES", None),
        ("MIGRATE", Some("true")),
        ("LOG", Some("info")),
        ("LOG_FORMAT", None),
        ("DISPATCH", Some("true")),
        ("WEBHOOK_ALLOW_HTTP", Some("false")),
        ("WEBHOOK_ALLOWED_NETWORKS", None),
        ("WEBHOOK_MAX_SUBSCRIPTIONS", Some("100")),
        ("WEBHOOK_MAX_PAYLOAD_BYTES", Some("262144")),
        ("WEBHOOK_TIMEOUT_SECONDS", Some("15")),
        ("WEBHOOK_RETRY_SCHEDULE", Some("5s,5m,30m,2h,5h,10h,14h,20h,1d")),
        ("WEBHOOK_CONCURRENCY", Some("512")),
        ("WEBHOOK_RETENTION_DAYS", Some("30")),
    ] {
        assert_eq!(value(&loaded, name), (default.map(str::to_owned), "default".into()), "{name}");
    }
    assert_eq!(loaded.effective().count(), 34);
}

#[test]
fn every_setting_takes_a_good_value_from_either_source() {
    for (name, good) in [
        ("DATABASE_URL", "postgres://u@h/d"),
        ("DATABASE_POOL_SIZE", "500"),
        ("LISTEN", "[::1]:0"),
        ("PUBLIC_URL", "https://keys.example.com/gate"),
        ("OIDC_ISSUER", "https://id.example.com/"),
        ("OIDC_AUDIENCE", "one,two"),
        ("API_KEYS_MAX_ACTIVE", "1"),
        ("API_KEY_PREFIX", "acme-live_"),
        ("API_KEY_PREFIX_LENGTH", "17"),
        ("API_KEYS_RETENTION_DAYS", "1"),
        ("API_KEYS_MAX_TTL_DAYS", "365"),
        ("USER_RATE_LIMIT", "off"),
        ("CREDENTIAL_FAILURE_LIMIT", "10/s"),
        ("KEEP_ALIVE_SECONDS", "3600"),
        ("MAX_CONNECTIONS", "1000000"),
        ("MAX_CONNECTIONS_PER_ADDRESS", "1"),
        ("KEY_CACHE_SIZE", "10000000"),
        ("CORS_ORIGINS", "https://a.example,http://localhost:3000"),
        ("TRUSTED_PROXIES", "10.0.0.0/8,192.0.2.1/32"),
        ("MIGRATE", "false"),
        ("LOG", "info,actix_server=warn"),
        ("LOG_FORMAT", "json"),
        ("DISPATCH", "false"),
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
        assert_eq!(value(&from_environment, name), (Some(good.into()), "environment".into()));
        let from_file = with(&format!("{} = \"{good}\"", name.to_lowercase()), []).unwrap();
        assert_eq!(value(&from_file, name).0.as_deref(), Some(good));
    }
    let secrets = with("", [("OPERATOR_TOKEN", SECRET), ("ENCRYPTION_KEY", &format!("{KEY}, {KEY}"))]).unwrap();
    assert_eq!(secrets.configuration.operator_token.as_ref().unwrap().expose(), SECRET);
    assert_eq!(*secrets.configuration.encryption_keys[1].to_base64(), KEY);
}

#[test]
fn what_cannot_be_is_refused_with_name_value_and_what_is_allowed() {
    for (name, wrong, allowed) in [
        ("DATABASE_URL", "mysql://h/d", "sqlite://PATH"),
        ("DATABASE_URL", "", "postgres://"),
        ("DATABASE_POOL_SIZE", "0", "1 to 500"),
        ("DATABASE_POOL_SIZE", "many", "1 to 500"),
        ("KEY_CACHE_SIZE", "0", "1 to 10000000"),
        ("KEY_CACHE_SIZE", "10000001", "1 to 10000000"),
        ("KEY_CACHE_SIZE", "200k", "1 to 10000000"),
        ("LISTEN", "8080", "127.0.0.1:8080"),
        ("LISTEN", "localhost:8080", "127.0.0.1:8080"),
        ("PUBLIC_URL", "gatepost.example", "http or https"),
        ("OIDC_ISSUER", "http://id.example.com", "https"),
        ("OIDC_ISSUER", "https://id.example.com#a", "without"),
        ("OIDC_AUDIENCE", "one,,two", "one or more"),
        ("API_KEYS_MAX_ACTIVE", "0", "1 to 10000"),
        ("API_KEYS_MAX_ACTIVE", "-1", "1 to 10000"),
        ("API_KEY_PREFIX", "a.b", "1 to 32"),
        ("API_KEY_PREFIX", "", "1 to 32"),
        ("API_KEY_PREFIX_LENGTH", "18", "1 to 17"),
        ("API_KEYS_RETENTION_DAYS", "0", "1 to 36500"),
        ("API_KEYS_MAX_TTL_DAYS", "99999999999", "1 to 36500"),
        ("CORS_ORIGINS", "*", "origins such as"),
        ("TRUSTED_PROXIES", "10.0.0.0/33", "CIDR"),
        ("MIGRATE", "yes", "true or false"),
        ("DISPATCH", "no", "true or false"),
        ("WEBHOOK_ALLOWED_NETWORKS", "everywhere", "CIDR"),
        ("WEBHOOK_MAX_SUBSCRIPTIONS", "0", "1 to 10000"),
        ("WEBHOOK_MAX_PAYLOAD_BYTES", "1048577", "1024 to 1048576"),
        ("WEBHOOK_TIMEOUT_SECONDS", "31", "1 to 30"),
        ("WEBHOOK_RETRY_SCHEDULE", "5s,soon", "such as 5s,5m,2h,1d"),
        ("WEBHOOK_RETRY_SCHEDULE", "8d", "1s to 7d"),
        ("WEBHOOK_CONCURRENCY", "0", "1 to 10000"),
        ("WEBHOOK_RETENTION_DAYS", "0", "8 to 3650"),
        ("WEBHOOK_RETENTION_DAYS", "7", "8 to 3650"),
        ("LOG", "inof", "error, warn, info"),
        ("LOG", "a=b=c", "error, warn, info"),
        ("LOG_FORMAT", "xml", "text or json"),
    ] {
        let text = problems("", [(name, wrong)]);
        assert!(text.contains(&format!("{name} is {wrong:?} (environment), but must be ")), "{text}");
        assert!(text.contains(allowed), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}

#[test]
fn a_refused_secret_is_not_shown() {
    let short = "hunter2";
    for environment in [
        ("OPERATOR_TOKEN", short),
        ("ENCRYPTION_KEY", short),
        ("DATABASE_URL", "mysql://root:hunter2@h/d"),
        ("DATABASE_URL", "host=h password=hunter2"),
        ("OIDC_ISSUER", "https://u:hunter2@id.example.com"),
        ("PUBLIC_URL", "https://u:hunter2@id.example.com"),
        ("CORS_ORIGINS", "https://u:hunter2@id.example.com"),
    ] {
        let text = problems("", [environment]);
        assert!(text.contains("***") && !text.contains("hunter2"), "{text}");
    }
    for file in ["opreator_token = 'hunter2'", "encryption_key = hunter2", "a = 'hunter2\nb"] {
        let text = problems(file, []);
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_secret_in_force_is_printed_nowhere() {
    let url = "postgres://gatepost:hunter2@db/gatepost";
    let loaded = with("", [("DATABASE_URL", url), ("OPERATOR_TOKEN", SECRET), ("ENCRYPTION_KEY", KEY)]).unwrap();
    let shown: Vec<Effective> = loaded.effective().collect();
    let everything = format!("{shown:?} {loaded:?} {:?}", loaded.configuration);
    assert!(everything.contains("postgres://gatepost:***@db/gatepost"), "{everything}");
    for secret in ["hunter2", KEY, "0, 1, 2, 3"] {
        assert!(!everything.contains(secret), "{everything}");
    }
    assert_eq!(value(&loaded, "OPERATOR_TOKEN"), (Some("***".into()), "environment".into()));
    assert_eq!(value(&loaded, "ENCRYPTION_KEY"), (Some("***".into()), "environment".into()));
}

#[test]
fn a_value_file_is_read_without_its_newline() {
    let file = ConfigFile::new("");
    for (content, token) in [
        (SECRET.to_owned(), SECRET.to_owned()),
        (format!("{SECRET}\n"), SECRET.to_owned()),
        (format!("{SECRET}\r\n"), SECRET.to_owned()),
    ] {
        let path = file.beside("token", &content);
        let loaded = load(Some(&file.path()), &[("OPERATOR_TOKEN_FILE", path.as_str())].into(), no_needs).unwrap();
        assert_eq!(loaded.configuration.operator_token.as_ref().unwrap().expose(), token);
        assert_eq!(value(&loaded, "OPERATOR_TOKEN").1, format!("OPERATOR_TOKEN_FILE={path}"));
        let loaded = with(&format!("operator_token_file = '{path}'"), []).unwrap();
        assert_eq!(loaded.configuration.operator_token.as_ref().unwrap().expose(), token);
    }
    // Only one newline is the editor's.
    let path = file.beside("token", &format!("{SECRET}\n\n"));
    assert!(problems("", [("OPERATOR_TOKEN_FILE", &path)]).contains("OPERATOR_TOKEN is \"***\""));
}

#[test]
fn a_value_and_its_file_beside_each_other_are_refused() {
    let file = ConfigFile::new("");
    let path = file.beside("token", SECRET);
    let text = problems("", [("OPERATOR_TOKEN", SECRET), ("OPERATOR_TOKEN_FILE", &path)]);
    assert!(text.contains("OPERATOR_TOKEN and OPERATOR_TOKEN_FILE are both set (environment)"), "{text}");
    let text = problems(&format!("operator_token = '{SECRET}'\noperator_token_file = '{path}'"), []);
    assert!(text.contains("both set"), "{text}");
    // In different places, the environment wins as always.
    let loaded = with("operator_token_file = '/nowhere'", [("OPERATOR_TOKEN", SECRET)]).unwrap();
    assert_eq!(value(&loaded, "OPERATOR_TOKEN").1, "environment");
}

#[test]
fn a_value_file_that_cannot_be_read_is_named() {
    let text = problems("", [("ENCRYPTION_KEY_FILE", "/nowhere/key")]);
    assert!(text.contains("ENCRYPTION_KEY_FILE names /nowhere/key, which cannot be read: No such file"), "{text}");
    let text = problems("", [("LOG_FILE", "/dev/zero")]);
    assert!(text.contains("longer than 64 KiB"), "{text}");
}

#[test]
fn an_unknown_name_in_the_file_gets_a_suggestion() {
    for (file, hint) in [
        ("databse_url = 'x'", "databse_url"),
        ("databse_url = 'x'", "did you mean database_url?"),
        ("LISTEN = 'x'", "did you mean listen?"),
        ("oidc_audiences = ['x']", "did you mean oidc_audience?"),
        ("encryption_key_fil = 'x'", "did you mean encryption_key_file?"),
        ("zzz = 1", "`gatepost config` lists them"),
        ("[xyz]\nlisten = 'x'", "settings have no tables"),
    ] {
        let text = problems(file, []);
        assert!(text.contains("is no setting") && text.contains(hint), "{text}");
    }
}

#[test]
fn everything_wrong_is_reported_at_once() {
    let file = "api_key_prefix = 'a b'\napi_key_prefix_length = 99\napi_keys_retention_days = 0\nnonsense = 1";
    let text = problems(file, [("LISTEN", "x"), ("API_KEYS_MAX_ACTIVE", "0"), ("OPERATOR_TOKEN", "short")]);
    for name in ["API_KEY_PREFIX ", "API_KEYS_RETENTION_DAYS", "nonsense", "LISTEN", "API_KEYS_MAX_ACTIVE", "OPERATOR"]
    {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert_eq!(text.lines().count(), 7, "{text}");
}

#[test]
fn what_a_command_needs_is_reported_with_the_rest_but_not_twice() {
    let needs = |configuration: &Configuration| {
        let missing = |name| Problem::Missing { name, what: "something".to_owned() };
        assert!(configuration.oidc_issuer.is_none());
        vec![missing("OIDC_ISSUER"), missing("OIDC_AUDIENCE")]
    };
    let file = ConfigFile::new("");
    let environment = [("OIDC_ISSUER", "http://id.example"), ("LISTEN", "x")].into();
    let text = load(Some(&file.path()), &environment, needs).unwrap_err().to_string();
    assert!(text.contains("OIDC_ISSUER is \"http://id.example\"") && text.contains("LISTEN is"), "{text}");
    assert!(text.contains("OIDC_AUDIENCE is missing: something"), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
}

#[test]
fn a_file_that_is_named_must_be_there_and_be_toml() {
    let missing =
        load(Some("/nowhere/gatepost.toml".as_ref()), &Environment::default(), no_needs).unwrap_err().to_string();
    assert!(missing.contains("the file /nowhere/gatepost.toml cannot be read"), "{missing}");
    let broken = problems("listen = '127.0.0.1:1'\noperator_token = hunter2\n", []);
    assert!(broken.contains("TOML parse error at line 2, column 18"), "{broken}");
}

#[test]
fn lists_come_as_arrays_or_with_commas() {
    let audiences = |loaded: Result<Loaded, String>| loaded.unwrap().configuration.oidc_audiences;
    assert_eq!(audiences(with("oidc_audience = ['a', 'b,c']", [])), ["a", "b,c"]);
    assert_eq!(audiences(with("oidc_audience = 'a, b'", [])), ["a", "b"]);
    assert_eq!(audiences(with("", [("OIDC_AUDIENCE", "a,b")])), ["a", "b"]);
    assert!(problems("listen = ['127.0.0.1:1']", []).contains("LISTEN is \"127.0.0.1:1\""));
    assert!(problems("[listen]\nport = 1", []).contains("LISTEN is \"a table\""));
}

#[test]
fn empty_means_not_set_only_where_there_is_no_default() {
    let names = ["PUBLIC_URL", "OIDC_ISSUER", "OIDC_AUDIENCE", "OPERATOR_TOKEN", "ENCRYPTION_KEY", "LOG_FORMAT"];
    for name in names.into_iter().chain(["CORS_ORIGINS", "TRUSTED_PROXIES"]) {
        assert_eq!(value(&with("", [(name, "")]).unwrap(), name).0, None, "{name}");
    }
    let with_default =
        ["DATABASE_URL", "DATABASE_POOL_SIZE", "LISTEN", "API_KEYS_MAX_ACTIVE", "KEY_CACHE_SIZE", "MIGRATE", "LOG"];
    for name in with_default {
        assert!(problems("", [(name, "")]).contains(name), "{name}");
    }
}

#[test]
fn the_reference_page_is_what_the_code_says() {
    let committed = include_str!("../../../../docs/configuration.md");
    let current = reference_page();
    assert!(committed == current, "write it anew: cargo run -- config --reference > docs/configuration.md");
}

#[test]
fn the_log_is_kept_as_long_as_a_delivery_may_live() {
    let short = [("WEBHOOK_RETRY_SCHEDULE", "1s"), ("WEBHOOK_RETENTION_DAYS", "5")];
    assert!(with("", short).is_ok());
    let long = problems("", [("WEBHOOK_RETRY_SCHEDULE", "7d,7d,7d"), ("WEBHOOK_RETENTION_DAYS", "28")]);
    assert!(long.contains("WEBHOOK_RETENTION_DAYS is \"28\" (environment)") && long.contains("30 to 3650"), "{long}");
    let none = with("", [("WEBHOOK_RETRY_SCHEDULE", "")]).unwrap();
    assert!(none.configuration.webhooks.policy.retry_schedule().waits().is_empty());
}
