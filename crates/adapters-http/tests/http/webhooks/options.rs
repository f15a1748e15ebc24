//! The headers, the authentication and the client certificate of subscriptions.

use std::time::Duration;

use insta::assert_snapshot;

use super::subscriptions::{create, subscribed};
use crate::server::Server;
use crate::transcript::{ALICE, Request, Transcript, request};

/// The values that no answer may have.
const SECRETS: [&str; 3] = ["s3cret", "czNjcmV0", "swordfish"];

fn with(members: &str) -> String {
    format!(r#"{{"url":"https://example.com/hooks","events":["*"],{members}}}"#)
}

fn patch(id: &str, body: &str) -> Request {
    request(&format!("PATCH /api/webhooks/subscriptions/{id}")).header(ALICE).json(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_an_authentication_are_set_shown_by_name_changed_and_removed() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let body = with(r#""headers":{"X-Tenant":"s3cret","x-b":"s3cret"},"auth":{"type":"bearer","token":"s3cret"}"#);
    let created = transcript.send(&server, create(&body)).await;
    let id = created.field("id");
    for change in [
        r#"{"headers":{"x-b":null,"X-C":"s3cret 2"}}"#,
        r#"{"auth":{"type":"header","name":"X-Key","value":"swordfish"}}"#,
        r#"{"auth":{"type":"basic","username":"s3cret","password":""},"headers":{}}"#,
        r#"{"auth":{"type":"oauth2","tokenUrl":"https://id.example/s3cret","clientId":"s3cret","clientSecret":"swordfish","scope":"s3cret"}}"#,
        r#"{"headers":{"x-c":"s3cret 3"}}"#,
        r#"{"url":"https://example.com/elsewhere"}"#,
        r#"{"url":"https://other.example/hooks","headers":{"x-c":"s3cret 4"}}"#,
        r#"{"url":"http://other.example/hooks"}"#,
        r#"{"url":"https://other.example:444/hooks"}"#,
        r#"{"headers":{"x-d":"s3cret"},"auth":{"type":"bearer","token":"s3cret"}}"#,
        r#"{"url":"https://third.example/","headers":null,"auth":null}"#,
    ] {
        server.clock.advance(Duration::from_secs(1));
        transcript.send(&server, patch(id, change)).await;
    }
    transcript.send(&server, request("GET /api/audit").header(ALICE)).await;
    for line in
        [format!("GET /api/webhooks/subscriptions/{id}"), "GET /api/webhooks/subscriptions?include=health".into()]
    {
        transcript.send(&server, request(&line).header(ALICE)).await;
    }
    assert_snapshot!(transcript.text());
    for line in transcript.text().lines().filter(|line| !line.starts_with("> ")) {
        assert!(!SECRETS.iter().any(|secret| line.contains(secret)), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_header_and_authentication_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let many: Vec<String> = (0..17).map(|number| format!(r#""x-{number}":"v""#)).collect();
    let long: Vec<String> = (0..8).map(|number| format!(r#""x-{number}":"{}""#, "v".repeat(1_024))).collect();
    let headers = [
        r#""x""#.into(),
        "[]".into(),
        r#"{"x-a":7}"#.into(),
        r#"{"x-a":null}"#.into(),
        r#"{"x-a":""}"#.into(),
        r#"{"x-a":" s3cret"}"#.into(),
        r#"{"x-a":"s3cret\n"}"#.into(),
        r#"{"x-a":"s3cret\u202e"}"#.into(),
        format!(r#"{{"x-a":"{}"}}"#, "v".repeat(1_025)),
        r#"{"":"v"}"#.into(),
        r#"{"a b":"v"}"#.into(),
        r#"{"Authorization":"s3cret"}"#.into(),
        r#"{"X_Forwarded_For":"v"}"#.into(),
        r#"{"webhook-id":"v"}"#.into(),
        r#"{"X-A":"v","x-a":"v"}"#.into(),
        r#"{"x-a":"v","x-a":"v"}"#.into(),
        format!("{{{}}}", many.join(",")),
        format!("{{{}}}", long.join(",")),
    ];
    let auths = [
        r#""x""#,
        "{}",
        r#"{"type":"digest"}"#,
        r#"{"type":"bearer"}"#,
        r#"{"type":"bearer","token":null}"#,
        r#"{"type":"bearer","token":"s3cret s3cret"}"#,
        r#"{"type":"bearer","token":"s3cret","username":"x"}"#,
        r#"{"type":"bearer","token":"s3cret","token":"s3cret"}"#,
        r#"{"type":"basic","username":"a:b","password":"s3cret"}"#,
        r#"{"type":"basic","username":"a","password":"s3cret\t"}"#,
        r#"{"type":"header","name":"cookie","value":"s3cret"}"#,
        r#"{"type":"header","name":"x-a","value":""}"#,
        r#"{"type":"oauth2","tokenUrl":"https://id.example/","clientId":"a"}"#,
        r#"{"type":"oauth2","tokenUrl":"https://10.0.0.1/","clientId":"a","clientSecret":"s3cret"}"#,
        r#"{"type":"oauth2","tokenUrl":"https://id.example/","clientId":"","clientSecret":"s3cret"}"#,
        r#"{"type":"oauth2","tokenUrl":"https://id.example/","clientId":"a","clientSecret":"s3cret\n"}"#,
        r#"{"type":"oauth2","tokenUrl":"https://id.example/","clientId":"a","clientSecret":"s3cret","scope":""}"#,
        r#"{"type":"oauth2","tokenUrl":"https://id.example/","clientId":"a","clientSecret":"s3cret","audience":7}"#,
        r#"{"type":"oauth2","tokenUrl":"https://id.example/","clientId":"a","clientSecret":"s3cret","token":"x"}"#,
    ];
    transcript.send_each(&server, headers.map(|headers| create(&with(&format!(r#""headers":{headers}"#))))).await;
    for auth in auths {
        transcript.send(&server, create(&with(&format!(r#""auth":{auth}"#)))).await;
    }
    let both = r#""headers":{"X_Key":"v"},"auth":{"type":"header","name":"x-key","value":"s3cret"}"#;
    transcript.send(&server, create(&with(both))).await;
    let three = r#"{"url":"x","headers":{"host":"v"},"auth":{"type":"bearer","token":""}}"#;
    transcript.send(&server, create(three)).await;
    transcript.send(&server, request("POST /api/webhooks/test").header(ALICE).json(three)).await;
    assert_snapshot!(transcript.text());
    let list = request("GET /api/webhooks/subscriptions").header(ALICE).send(&server).await;
    assert_eq!(list.body, r#"{"subscriptions":[]}"#);
    for good in [r#""headers":null,"auth":null"#, r#""headers":{}"#] {
        assert_eq!(create(&with(good)).send(&server).await.status, 200, "{good}");
    }
}

/// The limits count what is stored, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_breaks_a_limit_is_refused_and_changes_nothing() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let sixteen: Vec<String> = (0..16).map(|number| format!(r#""x-{number}":"v""#)).collect();
    assert_eq!(patch(&id, &format!(r#"{{"headers":{{{}}}}}"#, sixteen.join(","))).send(&server).await.status, 200);
    let wrong = [
        r#"{"headers":{"x-16":"v"}}"#,
        r#"{"auth":{"type":"header","name":"x_0","value":"s3cret"}}"#,
        r#"{"headers":{"x-a":7},"enabled":null}"#,
    ];
    transcript.send_each(&server, wrong.map(|body| patch(&id, body))).await;
    assert_snapshot!(transcript.text());
    assert_eq!(patch(&id, r#"{"headers":{"x-16":"v","x-0":null}}"#).send(&server).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_a_url_carries_the_headers() {
    let server = Server::start();
    let body = r#"{"url":"https://example.com/accepts","headers":{"X-A":"s3cret"},
        "auth":{"type":"basic","username":"Aladdin","password":"open sesame"}}"#;
    let sent = request("POST /api/webhooks/test").header(ALICE).json(body).send(&server).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let [attempt] = server.tested.attempts().try_into().expect("one attempt");
    let headers: Vec<_> = attempt.headers.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
    assert_eq!(headers, [("x-a", "s3cret"), ("authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")]);
    assert!(!sent.body.contains("s3cret") && !sent.body.contains("sesame"), "{}", sent.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_certificate_is_set_shown_without_its_key_changed_dropped_and_removed() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let certificate =
        |year| format!(r#""clientCertificate":{{"chain":"{year}-01-02T03:04:05Z\ns3cret","key":"swordfish"}}"#);
    let created = transcript.send(&server, create(&with(&certificate(2028)))).await;
    let id = created.field("id");
    for change in [
        format!("{{{}}}", certificate(2029)),
        r#"{"url":"https://example.com/elsewhere"}"#.into(),
        format!(r#"{{"url":"https://other.example/",{}}}"#, certificate(2028)),
        r#"{"url":"https://third.example/"}"#.into(),
        format!("{{{}}}", certificate(2028)),
        r#"{"clientCertificate":null}"#.into(),
    ] {
        server.clock.advance(Duration::from_secs(1));
        transcript.send(&server, patch(id, &change)).await;
    }
    let lines = ["GET /api/audit".into(), format!("GET /api/webhooks/subscriptions/{id}")];
    transcript.send_each(&server, lines.map(|line| request(&line).header(ALICE))).await;
    assert_snapshot!(transcript.text());
    for line in transcript.text().lines().filter(|line| !line.starts_with("> ")) {
        assert!(!SECRETS.iter().any(|secret| line.contains(secret)), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_client_certificate_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let good = r#"{"chain":"2028-01-02T03:04:05Z","key":"swordfish"}"#;
    for certificate in [
        r#""x""#,
        "{}",
        r#"{"chain":"2028-01-02T03:04:05Z"}"#,
        r#"{"chain":7,"key":"swordfish"}"#,
        r#"{"chain":"2028-01-02T03:04:05Z","key":null}"#,
        r#"{"chain":"2028-01-02T03:04:05Z","key":"swordfish","password":"swordfish"}"#,
        r#"{"chain":"s3cret","key":"swordfish"}"#,
        r#"{"chain":"2028-01-02T03:04:05Z","key":""}"#,
        r#"{"chain":"2026-01-02T03:04:05Z","key":"swordfish"}"#,
        &format!(r#"{{"chain":"2028-01-02T03:04:05Z","key":"{}"}}"#, "k".repeat(12_288 - 19)),
    ] {
        transcript.send(&server, create(&with(&format!(r#""clientCertificate":{certificate}"#)))).await;
    }
    assert_snapshot!(transcript.text());
    let list = request("GET /api/webhooks/subscriptions").header(ALICE).send(&server).await;
    assert_eq!(list.body, r#"{"subscriptions":[]}"#);
    let longest = format!(r#"{{"chain":"2028-01-02T03:04:05Z","key":"{}"}}"#, "k".repeat(12_288 - 20));
    for good in ["null", good, &longest] {
        assert_eq!(create(&with(&format!(r#""clientCertificate":{good}"#))).send(&server).await.status, 200, "{good}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_a_url_has_the_client_certificate() {
    let server = Server::start();
    let body = r#"{"url":"https://example.com/accepts","clientCertificate":{"chain":"2028-01-02T03:04:05Z","key":"swordfish"}}"#;
    let sent = request("POST /api/webhooks/test").header(ALICE).json(body).send(&server).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let [attempt] = server.tested.attempts().try_into().expect("one attempt");
    let pem = attempt.headers.certificate().map(domain::webhooks::ClientCertificate::expose_pem);
    assert_eq!(pem, Some("2028-01-02T03:04:05Z\nswordfish"));
    assert!(!sent.body.contains("swordfish"), "{}", sent.body);
}
