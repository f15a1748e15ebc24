//! `/api/operator/events` and `/api/operator/events/batch`.

use std::fmt::Write;
use std::time::Duration;

use insta::assert_snapshot;
use tokio::io::AsyncWriteExt;

use crate::server::{Server, read_to_end};
use crate::transcript::{ALICE, OPERATOR, Request, Response, Transcript, request};
use crate::webhooks::failing_webhooks::FailingWebhookStore;
use crate::webhooks::subscriptions::subscribed;

fn publish(body: &str) -> Request {
    request("POST /api/operator/events").header(OPERATOR).json(body)
}

fn batch(events: &str) -> Request {
    request("POST /api/operator/events/batch").header(OPERATOR).json(&format!(r#"{{"events":{events}}}"#))
}

/// The payloads of due deliveries, oldest first.
async fn payloads(server: &Server) -> Vec<String> {
    let lanes = server.claim().await;
    let deliveries = lanes.iter().flat_map(|lane| &lane.deliveries);
    let mut payloads: Vec<_> = deliveries.map(|delivery| (delivery.event, delivery.payload.bytes().to_vec())).collect();
    payloads.sort();
    payloads.into_iter().map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_goes_to_every_subscription_that_matches() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    for events in [r#"["invoice.*"]"#, r#"["invoice.paid","*"]"#, r#"["order.*"]"#] {
        subscribed(&server, events).await;
    }
    let event = r#"{"userId":"alice","type":"invoice.paid","data":{"total":12.50}}"#;
    transcript.send(&server, publish(event)).await;
    transcript.send(&server, publish(r#"{"userId":"nobody","type":"invoice.paid","data":null}"#)).await;
    assert_snapshot!(transcript.text());
    let sent = r#"{"type":"invoice.paid","timestamp":"2026-11-21T01:42:03.120Z","data":{"total":12.50}}"#;
    assert_eq!(payloads(&server).await, [sent; 2]);
}

/// Numbers keep their digits, objects their order, and strings their escapes.
#[tokio::test(flavor = "multi_thread")]
async fn data_is_delivered_byte_for_byte() {
    let data = [
        "null",
        "false",
        "1.0",
        "12345678901234567890.123456789012345678901234567890",
        "-0.0e+10",
        r#""\u00e9é\/\ud800""#,
        r#"{"z":1,"a":2,"z":3}"#,
        "[ 1 ,\t2 ,\r\n3 ]",
        r#"{"data":{"type":"x"}}"#,
    ];
    for (place, data) in data.into_iter().enumerate() {
        let server = Server::start();
        subscribed(&server, r#"["*"]"#).await;
        let before = r#""type":"a","userId":"alice""#;
        let body = if place % 2 == 0 {
            format!("{{{before},\"data\": {data} }}")
        } else {
            format!("{{\"data\":{data},{before}}}")
        };
        assert_eq!(publish(&body).send(&server).await.status, 202, "{body}");
        let sent = format!(r#"{{"type":"a","timestamp":"2026-11-21T01:42:03.120Z","data":{data}}}"#);
        assert_eq!(payloads(&server).await, [sent]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_id_again_changes_nothing() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    subscribed(&server, r#"["a"]"#).await;
    let event = r#"{"userId":"alice","type":"a","data":{"n":1},"id":"in_1"}"#;
    transcript.send(&server, publish(event)).await;
    server.clock.advance(Duration::from_secs(1));
    transcript.send(&server, publish(event)).await;
    let others = [
        r#"{"userId":"alice","type":"a","data":{"n":2},"id":"in_1"}"#,
        r#"{"userId":"alice","type":"b","data":{"n":1},"id":"in_1"}"#,
        r#"{"userId":"alice","type":"a","data":{"n": 1},"id":"in_1"}"#,
        r#"{"userId":"alice","type":"a","data":{"n":3},"id":"in\u005f1"}"#,
    ];
    transcript.send_each(&server, others.map(publish)).await;
    assert_snapshot!(transcript.text());
    let others = publish(r#"{"userId":"bob","type":"a","data":{"n":2},"id":"in_1"}"#).send(&server).await;
    assert!(others.status == 202 && !others.body.contains("duplicate"), "another user's: {}", others.body);
    assert_eq!(payloads(&server).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_is_named() {
    let server = Server::start();
    let long = |length| format!(r#"{{"userId":"alice","type":"a","data":1,"id":"{}"}}"#, "é".repeat(length));
    let mut table = String::new();
    let bodies = [
        "",
        "{}",
        "[]",
        "null",
        r#"["alice","a",1]"#,
        "{",
        "{}{}",
        "\u{feff}{}",
        r#"{"userId":"alice","type":"a","data":1"#,
        r#"{"userId":7,"type":[],"data":1,"id":{}}"#,
        r#"{"userId":null,"type":null,"data":null,"id":null}"#,
        r#"{"userId":"","type":"","data":1,"id":""}"#,
        r#"{"userId":"a\u0000","type":"a b","data":1,"id":"a\n"}"#,
        r#"{"userId":"alice","type":"invoice.*","data":1}"#,
        r#"{"userId":"alice","type":"a","data":01}"#,
        r#"{"userId":"alice","type":"a","data":nul}"#,
        r#"{"userId":"alice","type":"a","data":"a	b"}"#,
        r#"{"userId":"alice","type":"a","data":1,"data":2}"#,
        r#"{"userId":"alice","type":"a","data":1,"type":"a"}"#,
        r#"{"userId":"alice","type":"a","type":"a","data":1,}"#,
        r#"{"userId":"\ud800","type":"a","data":1}"#,
        r#"{"userId":"alice","type":"\ud83d\ude00","data":1}"#,
    ];
    for body in bodies.iter().copied().chain([long(257).as_str()]) {
        let answer = publish(body).send(&server).await;
        let _ = writeln!(table, "{:.70} | {} | {}", body.escape_debug(), answer.verdict(), answer.field("detail"));
    }
    for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let call = request("POST /api/operator/events").header(OPERATOR).header(("content-type", media_type));
        let _ = writeln!(table, "{media_type} | {}", call.body("{}").send(&server).await.verdict());
    }
    assert_snapshot!(table);
    for good in [
        r#"{"userId":"alice","type":"a","data":1,"id":null}"#,
        r#" { "\u0075serId" : "al\u0069ce" , "type" : "a" , "data" : 1 } "#,
        &long(256),
    ] {
        assert_eq!(publish(good).send(&server).await.status, 202, "{good}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_accepted_whole_in_its_order() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    subscribed(&server, r#"["a"]"#).await;
    let events = r#"[{"userId":"alice","type":"a","data":1,"id":"1"},{"userId":"bob","type":"a","data":2},
        {"userId":"alice","type":"b","data":3},{"userId":"alice","type":"a","data":1,"id":"1"}]"#;
    transcript.send(&server, batch(events)).await;
    assert_snapshot!(transcript.text());
    assert_eq!(payloads(&server).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_with_one_bad_event_is_refused_whole() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    subscribed(&server, r#"["*"]"#).await;
    let good = r#"{"userId":"alice","type":"a","data":1,"id":"1"}"#;
    assert_eq!(publish(good).send(&server).await.status, 202);
    assert_eq!(server.claim().await.len(), 1);
    let new = r#"{"userId":"alice","type":"a","data":2,"id":"2"}"#;
    let large = format!(r#"{{"userId":"alice","type":"a","data":"{}"}}"#, "x".repeat(256 * 1024));
    let batches = [
        "[]".to_owned(),
        "null".to_owned(),
        "7".to_owned(),
        "{}".to_owned(),
        format!("[{new},7]"),
        format!("[{new},null]"),
        format!("[{new},[]]"),
        format!(r#"[{new},{{"userId":"","data":1}},{{"type":"a","data":1}}]"#),
        format!(r#"[{new},{{"userId":"alice","type":"a","data":9,"id":"1"}}]"#),
        format!(r#"[{new},{{"userId":"alice","type":"a","data":3,"id":"2"}}]"#),
        format!(r#"[{new},{{"userId":"alice","type":"a","data":3,"data":3}}]"#),
        format!("[{new}],\"events\":[{new}]"),
        format!("[{new}"),
    ];
    transcript.send_each(&server, batches.map(|events| batch(&events))).await;
    let call = request("POST /api/operator/events/batch").header(OPERATOR);
    transcript.send_each(&server, ["{}", "[]", "7", "{"].map(|body| call.clone().json(body))).await;
    let too_large = batch(&format!("[{new},{large}]")).send(&server).await;
    assert_eq!(too_large.verdict(), "413 payload_too_large");
    assert_eq!(too_large.field("field"), "events[1].data");
    assert_snapshot!(transcript.text());
    assert_eq!(server.claim().await.len(), 0, "nothing was accepted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_has_up_to_500_events() {
    let server = Server::start();
    let events = |count| format!("[{}]", vec![r#"{"userId":"alice","type":"a","data":1}"#; count].join(","));
    assert_eq!(batch(&events(500)).send(&server).await.status, 202);
    let refused = batch(&events(501)).send(&server).await;
    assert_eq!((refused.verdict().as_str(), refused.field("field")), ("400 invalid_field", "events"));
    assert_eq!(refused.field("detail"), "events must hold 1 to 500 events");
    let refused = batch(&events(50_000)).send(&server).await;
    assert_eq!(refused.verdict(), "400 invalid_field");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_has_its_maximum_to_the_byte() {
    let server = Server::with(|setup| setup.webhook_policy.max_payload_bytes = 100_000);
    let around = r#"{"type":"a","timestamp":"2026-11-21T01:42:03.120Z","data":""}"#.len();
    let event = |size: usize| format!(r#"{{"userId":"alice","type":"a","data":"{}"}}"#, "x".repeat(size - around));
    assert_eq!(publish(&event(100_000)).send(&server).await.status, 202);
    let refused = publish(&event(100_001)).send(&server).await;
    assert_eq!((refused.verdict().as_str(), refused.field("field")), ("413 payload_too_large", "data"));
    assert_eq!(refused.field("detail"), "data is too large: the payload must have at most 100000 bytes");
    // The body may be 16 KiB larger than the payload.
    let head = r#"{"userId":"alice","type":"a","data":1"#;
    let body = |size: usize| format!("{head}{}}}", " ".repeat(size - head.len() - 1));
    assert_eq!(publish(&body(116_384)).send(&server).await.status, 202);
    assert_eq!(publish(&body(116_385)).send(&server).await.verdict(), "413 payload_too_large");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_has_eight_mebibytes() {
    let server = Server::start();
    let filler = |size: usize| {
        let head = r#"{"events":[{"userId":"alice","type":"a","data":1}]"#;
        format!("{head}{}}}", " ".repeat(size - head.len() - 1))
    };
    let call = request("POST /api/operator/events/batch").header(OPERATOR);
    assert_eq!(call.clone().json(&filler(8 << 20)).send(&server).await.status, 202);
    assert_eq!(call.json(&filler((8 << 20) + 1)).send(&server).await.verdict(), "413 payload_too_large");
}

/// A body that arrives in many pieces is read like any other.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_come_in_pieces() {
    let server = Server::start();
    subscribed(&server, r#"["*"]"#).await;
    let head = "POST /api/operator/events HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\
                authorization: Bearer operator-secret\r\ncontent-type: application/json\r\n\r\n";
    let mut connection = server.begin(head).await;
    for piece in [r#"{"userId":"ali"#, r#"ce","type":"a","da"#, r#"ta":{"b":1.0,"#, r#""a":2}}"#] {
        connection.write_all(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes()).await.unwrap();
        connection.flush().await.unwrap();
    }
    connection.write_all(b"0\r\n\r\n").await.unwrap();
    assert_eq!(Response::parse(&read_to_end(&mut connection).await).status, 202);
    assert!(payloads(&server).await[0].ends_with(r#""data":{"b":1.0,"a":2}}"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_down_is_a_503_everywhere() {
    let server = Server::with(|setup| setup.webhook_stores = Some(FailingWebhookStore::stores()));
    let since = r#"{"since":"2026-11-21T00:00:00Z"}"#;
    let subscription = "/api/webhooks/subscriptions/sub_00000000000000000000000000";
    let delivery = "/api/webhooks/deliveries/dlv_00000000000000000000000000";
    for (line, body) in [
        ("POST /api/operator/events".to_owned(), r#"{"userId":"alice","type":"a","data":1}"#),
        ("POST /api/operator/events/batch".to_owned(), r#"{"events":[{"userId":"alice","type":"a","data":1}]}"#),
        ("GET /api/operator/events".to_owned(), ""),
        ("GET /api/operator/events/evt_01h455vb4pex5vsknk084sn02q".to_owned(), ""),
        ("GET /api/operator/failing-subscriptions".to_owned(), ""),
        ("POST /api/webhooks/subscriptions".to_owned(), r#"{"url":"https://example.com","events":["a"]}"#),
        ("GET /api/webhooks/subscriptions".to_owned(), ""),
        (format!("GET {subscription}"), ""),
        (format!("PATCH {subscription}"), "{}"),
        (format!("DELETE {subscription}"), ""),
        (format!("POST {subscription}/rotate-secret"), "{}"),
        (format!("POST {subscription}/test"), ""),
        (format!("POST {subscription}/recover"), since),
        ("GET /api/webhooks/deliveries".to_owned(), ""),
        (format!("GET {delivery}"), ""),
        (format!("POST {delivery}/retry"), ""),
        (format!("POST {delivery}/cancel"), ""),
        ("GET /api/webhooks/deliveries/stream?subscriptionId=sub_00000000000000000000000000".to_owned(), ""),
    ] {
        let credential = if line.contains("operator") { OPERATOR } else { ALICE };
        let answer = request(&line).header(credential).json(body).send(&server).await;
        assert_eq!(answer.verdict(), "503 unavailable", "{line}");
        assert!(answer.header("retry-after").is_some(), "{line}");
        assert!(!answer.body.contains("192.0.2.1"), "{line}");
    }
}
