//! A running instance takes new settings over: certificates, operator tokens, and the filter of the log.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::harness::{DEADLINE, Gatepost, Request, Setup, Storage, eventually, run_gatepost, succeeded, until};

const LOG_FILTER: &str = "/api/operator/log-filter";

/// The files that an operator renews.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Writes a new certificate for 127.0.0.1 with its key, and returns it.
    pub(crate) fn certify(&self) -> CertificateDer<'static> {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
        self.write("cert.pem", &pem("CERTIFICATE", certificate.der()));
        self.write("key.pem", &pem("PRIVATE KEY", &key.serialize_der()));
        certificate.der().clone()
    }

    /// An instance with these files.
    async fn over_tls(&self) -> Setup {
        self.securing(Setup::serve(&Storage::sqlite()).await)
    }

    /// The same instance with these files.
    pub(crate) fn securing(&self, setup: Setup) -> Setup {
        setup.with("TLS_CERT_FILE", &self.text("cert.pem")).with("TLS_KEY_FILE", &self.text("key.pem"))
    }
}

pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64_STANDARD.encode(der))
}

/// A connection of a client that trusts only this certificate.
async fn connect(gatepost: &Gatepost, trusted: &CertificateDer<'static>) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from("127.0.0.1").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(gatepost.address()).await?).await
}

/// The status of an answer on this connection.
async fn status_of(connection: &mut TlsStream<TcpStream>, request: &Request) -> io::Result<String> {
    connection.write_all(&request.bytes()).await?;
    let mut head = [0; 12];
    connection.read_exact(&mut head).await?;
    // The rest fits into one record.
    let mut rest = vec![0; 16 * 1024];
    let _ = connection.read(&mut rest).await?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

async fn hang_up(gatepost: &Gatepost, line: &str) {
    gatepost.signal("HUP");
    until("the signal is logged", async || gatepost.written().contains(line)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_certificate_is_used_without_a_restart() {
    let files = Files::new();
    let old = files.certify();
    let gatepost = files.over_tls().await.start_unready().await;
    let alive = Request::new("GET", "/livez");
    let mut open = eventually("TLS answers", async || connect(&gatepost, &old).await.ok()).await;
    assert_eq!(open.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert_eq!(status_of(&mut open, &alive).await.unwrap(), "HTTP/1.1 200");

    files.write("cert.pem", "-----BEGIN CERTIFICATE-----\nnothing\n");
    hang_up(&gatepost, "TLS_CERT cannot be used").await;
    assert!(connect(&gatepost, &old).await.is_ok(), "a broken file changes nothing");

    let new = files.certify();
    hang_up(&gatepost, "\"new_certificate\":true").await;
    assert!(connect(&gatepost, &old).await.is_err());
    let mut fresh = connect(&gatepost, &new).await.unwrap();
    for connection in [&mut open, &mut fresh] {
        assert_eq!(status_of(connection, &alive).await.unwrap(), "HTTP/1.1 200");
    }
    let environment = [("LISTEN", gatepost.address().to_string()), ("TLS_CERT_FILE", files.text("cert.pem"))];
    succeeded(&run_gatepost(Path::new("/"), &["health"], &environment));
}

/// A program that renews certificates does not know Gatepost, and sends no signal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_certificate_is_found_without_a_signal() {
    let files = Files::new();
    files.certify();
    let gatepost = files.over_tls().await.start_unready().await;
    let new = files.certify();
    let patience = Instant::now() + Duration::from_secs(20);
    while connect(&gatepost, &new).await.is_err() {
        assert!(Instant::now() < patience, "the new certificate is not used");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_finish_the_handshake_is_given_up() {
    let files = Files::new();
    files.certify();
    let gatepost = files.over_tls().await.start_unready().await;
    let mut silent = TcpStream::connect(gatepost.address()).await.unwrap();
    // The beginning of a record of a handshake.
    silent.write_all(&[22, 3, 1]).await.unwrap();
    let read = timeout(DEADLINE, silent.read_to_end(&mut Vec::new())).await;
    assert!(read.is_ok(), "the connection stays open");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operator_tokens_rotate_and_the_log_changes_without_a_restart() {
    let files = Files::new();
    let [old, new] = ["old", "new"].map(|age| format!("an-{age}-token-of-the-operator-for-the-test"));
    files.write("token", &old);
    files.write("gatepost.toml", "");
    let setup = Setup::serve(&Storage::sqlite()).await.with("OPERATOR_TOKEN_FILE", &files.text("token"));
    let gatepost = setup.reading(&files.path("gatepost.toml")).start().await;
    let status = async |token: &str| {
        let request = Request::new("GET", "/api/operator/audit").bearer(token);
        gatepost.send(&request).await.status
    };
    assert_eq!((status(&old).await, status(&new).await), (200, 401));

    files.write("token", &new);
    files.write("gatepost.toml", "log = \"warn,gatepost=info\"\ndatabase_pool_size = 3\n");
    hang_up(&gatepost, "\"new_tokens\":true").await;
    let left = "\"settings\":\"DATABASE_POOL_SIZE\"";
    until("the rest is named", async || gatepost.written().contains(left)).await;
    assert_eq!((status(&old).await, status(&new).await), (401, 200));
    hang_up(&gatepost, "\"new_tokens\":false").await;
    let requests = gatepost.written().matches("\"route\":\"/api/operator/audit\"").count();
    assert_eq!(requests, 2, "lines of requests are hidden since the filter changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_changes_the_log_until_sighup() {
    const ADMIN: &str = "a-token-of-the-operator-for-this-test";
    const DESK: &str = "a-token-of-the-help-desk-for-this-test";
    let tokens = format!("desk:support+verify+publish:{DESK}");
    let setup = Setup::serve(&Storage::sqlite()).await.with("LOG", "warn").with("OPERATOR_TOKEN", ADMIN);
    let gatepost = setup.with("OPERATOR_TOKENS", &tokens).start().await;
    let present = async || gatepost.send(&Request::new("GET", LOG_FILTER).bearer(ADMIN)).await.json()["filter"].clone();
    let change = async |token: &str, filter: &str| {
        gatepost.send(&Request::new("POST", LOG_FILTER).bearer(token).json(&json!({ "filter": filter }))).await
    };
    let requests = || gatepost.written().matches("\"route\":\"/api/operator/log-filter\"").count();
    assert_eq!((present().await, requests()), (json!("warn"), 0));

    assert_eq!(change(DESK, "trace").await.status, 403);
    let wrong = change(ADMIN, "dbug").await;
    let named = wrong.json()["errors"][0]["field"].clone();
    assert_eq!((wrong.status, named), (400, json!("filter")), "{}", wrong.text());
    assert_eq!(present().await, json!("warn"));

    let changed = change(ADMIN, "warn,adapters_http=info").await;
    assert_eq!(changed.json(), json!({ "filter": "warn,adapters_http=info", "before": "warn" }));
    assert_eq!(present().await, json!("warn,adapters_http=info"));
    until("lines of requests", async || requests() == 2).await;
    let log = gatepost.send(&Request::new("GET", "/api/operator/audit?target=log").bearer(ADMIN)).await.json();
    let [event] = log["events"].as_array().unwrap().as_slice() else { panic!("{log}") };
    assert_eq!((&event["action"], &event["actor"]["id"]), (&json!("log.filter_changed"), &json!("operator")));
    let change_of_it = json!([{ "field": "logFilter", "before": "warn", "after": "warn,adapters_http=info" }]);
    assert_eq!((&event["changes"], &event["userId"]), (&change_of_it, &json!("gatepost:operator")));

    hang_up(&gatepost, "").await;
    until("LOG counts again", async || present().await == json!("warn")).await;
}
