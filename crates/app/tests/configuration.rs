//! The configuration as an operator meets it: what `gatepost config` shows, and what the binary says to values that are
//! not allowed.

#![expect(clippy::unwrap_used, reason = "a test fails with a panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const SECRET: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// A configuration file with this text, in a folder that is deleted with the value.
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

    /// Writes a file beside it, and answers its path.
    fn beside(&self, name: &str, content: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Runs `gatepost` with this file and this environment.
    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut gatepost = Command::new(env!("CARGO_BIN_EXE_gatepost"));
        gatepost.arg("--config").arg(self.path()).args(arguments).env_clear().envs(environment.iter().copied());
        gatepost.output().unwrap()
    }

    /// The configuration with this environment, or the complaint.
    fn load(&self, environment: &[(&str, &str)]) -> Result<Loaded, String> {
        loaded(&self.run(&["config", "--json"], environment))
    }
}

/// What `gatepost config` shows.
#[derive(Debug)]
struct Loaded {
    settings: Vec<Value>,
    complaint: String,
}

impl Loaded {
    /// The value of a setting, and where it came from.
    fn value(&self, name: &str) -> (Option<String>, String) {
        let setting = self.settings.iter().find(|setting| setting["name"] == name).expect("a setting of the table");
        (setting["value"].as_str().map(str::to_owned), setting["origin"].as_str().unwrap().to_owned())
    }
}

fn loaded(output: &Output) -> Result<Loaded, String> {
    let complaint = String::from_utf8(output.stderr.clone()).unwrap();
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(78), "{complaint}");
        return Err(complaint.trim_end().to_owned());
    }
    Ok(Loaded { settings: serde_json::from_slice(&output.stdout).unwrap(), complaint })
}

fn with<const N: usize>(file: &str, environment: [(&str, &str); N]) -> Result<Loaded, String> {
    ConfigFile::new(file).load(&environment)
}

fn problems<const N: usize>(file: &str, environment: [(&str, &str); N]) -> String {
    with(file, environment).expect_err("a problem")
}

fn value(loaded: &Loaded, name: &str) -> (Option<String>, String) {
    loaded.value(name)
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_default() {
    let file = "listen = '127.0.0.1:1'\nmigrate = false\ndatabase_pool_size = 7";
    let loaded = with(file, [("LISTEN", "127.0.0.1:2")]).unwrap();
    assert_eq!(value(&loaded, "LISTEN"), (Some("127.0.0.1:2".into()), "environment".into()));
    let (migrate, origin) = value(&loaded, "MIGRATE");
    assert_eq!((migrate.as_deref(), origin.ends_with("gatepost.toml")), (Some("false"), true));
    assert_eq!(value(&loaded, "DATABASE_POOL_SIZE").0.as_deref(), Some("7"));
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
        ("OIDC_CLIENT_ID", None),
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
        ("KEY_CACHE_MAX_AGE", Some("600")),
        ("VERIFY_WHEN_STALE", Some("refuse")),
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
    assert_eq!(loaded.settings.len(), 37);
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
        ("OIDC_CLIENT_ID", "web,app"),
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
        ("KEY_CACHE_MAX_AGE", "86400"),
        ("VERIFY_WHEN_STALE", "serve:86400"),
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
    assert_eq!(value(&secrets, "OPERATOR_TOKEN"), (Some("***".into()), "environment".into()));
    assert_eq!(value(&secrets, "ENCRYPTION_KEY"), (Some("***,***".into()), "environment".into()));
}

#[test]
fn a_value_that_is_not_allowed_is_refused_with_its_name_and_what_is_allowed() {
    for (name, wrong, allowed) in [
        ("DATABASE_URL", "mysql://h/d", "sqlite://PATH"),
        ("DATABASE_URL", "", "postgres://"),
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
        ("CORS_ORIGINS", "https://app.example.com/", "origins such as"),
        ("CORS_ORIGINS", "https://app.example.com:443", "origins such as"),
        ("CORS_ORIGINS", "https://APP.example.com", "origins such as"),
        ("CORS_ORIGINS", "null", "origins such as"),
        ("CORS_ORIGINS", "ftp://example.com", "origins such as"),
        ("TRUSTED_PROXIES", "10.0.0.0/33", "CIDR"),
        ("MIGRATE", "yes", "true or false"),
        ("DISPATCH", "no", "true or false"),
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
    let file = ConfigFile::new("");
    for arguments in [["config"].as_slice(), &["config", "--json"]] {
        let environment = [("DATABASE_URL", url), ("OPERATOR_TOKEN", SECRET), ("ENCRYPTION_KEY", KEY)];
        let output = file.run(arguments, &environment);
        let everything = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(everything.contains("postgres://gatepost:***@db/gatepost"), "{everything}");
        assert!(!everything.contains("hunter2") && !everything.contains(KEY), "{everything}");
    }
}

#[test]
fn a_value_file_is_read_without_its_newline() {
    let file = ConfigFile::new("");
    for content in ["127.0.0.1:9", "127.0.0.1:9\n", "127.0.0.1:9\r\n"] {
        let path = file.beside("listen", content);
        let loaded = file.load(&[("LISTEN_FILE", &path)]).unwrap();
        assert_eq!(value(&loaded, "LISTEN"), (Some("127.0.0.1:9".into()), format!("LISTEN_FILE={path}")));
        let loaded = with(&format!("listen_file = '{path}'"), []).unwrap();
        assert_eq!(value(&loaded, "LISTEN").0.as_deref(), Some("127.0.0.1:9"));
    }
    // Only one newline belongs to the editor.
    let path = file.beside("token", &format!("{SECRET}\n\n"));
    assert!(problems("", [("OPERATOR_TOKEN_FILE", &path)]).contains("OPERATOR_TOKEN is \"***\""));
}

#[test]
fn a_value_file_that_everyone_can_write_is_reported() {
    let file = ConfigFile::new("");
    let path = file.beside("token", SECRET);
    let complaint = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        file.load(&[("OPERATOR_TOKEN_FILE", &path)]).unwrap().complaint
    };
    assert_eq!(complaint(0o644), "");
    let warning = complaint(0o646);
    assert!(warning.contains(&format!("every user of this machine can write {path}")), "{warning}");
}

#[test]
fn a_misspelt_variable_is_reported_without_its_value() {
    for (name, nearest) in [
        ("DATABSE_URL", "DATABASE_URL"),
        ("OIDC_AUDIENCES", "OIDC_AUDIENCE"),
        ("ENCRYPTION_KEYS", "ENCRYPTION_KEY"),
        ("OPERATOR_TOKEN_FIEL", "OPERATOR_TOKEN_FILE"),
        ("LISTNE", "LISTEN"),
        ("GATEPOST_LISTEN", "LISTEN"),
        ("GATEPOST_OPERATER_TOKEN", "OPERATOR_TOKEN"),
        ("GATEPOST_IDTOKEN", "GATEPOST_ID_TOKEN"),
    ] {
        let warning = with("", [(name, "postgres://u:hunter2@h/d")]).unwrap().complaint;
        let expected = format!("unknown variable {name} in the environment; did you mean {nearest}?");
        assert!(warning.contains(&expected) && !warning.contains("hunter2"), "{warning}");
    }
    assert!(with("", [("GATEPOST_BIN", "x")]).unwrap().complaint.contains("unknown variable GATEPOST_BIN"));
    for other in ["LOGNAME", "LOGS", "LISTEN_FDS", "LISTEN_PID", "HOSTNAME", "OIDC_CLIENT_SECRET", "GATEPOST_URL"] {
        assert_eq!(with("", [(other, "1")]).unwrap().complaint, "", "{other}");
    }
}

#[test]
fn a_client_without_a_url_calls_the_listener_of_the_configuration() {
    for (listen, url) in
        [("0.0.0.0:1", "http://127.0.0.1:1"), ("[::]:1", "http://[::1]:1"), ("127.0.0.2:1", "http://127.0.0.2:1")]
    {
        let output = ConfigFile::new("").run(&["token", "--user", "alice"], &[("LISTEN", listen)]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(&format!("nothing answers at {url};")), "{complaint}");
    }
}

#[test]
fn every_variable_of_the_client_that_is_wrong_is_named_and_no_secret_is_shown() {
    let environment = [
        ("GATEPOST_URL", "https://user:swordfish@keys.example"),
        ("GATEPOST_ID_TOKEN", "sword fish"),
        ("GATEPOST_API_KEY", "svc_live_swordfish\n\n"),
        ("GATEPOST_WEBHOOK_SECRET", "whsec_swordfish"),
        ("GATEPOST_OPERATOR_TOKEN_FILE", "/does/not/exist"),
    ];
    let text = loaded(&ConfigFile::new("").run(&["keys", "list"], &environment)).unwrap_err();
    for (name, _) in environment {
        assert!(text.contains(name), "{text}");
    }
    assert!(text.contains(r#"GATEPOST_URL is "https://user:***@keys.example""#), "{text}");
    assert!(!text.contains("swordfish") && !text.contains("sword fish"), "{text}");
}

#[test]
fn a_password_in_a_database_url_never_shows() {
    for (url, shown) in [
        ("postgres://u:hunter2@h/d", "postgres://u:***@h/d"),
        ("postgres://u:hunter2@x/?:y@h/d", "postgres://u:***@h/d"),
        ("postgres://u@h:5432/d?sslmode=require", "postgres://u@h:5432/d?sslmode=require"),
        ("postgres://u@h/d?password=hunter2&sslmode=require", "postgres://u@h/d?password=***&sslmode=require"),
        ("postgres://h/d?hunter2", "postgres://h/d?***"),
        ("sqlite:///data/a.db", "sqlite:///data/a.db"),
    ] {
        assert_eq!(value(&with("", [("DATABASE_URL", url)]).unwrap(), "DATABASE_URL").0.as_deref(), Some(shown));
    }
    for (wrong, shown) in
        [("u:hunter2@h/d", "***"), ("gatepost.db", "gatepost.db"), ("sqlite://:memory:", "sqlite://:memory:")]
    {
        let text = problems("", [("DATABASE_URL", wrong)]);
        assert!(text.contains(&format!("DATABASE_URL is {shown:?}")), "{text}");
    }
}

#[test]
fn tls_without_certificate_authorities_fails_and_says_how_to_choose() {
    let (empty, file) = (TempDir::new().unwrap(), ConfigFile::new(""));
    let nowhere = empty.path().join("none.pem");
    let serve = |url: &str| {
        let environment = [
            ("DATABASE_URL", url),
            ("OIDC_ISSUER", "https://id.example"),
            ("OIDC_AUDIENCE", "a"),
            ("ENCRYPTION_KEY", KEY),
            ("SSL_CERT_FILE", nowhere.to_str().unwrap()),
            ("SSL_CERT_DIR", empty.path().to_str().unwrap()),
        ];
        loaded(&file.run(&["serve"], &environment)).unwrap_err()
    };
    for url in ["postgres://u@127.0.0.1:1/d", "postgres://u@127.0.0.1:1/d?sslmode=require"] {
        let text = serve(url);
        assert!(text.contains("sslmode=disable") && text.contains("SSL_CERT_FILE"), "{text}");
    }
}

#[test]
fn a_refused_value_that_is_not_a_secret_is_shown() {
    let text = loaded(&ConfigFile::new("").run(&["keys", "list"], &[("GATEPOST_URL", "keys.example")])).unwrap_err();
    assert!(text.contains(r#"GATEPOST_URL is "keys.example""#), "{text}");
    let url = "postgres://u@h/d?target_session_attrs=read-write&pasword=hunter2";
    let shown = value(&with("", [("DATABASE_URL", url)]).unwrap(), "DATABASE_URL").0.unwrap();
    assert_eq!(shown, "postgres://u@h/d?target_session_attrs=read-write&pasword=***");
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
    assert!(
        text.contains("ENCRYPTION_KEY_FILE names /nowhere/key, which gatepost cannot read: No such file"),
        "{text}"
    );
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
        ("[xyz]\nlisten = 'x'", "the file has no tables"),
    ] {
        let text = problems(file, []);
        assert!(text.contains("unknown setting") && text.contains(hint), "{text}");
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
    let environment = [("OIDC_ISSUER", "http://id.example"), ("LISTEN", "x")];
    let text = loaded(&ConfigFile::new("").run(&["serve"], &environment)).unwrap_err();
    assert!(text.contains("OIDC_ISSUER is \"http://id.example\"") && text.contains("LISTEN is"), "{text}");
    assert!(text.contains("OIDC_AUDIENCE is missing") && text.contains("ENCRYPTION_KEY is missing"), "{text}");
    assert_eq!(text.lines().count(), 5, "{text}");
}

#[test]
fn a_file_that_is_named_must_be_there_and_be_toml() {
    let file = ConfigFile::new("");
    fs::remove_file(file.path()).unwrap();
    let missing = file.load(&[]).unwrap_err();
    assert!(missing.contains(&format!("cannot read the file {}", file.path().display())), "{missing}");
    let broken = problems("listen = '127.0.0.1:1'\noperator_token = hunter2\n", []);
    assert!(broken.contains("TOML parse error at line 2, column 18"), "{broken}");
}

#[test]
fn lists_come_as_arrays_or_with_commas() {
    let audiences = |loaded: Result<Loaded, String>| value(&loaded.unwrap(), "OIDC_AUDIENCE").0.unwrap();
    assert_eq!(audiences(with("oidc_audience = ['a', 'b']", [])), "a,b");
    assert_eq!(audiences(with("oidc_audience = 'a, b'", [])), "a,b");
    assert_eq!(audiences(with("", [("OIDC_AUDIENCE", "a, b")])), "a,b");
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
    let committed = include_str!("../../../docs/configuration.md");
    let current = ConfigFile::new("").run(&["config", "--reference"], &[]).stdout;
    assert!(committed.as_bytes() == current, "write it again: cargo run -- config --reference > docs/configuration.md");
}

#[test]
fn the_log_is_kept_as_long_as_a_delivery_may_live() {
    let short = [("WEBHOOK_RETRY_SCHEDULE", "1s"), ("WEBHOOK_RETENTION_DAYS", "5")];
    assert!(with("", short).is_ok());
    let long = problems("", [("WEBHOOK_RETRY_SCHEDULE", "7d,7d,7d"), ("WEBHOOK_RETENTION_DAYS", "28")]);
    assert!(long.contains("WEBHOOK_RETENTION_DAYS is \"28\" (environment)") && long.contains("30 to 3650"), "{long}");
    let none = with("", [("WEBHOOK_RETRY_SCHEDULE", "")]).unwrap();
    assert_eq!(value(&none, "WEBHOOK_RETRY_SCHEDULE").0, None);
}
