use std::sync::{Arc, Mutex};

use domain::webhooks::{AttemptOutcome, FailureReason, Verdict};
use tokio::io::AsyncWriteExt as _;
use tokio_rustls::TlsAcceptor;

use crate::certificates::Authority;
use crate::exchange::{Sending, failed, send};
use crate::receiver::{Receiver, read_request};

/// Answers 200 to each client that trusts its certificate, and records the server name of the handshake.
async fn secure(acceptor: TlsAcceptor, names: Arc<Mutex<Vec<Option<String>>>>) -> Receiver {
    Receiver::acting(move |stream| {
        let (acceptor, names) = (acceptor.clone(), Arc::clone(&names));
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            names.lock().unwrap().push(stream.get_ref().1.server_name().map(ToOwned::to_owned));
            while read_request(&mut stream).await.is_some() {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
            }
        }
    })
    .await
}

async fn send_to(acceptor: TlsAcceptor, host: &str, roots: &Authority) -> AttemptOutcome {
    let receiver = secure(acceptor, Arc::default()).await;
    let sending = Sending { roots: roots.roots(), ..Sending::default() };
    sending.send(&format!("https://{host}:{}/", receiver.port())).await
}

#[tokio::test]
async fn a_certificate_that_is_good_for_the_host_is_accepted() {
    let authority = Authority::new();
    for host in ["receiver.example", "127.0.0.1", "localhost"] {
        let outcome = send_to(authority.acceptor(&[host], &[]), host, &authority).await;
        assert_eq!(outcome.verdict(), Verdict::Delivered, "{host}");
    }
    let wildcard = authority.acceptor(&["*.receiver.example"], &[]);
    assert_eq!(send_to(wildcard, "a.receiver.example", &authority).await.verdict(), Verdict::Delivered);
}

#[tokio::test]
async fn a_certificate_that_is_not_is_refused() {
    let (authority, other) = (Authority::new(), Authority::new());
    let host = "receiver.example";
    for (case, acceptor) in [
        ("another host's", authority.acceptor(&["other.example"], &[])),
        ("an address's", authority.acceptor(&["127.0.0.1"], &[])),
        ("another authority's", other.acceptor(&[host], &[])),
        ("an expired one", authority.expired_acceptor(&[host])),
    ] {
        assert_eq!(send_to(acceptor, host, &authority).await, failed(FailureReason::Tls), "{case}");
    }
    let for_a_name = authority.acceptor(&[host], &[]);
    assert_eq!(send_to(for_a_name, "127.0.0.1", &authority).await, failed(FailureReason::Tls));
}

#[tokio::test]
async fn the_systems_roots_do_not_include_an_authority_of_ours() {
    let receiver = secure(Authority::new().acceptor(&["receiver.example"], &[]), Arc::default()).await;
    let outcome = Sending::default().send(&format!("https://receiver.example:{}/", receiver.port())).await;
    assert_eq!(outcome, failed(FailureReason::Tls));
}

#[tokio::test]
async fn what_speaks_no_tls_is_refused() {
    let plain = Receiver::acting(|mut stream| async move {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    let closing = Receiver::acting(|stream| async move { drop(stream) });
    for receiver in [plain.await, closing.await] {
        let sending = Sending { roots: Authority::new().roots(), ..Sending::default() };
        let outcome = sending.send(&format!("https://127.0.0.1:{}/", receiver.port())).await;
        assert_eq!(outcome, failed(FailureReason::Tls));
    }
}

#[tokio::test]
async fn a_handshake_that_hangs_ends_at_the_deadline() {
    let receiver = Receiver::acting(|stream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let outcome = Sending::impatient().send(&format!("https://127.0.0.1:{}/", receiver.port())).await;
    assert_eq!(outcome, failed(FailureReason::Timeout));
}

#[tokio::test]
async fn the_name_of_the_url_is_asked_for_and_the_connection_shared() {
    let authority = Authority::new();
    let names: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let receiver = secure(authority.acceptor(&["receiver.example"], &[b"http/1.1"]), Arc::clone(&names)).await;
    let sender = Sending { roots: authority.roots(), ..Sending::default() }.sender();
    for _ in 0..3 {
        let outcome = send(&sender, &format!("https://receiver.example.:{}/", receiver.port())).await;
        assert_eq!(outcome.verdict(), Verdict::Delivered);
    }
    assert_eq!(*names.lock().unwrap(), [Some("receiver.example".to_owned())]);
}
