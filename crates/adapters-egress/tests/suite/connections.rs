use std::process::Command;
use std::time::Duration;

use domain::ports::{Attempt, WebhookSender as _};
use domain::webhooks::{AttemptOutcome, FailureReason, OurFault, Payload, Verdict};
use futures_util::future::{join, join_all};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

use crate::canary::Canary;
use crate::certificates::Authority;
use crate::exchange::{SECRET, Sending, answered, attempt, elapsed_after, failed, send};
use crate::receiver::{Receiver, read_request};

#[tokio::test]
async fn deliveries_one_after_another_share_a_connection() {
    let longest = "x".repeat(16 * 1024);
    for answer in [
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_owned(),
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n".to_owned(),
        format!("HTTP/1.1 500 Oh\r\ncontent-length: {}\r\n\r\n{longest}", longest.len()),
    ] {
        let receiver = Receiver::answering(answer).await;
        let sender = Sending::default().sender();
        for _ in 0..10 {
            answered(send(&sender, &receiver.url()).await);
        }
        assert_eq!((receiver.requests().len(), receiver.connections()), (10, 1));
    }
}

#[tokio::test]
async fn deliveries_side_by_side_all_arrive() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let sender = Sending::default().sender();
    for _ in 0..3 {
        let url = receiver.url();
        let outcomes = join_all((0..50).map(|_| send(&sender, &url))).await;
        assert!(outcomes.iter().all(|outcome| outcome.verdict() == Verdict::Delivered));
    }
    assert_eq!(receiver.requests().len(), 150);
    assert!(receiver.connections() <= 100, "the limit of this sender");
}

#[tokio::test]
async fn a_connection_that_the_receiver_closed_is_not_used_again() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    let sender = Sending::default().sender();
    for _ in 0..5 {
        assert_eq!(send(&sender, &receiver.url()).await.verdict(), Verdict::Delivered);
    }
    assert_eq!(receiver.connections(), 5);
}

/// Its connection is busy until the request is read, which may be never. No other attempt waits for that.
#[tokio::test]
async fn a_receiver_that_answers_before_it_has_read_delays_no_other_attempt() {
    let receiver = Receiver::acting(|mut stream| async move {
        stream.read_exact(&mut [0; 16]).await.unwrap();
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let sender = Sending { connections_max: 3, deadline: Duration::from_mins(1), ..Sending::default() }.sender();
    let url = receiver.url();
    for _ in 0..6 {
        // More than the sockets buffer, and more attempts than places for connections.
        let large = Attempt { payload: Payload::from_bytes(vec![b'x'; 32 << 20]), ..attempt(&url, &[SECRET]) };
        assert_eq!(sender.send(large).await.verdict(), Verdict::Delivered);
    }
    assert_eq!(receiver.connections(), 6);
}

/// Most servers keep an idle connection for 5 s. A request that meets its end may be lost.
#[tokio::test]
async fn an_idle_connection_closes_before_the_receiver_would_close_it() {
    let (closed, mut is_closed) = tokio::sync::mpsc::unbounded_channel();
    let receiver = Receiver::acting(move |mut stream| {
        let closed = closed.clone();
        async move {
            read_request(&mut stream).await.unwrap();
            let answered = Instant::now();
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
            assert!(read_request(&mut stream).await.is_none());
            closed.send(answered.elapsed()).unwrap();
        }
    })
    .await;
    let sender = Sending::default().sender();
    assert_eq!(send(&sender, &receiver.url()).await.verdict(), Verdict::Delivered);
    let (kept, waited) = join(is_closed.recv(), elapsed_after(Duration::from_secs(4))).await;
    let kept = kept.unwrap();
    let longest = waited + Duration::from_secs(2);
    assert!((Duration::from_secs(3)..longest).contains(&kept), "{kept:?}, where a timer of 4 s took {waited:?}");
}

/// The places for connections of these tests, and a deadline whose third is shorter than the life of an idle
/// connection.
fn three_places() -> Sending {
    Sending { connections_max: 3, deadline: Duration::from_secs(11), ..Sending::default() }
}

#[tokio::test]
async fn idle_connections_give_way() {
    let mut receivers = Vec::new();
    for _ in 0..12 {
        receivers.push(Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await);
    }
    let sender = three_places().sender();
    for receiver in &receivers {
        assert_eq!(send(&sender, &receiver.url()).await.verdict(), Verdict::Delivered);
    }
    assert_eq!(send(&sender, &receivers[11].url()).await.verdict(), Verdict::Delivered);
    assert_eq!(receivers[11].connections(), 1, "the newest connection stays");
    let urls: Vec<String> = receivers.iter().map(Receiver::url).collect();
    for _ in 0..5 {
        let outcomes = join_all(urls.iter().map(|url| send(&sender, url))).await;
        assert!(outcomes.iter().all(|outcome| outcome.verdict() == Verdict::Delivered), "{outcomes:?}");
    }
    assert!(receivers.iter().all(|receiver| receiver.requests().len() >= 6));
    let sent: usize = receivers.iter().map(|receiver| receiver.requests().len()).sum();
    assert_eq!(sent, 12 * 6 + 1, "none is sent twice");
}

#[tokio::test]
async fn idle_connections_of_http2_give_way() {
    let authority = Authority::new();
    let acceptor = authority.acceptor(&["receiver.example"], &[b"h2"]);
    let mut receivers = Vec::new();
    for _ in 0..6 {
        let acceptor = acceptor.clone();
        let serve = move |stream| crate::http2::serve_all(acceptor.clone(), stream);
        receivers.push(Receiver::acting(serve).await);
    }
    let sender = Sending { roots: authority.roots(), ..three_places() }.sender();
    for receiver in &receivers {
        let url = format!("https://receiver.example:{}/hook", receiver.port());
        assert_eq!(send(&sender, &url).await.verdict(), Verdict::Delivered);
    }
}

#[tokio::test]
async fn connections_in_use_do_not_give_way() {
    let silent = Receiver::falling_silent_after(b"").await;
    let other = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let sender = three_places().sender();
    let url = silent.url();
    let (outcomes, refused) = tokio::join!(biased;
        join_all((0..3).map(|_| send(&sender, &url))),
        async {
            while silent.connections() < 3 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            send(&sender, &other.url()).await
        },
    );
    assert_eq!(outcomes, vec![failed(FailureReason::Timeout); 3]);
    assert_eq!(refused, AttemptOutcome::NotCharged(OurFault::ConnectionLimit));
}

/// A process whose environment names a proxy in every usual way delivers without the proxy.
#[tokio::test]
async fn no_proxy_is_taken_from_the_environment() {
    let canary = Canary::everywhere().await;
    let proxy = format!("http://127.0.0.1:{}", canary.port());
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "answers::a_delivery_carries_the_bytes_and_the_headers", "--nocapture"])
        .env("NO_PROXY", "")
        .env("no_proxy", "");
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(name, &proxy);
    }
    let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
    canary.assert_untouched().await;
}
