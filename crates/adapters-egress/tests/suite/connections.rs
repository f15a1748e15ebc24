use domain::webhooks::Verdict;
use futures_util::future::join_all;

use crate::exchange::{Sending, answered, send};
use crate::receiver::Receiver;

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
