//! The command line: `dev`, and the errors for a wrong configuration.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{
    ENCRYPTION_KEY, Gatepost, Request, Setup, User, assert_failed, complaint, eventually, free_address, run_gatepost,
    until,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_printed_curl_creates_a_key() {
    let gatepost = Setup::dev().await.start().await;
    let answer = paste(&printed_curl(&gatepost).await);
    let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let full_key = answer["key"].as_str().unwrap();
    assert!(full_key.starts_with("svc_live_"));
    assert_eq!(gatepost.whoami(full_key).await.json()["credential"]["keyId"], answer["keyId"]);
    let mode = std::os::unix::fs::PermissionsExt::mode;
    for file in
        ["gatepost-data", "gatepost-data/gatepost.db", "gatepost-data/encryption.key", "gatepost-data/provider.key"]
    {
        let permissions = std::fs::metadata(gatepost.folder().join(file)).unwrap().permissions();
        assert_eq!(mode(&permissions) & 0o077, 0, "only the owner may access {file}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_start_keeps_data_and_tokens() {
    let mut gatepost = Setup::dev().await.start().await;
    let answer: Value = serde_json::from_str(&paste(&printed_curl(&gatepost).await)).unwrap();
    let token = printed_token(&gatepost).await;
    gatepost.signal("INT");
    assert_eq!(gatepost.exited().await.code(), Some(0));
    gatepost.start_again().await;
    assert_eq!(gatepost.whoami(answer["key"].as_str().unwrap()).await.status, 200);
    assert_eq!(User::new(gatepost.address(), token).keys().await.len(), 1, "the old token is still valid");
}

/// `dev` may send webhooks to this machine, and gives tokens without a password. Other machines must not reach it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_refuses_what_a_proxy_forwards() {
    let gatepost = Setup::dev().await.start().await;
    let token = printed_token(&gatepost).await;
    let host = gatepost.address().to_string();
    let subscription = json!({ "url": "http://127.0.0.1:9000/hook", "events": ["*"] });
    let subscribe = || Request::new("POST", "/api/webhooks/subscriptions").bearer(&token).json(&subscription);
    let discover = || Request::new("GET", "/dev/oidc/.well-known/openid-configuration");
    for make in [&subscribe as &dyn Fn() -> Request, &discover] {
        assert_eq!(status_at(&gatepost, &host, &make()).await, 200);
        for (name, value) in [("x-forwarded-proto", "https"), ("forwarded", "for=203.0.113.1"), ("x-real-ip", "::1")] {
            assert_eq!(status_at(&gatepost, &host, &make().header(name, value)).await, 403, "{name}");
        }
        assert_eq!(status_at(&gatepost, "gatepost.example", &make()).await, 403);
    }
}

/// The status of the answer to a request with this `Host`.
async fn status_at(gatepost: &Gatepost, host: &str, request: &Request) -> u16 {
    let bytes = String::from_utf8(request.bytes()).unwrap().replacen("gatepost.test", host, 1);
    let mut connection = gatepost.connect().await;
    connection.send(bytes.as_bytes()).await.unwrap();
    connection.receive(&request.method).await.unwrap().status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_ends_nothing() {
    let mut gatepost = Setup::dev().await.start().await;
    printed_line(&gatepost, "curl ").await;
    for count in 1..=2 {
        gatepost.signal("HUP");
        until("the signal is logged", async || gatepost.written().matches("SIGHUP").count() == count).await;
    }
    assert_eq!(gatepost.send(&Request::new("GET", "/livez")).await.status, 200);
    assert_eq!(gatepost.exit_status(), None);
    gatepost.stop().await;
}

/// The first line of standard output that starts with `start`.
async fn printed_line(gatepost: &Gatepost, start: &str) -> String {
    eventually("the welcome is printed", async || {
        gatepost.written().lines().map(str::trim).find(|line| line.starts_with(start)).map(str::to_owned)
    })
    .await
}

/// The first printed call, after the line that sets its token.
async fn printed_curl(gatepost: &Gatepost) -> String {
    let curl = printed_line(gatepost, "curl ").await;
    format!("{}\n{curl}", printed_line(gatepost, "ID_TOKEN=").await)
}

async fn printed_token(gatepost: &Gatepost) -> String {
    let line = printed_line(gatepost, "ID_TOKEN=").await;
    line.trim_start_matches("ID_TOKEN=").trim_matches('\'').to_owned()
}

fn paste(line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).output().expect("sh runs");
    assert!(output.status.success(), "{} (this test needs curl: apt-get install -y curl)", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn dev_stays_on_this_machine() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8080"] {
        assert_refused(&run(&["dev"], &[("LISTEN", listen)]), "LISTEN");
    }
    let abroad = run(&["dev"], &[("LISTEN", &free_address().to_string()), ("PUBLIC_URL", "https://keys.example")]);
    assert_refused(&abroad, "PUBLIC_URL");
}

#[test]
fn serve_names_what_is_missing() {
    let complete = complete();
    for missing in ["OIDC_ISSUER", "OIDC_AUDIENCE", "ENCRYPTION_KEY"] {
        let rest: Vec<_> = complete.iter().copied().filter(|(name, _)| *name != missing).collect();
        let output = run(&["serve"], &rest);
        assert_refused(&output, missing);
        for (other, _) in rest {
            assert!(!complaint(&output).contains(other), "{other} is not missing: {}", complaint(&output));
        }
    }
}

#[test]
fn an_invalid_value_is_refused_by_name() {
    for (name, value) in [
        ("DATABASE_URL", "mysql://localhost/keys"),
        ("DATABASE_URL", ""),
        ("DATABASE_POOL_SIZE", "0"),
        ("DATABASE_POOL_SIZE", "many"),
        ("LISTEN", "8080"),
        ("LISTEN", "127.0.0.1:99999"),
        ("PUBLIC_URL", "keys.example"),
        ("OIDC_ISSUER", "http://login.example"),
        ("OIDC_ISSUER", "not a URL"),
        ("API_KEYS_MAX_ACTIVE", "0"),
        ("API_KEYS_MAX_ACTIVE", "-1"),
        ("API_KEYS_MAX_ACTIVE", "ten"),
        ("API_KEY_PREFIX", ""),
        ("API_KEY_PREFIX", "svc live"),
        ("API_KEY_PREFIX", &"p".repeat(33)),
        ("API_KEY_PREFIX_LENGTH", "0"),
        ("API_KEY_PREFIX_LENGTH", "18"),
        ("API_KEYS_RETENTION_DAYS", "soon"),
        ("OPERATOR_TOKEN", "short"),
        ("ENCRYPTION_KEY", "c2hvcnQ="),
        ("CORS_ORIGINS", "*"),
        ("TRUSTED_PROXIES", "10.0.0.0/99"),
        ("LOG_FORMAT", "xml"),
        ("DATABASE_URL_FILE", "/does/not/exist"),
    ] {
        let mut environment = complete();
        environment.retain(|(known, _)| *known != name);
        environment.push((name, value));
        let output = run(&["serve"], &environment);
        assert_refused(&output, name);
        if ["OPERATOR_TOKEN", "ENCRYPTION_KEY"].contains(&name) {
            assert!(!complaint(&output).contains(value), "a secret is not shown");
        }
    }
}

#[test]
fn an_unknown_setting_is_refused_with_a_suggestion() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("gatepost.toml"), "api_keys_max_activ = 3\n").unwrap();
    let output = run_gatepost(folder.path(), &["serve"], &complete());
    assert_refused(&output, "api_keys_max_activ");
    assert!(complaint(&output).to_lowercase().contains("did you mean api_keys_max_active"), "{}", complaint(&output));
}

#[test]
fn wrong_usage_exits_2() {
    for arguments in [["serv"].as_slice(), &["serve", "--colour"], &["migrate", "sideways"], &["token"], &[]] {
        let output = run(arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", complaint(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}: errors go to standard error");
    }
    for arguments in [["--help"].as_slice(), &["--version"], &["serve", "--help"]] {
        assert_eq!(run(arguments, &[]).status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn config_shows_origins_and_masks_secrets() {
    let folder = TempDir::new().unwrap();
    let secret_file = folder.path().join("operator-token");
    std::fs::write(&secret_file, "a-secret-of-the-operator-in-a-file-of-its-own\n").unwrap();
    let environment = [
        ("DATABASE_URL", "postgres://app:database-password@db.example/keys"),
        ("ENCRYPTION_KEY", ENCRYPTION_KEY),
        ("OPERATOR_TOKEN_FILE", secret_file.to_str().unwrap()),
    ];
    for arguments in [["config"].as_slice(), &["config", "--json"]] {
        let output = run_gatepost(folder.path(), arguments, &environment);
        assert!(output.status.success(), "{}", complaint(&output));
        let shown = String::from_utf8(output.stdout.clone()).unwrap();
        for secret in ["database-password", ENCRYPTION_KEY, "a-secret-of-the-operator"] {
            assert!(!shown.contains(secret) && !complaint(&output).contains(secret), "{shown}");
        }
        assert!(shown.contains("db.example") && shown.contains("svc_live_"), "{shown}");
    }
}

/// The settings that `serve` requires.
fn complete() -> Vec<(&'static str, &'static str)> {
    vec![
        ("LISTEN", "127.0.0.1:0"),
        ("DATABASE_URL", "sqlite://gatepost.db"),
        ("OIDC_ISSUER", "https://login.example"),
        ("OIDC_AUDIENCE", "suite"),
        ("ENCRYPTION_KEY", ENCRYPTION_KEY),
    ]
}

fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    run_gatepost(TempDir::new().unwrap().path(), arguments, environment)
}

/// Checks for `EX_CONFIG`, with the setting's name on standard error.
#[track_caller]
fn assert_refused(output: &Output, name: &str) {
    assert_failed(output, 78, name);
}
