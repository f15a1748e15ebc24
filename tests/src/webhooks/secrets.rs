use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Timestamp;
use gatepost_client::webhooks::PublicKey;
use serde_json::{Value, json};

use super::host::{Consumer, Host, SUBSCRIPTIONS, setup, started};
use super::receiver::{Behaviour, Receiver};
use super::signatures::{key_set, verified};
use super::tls_receiver::TlsReceiver;
use crate::harness::{
    ENCRYPTION_KEY, Gatepost, Request, Setup, Storage, contains, database_files, on_both_databases, own_server, until,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_signing_secret_is_in_the_files_of_sqlite() {
    no_signing_secret_is_in_the_files(Storage::sqlite()).await;
}

/// Uses a separate cluster, because the test searches every file of the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_signing_secret_is_in_the_files_of_postgres() {
    no_signing_secret_is_in_the_files(Storage::postgres_in(own_server().await).await).await;
}

const OWN_SECRET: &str = "canary-signing-secret-of-the-consumers-own";
const HEADER: &str = "canary-value-of-a-header";
const PASSWORD: &str = "canary-password";
const TOKEN: &str = "canary-token-of-the-receiver";
const CLIENT_SECRET: &str = "canary-secret-of-a-client";
const ACCESS_TOKEN: &str = "canary-access-token";
/// A key of 32 bytes, different from the key of the suite.
const NEW_KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

async fn no_signing_secret_is_in_the_files(storage: Storage) {
    let (strict, folder) = (TlsReceiver::requiring_certificates().await, tempfile::tempdir().unwrap());
    let authority = strict.authority_file(folder.path());
    let setup = setup(&storage).await.with("LOG", "trace").with("SSL_CERT_FILE", authority.to_str().unwrap());
    let (mut gatepost, receiver, consumer) = started(setup).await;
    let (id, made) = consumer.subscribe(&receiver.url(), &["*"]).await;
    let own = json!({ "url": receiver.url(), "events": ["*"], "secret": OWN_SECRET, "description": "a canary sings" });
    consumer.create(&own).await;
    let carried = json!({
        "url": receiver.url(), "events": ["*"], "headers": { "X-Canary": HEADER },
        "auth": { "type": "basic", "username": "canary", "password": PASSWORD },
    });
    let changed = format!("{SUBSCRIPTIONS}/{}", consumer.create(&carried).await.0);
    let token = json!({ "headers": { "x-canary": HEADER }, "auth": { "type": "bearer", "token": TOKEN } });
    consumer.call(Request::new("PATCH", &changed).json(&token)).await;
    let wrong = json!({ "headers": { "x-canary": format!("{HEADER}\n") }, "auth": { "type": "bearer", "token": format!("{TOKEN} ") } });
    assert_eq!(consumer.send(Request::new("PATCH", &changed).json(&wrong)).await.status, 400);
    let test = json!({ "url": receiver.url(), "headers": { "x-canary": HEADER }, "auth": token["auth"] });
    consumer.call(Request::new("POST", "/api/webhooks/test").json(&test)).await;
    let granted = json!({ "access_token": ACCESS_TOKEN, "expires_in": 3600 }).to_string();
    let endpoint = Receiver::start(Behaviour::answer("200 OK", "content-type: application/json\r\n", &granted)).await;
    let client = json!({
        "url": receiver.url(), "events": ["*"],
        "auth": { "type": "oauth2", "tokenUrl": endpoint.url(), "clientId": "canary", "clientSecret": CLIENT_SECRET },
    });
    consumer.create(&client).await;
    let certified = strict.client(Timestamp::MAX);
    let wish = certified.wish();
    let private_key = wish["key"].as_str().unwrap().lines().nth(1).unwrap().to_owned();
    let mixed =
        json!({ "url": strict.url(), "events": ["*"], "clientCertificate": { "chain": "x", "key": wish["key"] } });
    assert_eq!(consumer.send(Request::new("POST", SUBSCRIPTIONS).json(&mixed)).await.status, 400);
    consumer.create(&json!({ "url": strict.url(), "events": ["*"], "clientCertificate": wish })).await;
    let rotate = Request::new("POST", &format!("{SUBSCRIPTIONS}/{id}/rotate-secret")).json(&json!({}));
    let rotated = consumer.call(rotate).await["secret"].as_str().unwrap().to_owned();
    Host(gatepost.address()).publish("alice", "a", Value::Null).await;
    let arrived = receiver.expect(5).await;
    until("the webhook with a certificate comes", async || strict.clients() == [certified.certificate.clone()]).await;
    let carry = |header: (String, String)| arrived.iter().filter(|one| one.headers.contains(&header)).count();
    assert_eq!(carry(("x-canary".into(), HEADER.into())), 2, "the test and the delivery have the header");
    assert_eq!(carry(("authorization".into(), format!("Bearer {TOKEN}"))), 2, "and the authentication");
    assert_eq!(carry(("authorization".into(), format!("Bearer {ACCESS_TOKEN}"))), 1, "and the token of the client");
    gatepost.stop().await;
    let [basic, of_client] = [PASSWORD, CLIENT_SECRET].map(|secret| BASE64_STANDARD.encode(format!("canary:{secret}")));
    let own = [OWN_SECRET, HEADER, PASSWORD, TOKEN, CLIENT_SECRET, ACCESS_TOKEN, &basic, &of_client, &private_key];
    let mut needles: Vec<Vec<u8>> = own.iter().map(|secret| secret.as_bytes().to_vec()).collect();
    needles.push(certified.key);
    for secret in [&made, &rotated] {
        let key = secret.strip_prefix("whsec_").unwrap();
        needles.extend([key.as_bytes().to_vec(), BASE64_STANDARD.decode(key).unwrap()]);
    }
    let mut haystacks = vec![gatepost.written().into_bytes()];
    haystacks.extend(database_files(&storage).await.into_iter().map(|(_, content)| content));
    let is_found = |needle: &[u8]| haystacks.iter().any(|haystack| contains(haystack, needle));
    assert!(is_found(b"a canary sings"), "the search finds text that is stored unencrypted");
    assert!(!needles.iter().any(|needle| is_found(needle)), "a secret is in the files or the log");
}

on_both_databases!(secrets_move_to_a_new_encryption_key,);

/// Puts the new key before the old key; the service starts and encrypts the secrets again; then removes the old key.
async fn secrets_move_to_a_new_encryption_key(storage: Storage) {
    let receiver = Receiver::start(Behaviour::ok()).await;
    let old = setup(&storage).await;
    let mut gatepost = old.clone().start().await;
    let consumer = Consumer::new(&gatepost, "alice").await;
    let auth = json!({ "type": "bearer", "token": TOKEN });
    let carried = json!({ "url": receiver.url(), "events": ["*"], "auth": auth, "signing": "ed25519" });
    let keys = key_set(&gatepost, &consumer.create(&carried).await.0).await;
    gatepost.kill().await;
    is_refused(old.clone().with("ENCRYPTION_KEY", NEW_KEY)).await;

    let both = old.clone().with("ENCRYPTION_KEY", &format!("{NEW_KEY},{ENCRYPTION_KEY}"));
    let mut gatepost = both.start().await;
    publish_one(&gatepost, &receiver, &keys, 1).await;
    until("the secrets are sealed again", async || gatepost.written().contains("encrypted the signing secrets again"))
        .await;
    gatepost.kill().await;

    let mut gatepost = old.clone().with("ENCRYPTION_KEY", NEW_KEY).start().await;
    publish_one(&gatepost, &receiver, &keys, 2).await;
    gatepost.kill().await;
    is_refused(old).await;
}

/// A process with a key other than those of the database ends, and says why.
async fn is_refused(setup: Setup) {
    let (status, written) = setup.start_refused().await;
    assert_eq!(status.code(), Some(1), "{written}");
    assert!(written.contains("it was used with another ENCRYPTION_KEY"), "{written}");
}

async fn publish_one(gatepost: &Gatepost, receiver: &Receiver, keys: &[PublicKey], count: usize) {
    Host(gatepost.address()).publish("alice", "a", Value::Null).await;
    let arrived = receiver.expect(count).await;
    assert_eq!(arrived[count - 1].header("authorization"), format!("Bearer {TOKEN}"));
    assert_eq!(verified(keys, &arrived[count - 1]), Ok(()), "the private key is the same");
}
