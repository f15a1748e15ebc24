//! Receivers that want an access token, and the endpoints that give it.

use std::time::Duration;

use domain::ports::{Attempt, WebhookSender as _};
use domain::webhooks::{AttemptOutcome, Authentication, ClientCredentials, FailureReason, RequestHeaders, TargetUrl};
use futures_util::future::join_all;
use tokio::io::AsyncWriteExt as _;

use crate::exchange::{SECRET, Sending, answered, attempt, failed};
use crate::receiver::{Receiver, read_request};

fn attempt_for(receiver: &Receiver, token_url: &str) -> Attempt {
    let token_url = TargetUrl::from_stored(token_url).unwrap();
    let (scope, audience) = (Some("hooks:write a"), Some("https://api.example/?x=1"));
    let client = ClientCredentials::new(token_url, ("client:1", "s3cret /+"), scope, audience).unwrap();
    let headers = RequestHeaders::default().with_auth(Authentication::oauth2(&client)).unwrap();
    Attempt { headers, ..attempt(&receiver.url(), &[SECRET]) }
}

fn json(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// A token endpoint that gives `token-1`, `token-2` and so on, valid for an hour.
async fn endpoint() -> Receiver {
    let token = |number| format!(r#"{{"access_token":"token-{number}","token_type":"Bearer","expires_in":3600}}"#);
    Receiver::replying(move |number, _| json(&token(number))).await
}

/// A receiver that accepts this value of the header `authorization` alone.
async fn accepting(good: &'static str) -> Receiver {
    Receiver::replying(move |_, request| {
        let is_good = request.header("authorization") == Some(good);
        let status = if is_good { "204 No Content" } else { "401 Unauthorized" };
        format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n")
    })
    .await
}

/// The values of the header `authorization`.
fn presented(receiver: &Receiver) -> Vec<String> {
    receiver.requests().iter().filter_map(|request| request.header("authorization").map(str::to_owned)).collect()
}

fn status(outcome: AttemptOutcome) -> u16 {
    answered(outcome).status
}

#[tokio::test]
async fn one_token_serves_many_attempts_and_is_requested_as_the_rfc_says() {
    let (endpoint, receiver) = (endpoint().await, accepting("Bearer token-1").await);
    let sender = Sending::default().sender();
    let attempts = (0..8).map(|_| sender.send(attempt_for(&receiver, &endpoint.url())));
    let statuses: Vec<u16> = join_all(attempts).await.into_iter().map(status).collect();
    assert_eq!((statuses, presented(&receiver).len()), (vec![204; 8], 8));
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 1, "one of several concurrent attempts requests the token");
    // base64 of `client%3A1:s3cret+%2F%2B`: both parts are form-encoded first (RFC 6749, section 2.3.1).
    assert_eq!(requests[0].header("authorization"), Some("Basic Y2xpZW50JTNBMTpzM2NyZXQrJTJGJTJC"));
    assert_eq!(requests[0].header("content-type"), Some("application/x-www-form-urlencoded"));
    assert!(requests[0].head.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{}", requests[0].head);
    let form = "grant_type=client_credentials&scope=hooks%3Awrite+a&audience=https%3A%2F%2Fapi.example%2F%3Fx%3D1";
    assert_eq!(str::from_utf8(&requests[0].body).unwrap(), form);
    for name in ["webhook-id", "webhook-signature", "traceparent"] {
        assert_eq!(requests[0].header(name), None, "the endpoint gets no webhook");
    }
}

#[tokio::test]
async fn a_kept_token_that_is_refused_is_replaced_once_and_a_new_one_is_not() {
    let (endpoint, never) = (endpoint().await, accepting("none").await);
    let sender = Sending::default().sender();
    assert_eq!(status(sender.send(attempt_for(&never, &endpoint.url())).await), 401);
    assert_eq!(presented(&never), ["Bearer token-1"], "a new token is not replaced");
    let second = accepting("Bearer token-2").await;
    assert_eq!(status(sender.send(attempt_for(&second, &endpoint.url())).await), 204);
    assert_eq!(presented(&second), ["Bearer token-1", "Bearer token-2"]);
    let never = accepting("none").await;
    assert_eq!(status(sender.send(attempt_for(&never, &endpoint.url())).await), 401);
    assert_eq!(presented(&never), ["Bearer token-2", "Bearer token-3"], "no third request");
    assert_eq!(endpoint.requests().len(), 3);
}

#[tokio::test]
async fn without_a_token_the_receiver_gets_nothing() {
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let long = format!(r#"{{"access_token":"{}"}}"#, "a".repeat(70_000));
    for answer in [
        "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        json("{}"),
        json("not JSON"),
        json(r#"{"access_token":"a b"}"#),
        json(r#"{"access_token":"a","token_type":"mac"}"#),
        json(&long),
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{".to_owned(),
        format!("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n{}", "a".repeat(70_000)),
        "nonsense".to_owned(),
    ] {
        let endpoint = Receiver::answering(answer.clone()).await;
        let outcome = Sending::impatient().sender().send(attempt_for(&receiver, &endpoint.url())).await;
        assert_eq!(outcome, failed(FailureReason::NoToken), "{answer:.60}");
    }
    let silent = Receiver::falling_silent_after(b"HTTP/1.1 200 OK\r\n").await;
    // Neither may be reached: a private address, and one on which nothing listens.
    for url in ["http://10.0.0.1/token", "http://127.0.0.1:1/token", &silent.url()] {
        let outcome = Sending::impatient().sender().send(attempt_for(&receiver, url)).await;
        assert_eq!(outcome, failed(FailureReason::NoToken), "{url}");
    }
    assert_eq!(receiver.requests().len(), 0);
}

#[tokio::test]
async fn the_answer_may_come_in_parts_and_the_connection_is_kept() {
    let body = format!(r#"{{"access_token":"{}","expires_in":1}}"#, "a".repeat(60_000));
    let half = body.len() / 2;
    let whole = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    let chunk = |part: &str| format!("{:x}\r\n{part}\r\n", part.len());
    for parts in [
        vec![whole.clone(), body.clone()],
        vec![whole, body[..half].to_owned(), body[half..].to_owned()],
        vec![
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned(),
            chunk(&body[..half]),
            chunk(&body[half..]) + &chunk(""),
        ],
    ] {
        let endpoint = Receiver::acting(move |mut stream| {
            let parts = parts.clone();
            async move {
                while read_request(&mut stream).await.is_some() {
                    for part in &parts {
                        stream.write_all(part.as_bytes()).await.unwrap();
                        stream.flush().await.unwrap();
                        tokio::time::sleep(Duration::from_millis(30)).await;
                    }
                }
            }
        })
        .await;
        let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
        let sender = Sending::default().sender();
        for _ in 0..3 {
            assert_eq!(status(sender.send(attempt_for(&receiver, &endpoint.url())).await), 204);
        }
        assert_eq!(endpoint.connections(), 1);
    }
}

#[tokio::test]
async fn an_endpoint_that_failed_gets_another_request() {
    let endpoint = Receiver::replying(|number, _| match number {
        1 => "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n".to_owned(),
        _ => json(r#"{"access_token":"later"}"#),
    })
    .await;
    let receiver = accepting("Bearer later").await;
    let sender = Sending::default().sender();
    assert_eq!(sender.send(attempt_for(&receiver, &endpoint.url())).await, failed(FailureReason::NoToken));
    assert_eq!(status(sender.send(attempt_for(&receiver, &endpoint.url())).await), 204);
}
