//! A whole session with known secrets, at the most verbose log level, and then a search for each secret, in every form,
//! in everything that the service wrote.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::console::hexadecimal;
use crate::harness::{
    Browser, Gatepost, Request, Response, Setup, Storage, User, contains, database_files, find, own_server,
};
use crate::traces::Collector;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_leaks_over_sqlite() {
    no_secret_is_in_logs_files_or_errors(Storage::sqlite()).await;
}

/// Uses a separate cluster, because the test searches every file of the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_leaks_over_postgres() {
    no_secret_is_in_logs_files_or_errors(Storage::postgres_in(own_server().await).await).await;
}

const PASSWORD: &str = "canary-password-of-the-database";
const OPERATOR_TOKEN: &str = "canary-operator-token-canary-operator-token";
const COLLECTOR_TOKEN: &str = "canary-token-of-the-collector";

struct Needle {
    what: String,
    bytes: Vec<u8>,
}

async fn no_secret_is_in_logs_files_or_errors(storage: Storage) {
    let url = storage.url().replace("postgres@", &format!("postgres:{PASSWORD}@"));
    let collector = Collector::start().await;
    let setup = Setup::serve(&storage).await.with("DATABASE_URL", &url).with("OPERATOR_TOKEN", OPERATOR_TOKEN);
    let setup = setup.with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint()).with("OTEL_TRACES_SAMPLER_ARG", "1");
    let setup = setup.with("OTEL_EXPORTER_OTLP_HEADERS", &format!("x-token={COLLECTOR_TOKEN}"));
    let mut gatepost = setup.with("LOG", "trace").with("AUDIT_LOG", "stdout").start().await;
    let alice = gatepost.user("alice");
    let mut keys = Vec::new();
    for number in 0..4 {
        keys.push(alice.created(&format!("key {number}")).await);
    }
    let mut errors = session(&gatepost, &alice, &keys).await;
    let (code, cookie) = visit(&gatepost, &mut errors).await;
    gatepost.stop().await;

    let full_keys: Vec<&str> = keys.iter().map(|(full_key, _)| full_key.as_str()).collect();
    let of_visit = [&*code, &*cookie];
    let of_keys = full_keys.iter().chain(&of_visit).flat_map(|key| forms_of_key(key));
    let secrets: Vec<Needle> = of_keys.chain(forms_of_token(&alice.token)).collect();
    let digests: Vec<Needle> = full_keys.iter().chain(&[&*cookie]).map(|key| raw_digest(key)).collect();
    let settings = [PASSWORD, OPERATOR_TOKEN, COLLECTOR_TOKEN, "AAAAAAAAAAAAAAAAAAAAAAAA"]
        .map(|secret| needle("a setting", secret.as_bytes()));

    let exported = collector.requests();
    assert!(collector.spans().len() > 50, "{} requests are traced", collector.spans().len());
    let written = gatepost.written();
    assert!(written.contains("{\"id\":\"aud_"), "the copy of the audit log is searched, too");
    assert!(written.contains("TRACE") || written.contains("trace"), "the log is verbose");
    for needle in secrets.iter().chain(&digests).chain(&settings) {
        assert_absent(needle, written.as_bytes(), "the log");
        for request in &exported {
            assert_absent(needle, &request.body, "a trace");
        }
        for error in &errors {
            assert_absent(needle, &error.body, "the body of an error");
            assert_absent(needle, format!("{:?}", error.headers).as_bytes(), "the head of an error");
        }
    }
    search_files(&storage, &secrets, &digests).await;
}

/// Makes valid and invalid calls with the keys, and returns the errors.
async fn session(gatepost: &Gatepost, alice: &User, keys: &[(String, String)]) -> Vec<Response> {
    for (full_key, _) in keys {
        assert_eq!(gatepost.whoami(full_key).await.status, 200);
    }
    assert_eq!(alice.revoke(&keys[0].1).await.status, 200);
    let mut errors = vec![gatepost.whoami(&keys[0].0).await];
    for (full_key, id) in keys {
        for request in wrong_requests(full_key, id, &alice.token) {
            let response = gatepost.send(&request).await;
            let (status, path) = (response.status, &request.path);
            assert!((400..500).contains(&status), "{status} for {} {path}", request.method);
            errors.push(response);
        }
        for raw in [
            format!("GET /{full_key} HTTP/9.9\r\n\r\n"),
            format!("{full_key}\r\n\r\n"),
            format!("GET / HTTP/1.1\r\n{full_key}\r\n\r\n"),
        ] {
            let mut connection = gatepost.connect().await;
            connection.send(raw.as_bytes()).await.unwrap();
            connection.finish().await.unwrap();
            errors.extend(connection.receive("GET").await.ok());
        }
    }
    errors
}

/// Comes by a portal link, and sends both of its secrets to wrong places. Returns the secret part of the code, and the
/// secret of the session.
async fn visit(gatepost: &Gatepost, errors: &mut Vec<Response>) -> (String, String) {
    let (mut browser, code) = Browser::by_link(gatepost.address(), OPERATOR_TOKEN, "alice").await;
    let open = Request::new("POST", "/api/session");
    let cookie = browser.cookie("gatepost-session").unwrap().to_owned();
    let secret = code.split_once('.').unwrap().0.to_owned();
    for request in [
        open.clone().json(&json!({ "code": code })),
        open.json(&json!({ "code": { &*code: cookie } })),
        Request::new("GET", &format!("/api/sessions?{cookie}={secret}")),
        Request::new("DELETE", &format!("/api/sessions/{cookie}")),
        Request::new("POST", "/api/api-keys").json(&json!({ "label": cookie.repeat(3), "idToken": secret })),
        Request::new("GET", "/api/whoami").bearer(&cookie),
        Request::new("GET", "/api/session").header("authorization", &format!("Bearer {secret}")),
        Request::new("GET", &format!("/console/callback?code={secret}&state={cookie}")),
    ] {
        let response = browser.send(gatepost.address(), request).await;
        assert!((400..500).contains(&response.status), "{}", response.text());
        errors.push(response);
    }
    (secret, cookie)
}

/// Every place into which a secret could leak.
fn wrong_requests(full_key: &str, id: &str, token: &str) -> Vec<Request> {
    let post = Request::new("POST", "/api/api-keys");
    let signed = post.clone().bearer(token);
    let broken_token = &token[..token.len() - 1];
    vec![
        post.clone().bearer(full_key).json(&json!({ "label": "x" })),
        post.clone().header("x-id-token", full_key).json(&json!({ "label": full_key })),
        post.clone().json(&json!({ "label": "x", "idToken": full_key })),
        post.clone().json(&json!({ "label": "x", "idToken": broken_token })),
        post.bearer(broken_token).json(&json!({ "label": "x" })),
        signed.clone().json(&json!({ "label": [full_key] })),
        signed.clone().json(&json!({ "label": "x".repeat(200) + full_key })),
        signed.clone().json(&json!({ "label": "x", "expiresAt": full_key })),
        signed.clone().text("application/json", &format!("{{\"label\": {full_key}")),
        signed.clone().text("application/json", &format!("\"{full_key}\"")),
        signed.text(&format!("text/{full_key}"), full_key),
        Request::new("DELETE", "/api/api-keys").bearer(token).json(&json!({ "keyId": full_key })),
        Request::new("DELETE", "/api/api-keys").bearer(token).json(&json!({ "keyId": { full_key: id } })),
        Request::new("GET", &format!("/api/whoami/{full_key}")),
        Request::new("GET", &format!("/api/whoami?key={full_key}&token={token}")),
        Request::new("GET", &format!("/{token}")),
        Request::new("GET", &format!("/docs/errors/{full_key}")),
        Request::new("PUT", "/api/api-keys").bearer(full_key),
        Request::new("GET", "/api/whoami").header("x-api-key", &format!("{full_key}x")),
        Request::new("GET", "/api/whoami").header("authorization", &format!("Basic {full_key}")),
        Request::new("GET", "/api/whoami").header("cookie", &format!("key={full_key}")),
        Request::new("GET", "/nowhere")
            .header("x-request-id", full_key)
            .header("referer", &format!("http://a/?{full_key}")),
    ]
}

/// The files have the digests as raw bytes, and no other form of a key. Finding the digests shows that the search
/// works.
async fn search_files(storage: &Storage, secrets: &[Needle], digests: &[Needle]) {
    let contents = database_files(storage).await;
    for digest in digests {
        assert!(contents.iter().any(|(_, content)| contains(content, &digest.bytes)), "the digest is stored");
    }
    for (path, content) in &contents {
        for secret in secrets {
            assert_absent(secret, content, &path.display().to_string());
        }
    }
}

/// The key, its body alone, and its digest as text. The raw digest is not one of them, because the database has it.
fn forms_of_key(full_key: &str) -> Vec<Needle> {
    let digest = Sha256::digest(full_key.as_bytes());
    let hex = hexadecimal(&digest);
    let listed: String = format!("{:?}", digest.as_slice());
    vec![
        needle("a full key", full_key.as_bytes()),
        needle("the body of a key", &full_key.as_bytes()[12..41]),
        needle("a full key in base64", BASE64_STANDARD_NO_PAD.encode(full_key).as_bytes()),
        needle("a digest in hex", hex.as_bytes()),
        needle("a digest in capital hex", hex.to_uppercase().as_bytes()),
        needle("a digest in base64", BASE64_STANDARD.encode(digest).as_bytes()),
        needle("a digest in URL-safe base64", BASE64_URL_SAFE_NO_PAD.encode(digest).as_bytes()),
        needle("a digest as a list", listed.trim_matches(['[', ']']).as_bytes()),
    ]
}

fn forms_of_token(token: &str) -> Vec<Needle> {
    let signature = token.rsplit('.').next().unwrap();
    // Only the last characters are missing from the broken token.
    vec![
        needle("an ID token", &token.as_bytes()[..token.len() - 1]),
        needle("a signature", &signature.as_bytes()[..80]),
    ]
}

fn raw_digest(full_key: &str) -> Needle {
    needle("a raw digest", &Sha256::digest(full_key.as_bytes()))
}

fn needle(what: &str, bytes: &[u8]) -> Needle {
    Needle { what: what.into(), bytes: bytes.to_vec() }
}

#[track_caller]
fn assert_absent(needle: &Needle, haystack: &[u8], place: &str) {
    let Some(at) = find(haystack, &needle.bytes) else { return };
    let around = &haystack[at.saturating_sub(200)..haystack.len().min(at + needle.bytes.len() + 80)];
    panic!("{} is in {place}: …{}…", needle.what, String::from_utf8_lossy(around));
}
