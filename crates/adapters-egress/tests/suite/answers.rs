//! Receivers that answer.

use std::time::Duration;

use domain::ports::WebhookSender as _;
use domain::webhooks::{Answer, AnswerHeaders, FailureReason, Verdict};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::oneshot;

use crate::exchange::{BODY, EVENT, SECRET, Sending, answered, attempt, attempt_with_headers, now};
use crate::receiver::{Receiver, read_request};

#[tokio::test]
async fn a_delivery_carries_the_bytes_and_the_headers() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let answer = answered(Sending::default().send(&receiver.url()).await);
    let headers = AnswerHeaders::keep([("content-length", b"2".as_slice())]);
    assert_eq!(answer, Answer { status: 200, retry_after: None, headers, excerpt: b"ok".to_vec() });

    let requests = receiver.requests();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert!(request.head.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(request.body, BODY);
    for (name, value) in [
        ("host", Some(format!("127.0.0.1:{}", receiver.port()))),
        ("content-type", Some("application/json".into())),
        ("content-length", Some(BODY.len().to_string())),
        ("user-agent", Some(concat!("Gatepost/", env!("CARGO_PKG_VERSION")).into())),
        ("webhook-id", Some(EVENT.to_string())),
        ("webhook-timestamp", Some((now().unix_millis() / 1_000).to_string())),
        ("accept-encoding", None),
        ("authorization", None),
        ("cookie", None),
    ] {
        assert_eq!(request.header(name), value.as_deref(), "{name}");
    }
}

#[tokio::test]
async fn a_delivery_carries_the_headers_of_its_subscription_once() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let sender = Sending::default().sender();
    sender.send(attempt_with_headers(&receiver.url())).await;
    sender.send(attempt(&receiver.url(), &[SECRET])).await;
    let requests = receiver.requests();
    let [with, without] = requests.as_slice() else { panic!("{requests:?}") };
    for (name, value) in [("x-tenant", "tenant 42"), ("authorization", "Bearer t0ken")] {
        assert_eq!(with.header(name), Some(value));
        assert_eq!(with.head.matches(name).count(), 1, "{}", with.head);
        assert_eq!(without.header(name), None, "a connection that is kept keeps no header");
    }
}

#[tokio::test]
async fn each_status_means_what_the_rules_say() {
    let failed = |seconds: Option<u64>| Verdict::Failed {
        reason: FailureReason::Status,
        retry_after: seconds.map(Duration::from_secs),
    };
    for (head, verdict) in [
        ("201 Created", Verdict::Delivered),
        ("202 Accepted\r\nretry-after: 9", Verdict::Delivered),
        ("204 No Content", Verdict::Delivered),
        ("304 Not Modified", Verdict::Failed { reason: FailureReason::Redirect, retry_after: None }),
        ("400 Bad Request", failed(None)),
        ("401 Unauthorized\r\nwww-authenticate: Basic", failed(None)),
        ("404 Not Found", failed(None)),
        ("407 Proxy Authentication Required", failed(None)),
        ("408 Request Timeout", failed(None)),
        ("410 Gone", Verdict::Gone),
        ("429 Too Many Requests", failed(None)),
        ("429 Too Many Requests\r\nretry-after: 7", failed(Some(7))),
        ("429 Too Many Requests\r\nretry-after: later", failed(None)),
        ("500 Internal Server Error\r\nretry-after: 7", failed(None)),
        ("503 Service Unavailable\r\nretry-after: 120", failed(Some(120))),
        ("599 Odd", failed(None)),
    ] {
        let length = if head.starts_with("204") || head.starts_with("304") { "" } else { "content-length: 0\r\n" };
        let receiver = Receiver::answering(format!("HTTP/1.1 {head}\r\n{length}\r\n")).await;
        assert_eq!(Sending::default().send(&receiver.url()).await.verdict(), verdict, "{head}");
    }
}

#[tokio::test]
async fn retry_after_may_be_a_date() {
    // The attempt is made at 01:42:03.120.
    let head = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n";
    let receiver = Receiver::answering(format!("{head}retry-after: Sat, 21 Nov 2026 01:43:03 GMT\r\n\r\n")).await;
    let answer = answered(Sending::default().send(&receiver.url()).await);
    assert_eq!(answer.retry_after, Some(Duration::from_millis(59_880)));
}

#[tokio::test]
async fn an_interim_answer_is_not_the_answer() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n";
    let receiver = Receiver::answering(format!("{interim}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")).await;
    assert_eq!(answered(Sending::default().send(&receiver.url()).await).status, 200);
}

#[tokio::test]
async fn of_an_endless_body_the_start_is_kept_and_the_rest_refused() {
    let (told, hung_up) = oneshot::channel();
    let told = std::sync::Mutex::new(Some(told));
    let receiver = Receiver::acting(move |mut stream| {
        let told = told.lock().unwrap().take();
        async move {
            read_request(&mut stream).await;
            let mut next: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
            while stream.write_all(next).await.is_ok() {
                next = &[b'x'; 4096];
            }
            told.unwrap().send(()).unwrap();
        }
    })
    .await;
    let answer = answered(Sending::default().send(&receiver.url()).await);
    assert_eq!((answer.status, answer.excerpt), (200, vec![b'x'; 16 * 1024]));
    hung_up.await.unwrap();
}

#[tokio::test]
async fn a_body_is_kept_whole_up_to_16_kib() {
    for length in [0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1] {
        let body = "x".repeat(length);
        let receiver = Receiver::answering(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}")).await;
        let answer = answered(Sending::default().send(&receiver.url()).await);
        assert_eq!(answer.excerpt.len(), length.min(16 * 1024));
    }
}

#[tokio::test]
async fn a_gzip_bomb_stays_packed() {
    // The start of a gzip member. Its content does not matter.
    let packed = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3][..], &[0xec; 2_000]].concat();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", packed.len());
    let receiver = Receiver::answering([head.as_bytes(), &packed].concat()).await;
    let answer = answered(Sending::default().send(&receiver.url()).await);
    assert_eq!(answer.excerpt, packed);
}
