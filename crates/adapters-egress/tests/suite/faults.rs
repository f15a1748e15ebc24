//! Receivers that send no answer, or only a part of one.

use std::time::Duration;

use domain::webhooks::{Answer, AnswerHeaders, AttemptOutcome, FailureReason, OurFault, Verdict};
use futures_util::future::{join, join_all};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::{Instant, interval, timeout};

use crate::exchange::{IMPATIENT, PATIENT, Sending, answered, elapsed_after, failed, send};
use crate::receiver::{Receiver, read_request};

/// The longest delay of the deadline after a timer that started with it.
const LENIENCE: Duration = Duration::from_secs(2);

fn too_slow(status: u16, (name, value): (&str, &str), excerpt: &[u8]) -> AttemptOutcome {
    let headers = AnswerHeaders::keep([(name, value.as_bytes())]);
    let answer = Answer { status, retry_after: None, headers, excerpt: excerpt.to_vec() };
    AttemptOutcome::Failed { reason: FailureReason::TooSlow, answer: Some(answer) }
}

#[tokio::test]
async fn silence_ends_at_the_deadline_wherever_it_sets_in() {
    let cases = [
        (&b""[..], failed(FailureReason::Timeout)),
        (b"HTTP/1.1 200", failed(FailureReason::Timeout)),
        (b"HTTP/1.1 200 OK\r\nserver: x\r\n", failed(FailureReason::Timeout)),
        (b"HTTP/1.1 100 Continue\r\n\r\n", failed(FailureReason::Timeout)),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", too_slow(200, ("content-length", "5"), b"")),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel", too_slow(200, ("content-length", "5"), b"hel")),
        (
            b"HTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n",
            too_slow(500, ("transfer-encoding", "chunked"), b"hel"),
        ),
    ];
    join_all(cases.into_iter().map(async |(before_silence, outcome)| {
        let receiver = Receiver::falling_silent_after(before_silence).await;
        let started = Instant::now();
        let sending = async {
            assert_eq!(Sending::impatient().send(&receiver.url()).await, outcome, "{}", before_silence.escape_ascii());
            started.elapsed()
        };
        let (elapsed, waited) = join(sending, elapsed_after(IMPATIENT)).await;
        assert!((IMPATIENT..waited + LENIENCE).contains(&elapsed), "{elapsed:?}, where a timer took {waited:?}");
    }))
    .await;
}

#[tokio::test]
async fn nobody_accepting_ends_at_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    assert_eq!(Sending::impatient().send(&url).await, failed(FailureReason::Timeout));
}

#[tokio::test]
async fn a_slow_drip_ends_at_the_deadline() {
    for (head, outcome) in [
        (&b"HTTP/1.1 200 OK\r\n"[..], FailureReason::Timeout),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n", FailureReason::TooSlow),
    ] {
        let receiver = Receiver::acting(move |mut stream| async move {
            read_request(&mut stream).await;
            stream.write_all(head).await.unwrap();
            let mut drip = interval(Duration::from_millis(10));
            while stream.write_all(b"x").await.is_ok() {
                drip.tick().await;
            }
        })
        .await;
        let verdict = Sending::impatient().send(&receiver.url()).await.verdict();
        assert_eq!(verdict, Verdict::Failed { reason: outcome, retry_after: None });
    }
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_answer_fails_the_attempt() {
    // A bound socket that does not listen refuses, and keeps the port from other processes.
    let refusing = TcpSocket::new_v4().unwrap();
    refusing.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let refused = refusing.local_addr().unwrap();
    assert_eq!(Sending::default().send(&format!("http://{refused}/")).await, failed(FailureReason::Connect));

    let closing = Receiver::acting(|mut stream| async move {
        read_request(&mut stream).await;
    });
    let resetting = Receiver::acting(|mut stream| async move {
        read_request(&mut stream).await;
        stream.set_zero_linger().unwrap();
    });
    let resetting_at_once = Receiver::acting(|stream| async move { stream.set_zero_linger().unwrap() });
    let in_the_head = Receiver::acting(|mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\nserver").await.unwrap();
    });
    for receiver in [closing.await, resetting.await, resetting_at_once.await, in_the_head.await] {
        assert_eq!(Sending::default().send(&receiver.url()).await, failed(FailureReason::Connect));
        assert_eq!(receiver.connections(), 1, "what may have been read is not sent again");
    }
}

#[tokio::test]
async fn what_was_read_from_a_kept_connection_is_not_sent_again() {
    let receiver = Receiver::acting(|mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        read_request(&mut stream).await;
    })
    .await;
    let sender = Sending::default().sender();
    assert_eq!(send(&sender, &receiver.url()).await.verdict(), Verdict::Delivered);
    assert_eq!(send(&sender, &receiver.url()).await, failed(FailureReason::Connect));
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn what_is_no_answer_fails_the_attempt() {
    let long_head = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(64 * 1024));
    let many_headers = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(1_000));
    for answer in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\r\n\r\n\r\n\r\n garbage",
        "HTTP/0.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        &long_head,
        &many_headers,
    ] {
        let receiver = Receiver::answering(answer).await;
        let outcome = Sending::default().send(&receiver.url()).await;
        assert_eq!(outcome, failed(FailureReason::Connect), "{:.60}", answer.escape_default());
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_does_not_unsay_the_status() {
    let receiver = Receiver::acting(|mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello").await.unwrap();
    })
    .await;
    let answer = answered(Sending::default().send(&receiver.url()).await);
    assert_eq!((answer.status, answer.excerpt), (200, b"hello".to_vec()));
}

#[tokio::test]
async fn our_own_limit_of_connections_is_not_charged_to_the_receiver() {
    let receiver = Receiver::falling_silent_after(b"").await;
    let sending = Sending { connections_max: 1, deadline: Duration::from_secs(6), ..Sending::default() };
    let sender = sending.sender();
    let url = receiver.url();
    let (first, second) = tokio::join!(biased; send(&sender, &url), send(&sender, &url));
    assert_eq!(first, failed(FailureReason::Timeout));
    assert_eq!(second, AttemptOutcome::NotCharged(OurFault::ConnectionLimit));
}

#[tokio::test]
async fn a_dropped_attempt_hangs_up() {
    let (told, hung_up) = tokio::sync::oneshot::channel();
    let told = std::sync::Mutex::new(Some(told));
    let receiver = Receiver::acting(move |mut stream| {
        let told = told.lock().unwrap().take();
        async move {
            read_request(&mut stream).await;
            read_request(&mut stream).await;
            told.unwrap().send(()).unwrap();
        }
    })
    .await;
    let sender = Sending { deadline: PATIENT, ..Sending::default() }.sender();
    assert!(timeout(IMPATIENT, send(&sender, &receiver.url())).await.is_err());
    hung_up.await.unwrap();
}
