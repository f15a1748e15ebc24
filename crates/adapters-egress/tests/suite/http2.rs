use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adapters_egress::GuardedSender;
use bytes::Bytes;
use domain::webhooks::{FailureReason, Verdict};
use futures_util::future::join_all;
use h2::Reason;
use h2::server::SendResponse;
use http::Response;
use tokio::sync::Barrier;
use tokio_rustls::TlsAcceptor;

use crate::certificates::Authority;
use crate::exchange::{BODY, EVENT, IMPATIENT, PATIENT, Sending, answered, failed, send};
use crate::receiver::Receiver;

/// The behaviour of a receiver on the first stream of a connection. It answers the other streams.
#[derive(Clone, Copy)]
enum Temper {
    Serves,
    GoesAwayAfterIt,
    GoesAwayAtOnce,
    ResetsIt,
    FallsSilent,
    NeverEndsIt,
}

struct Http2 {
    receiver: Receiver,
    served: Arc<AtomicUsize>,
    sender: GuardedSender,
}

impl Http2 {
    async fn new(temper: Temper) -> Self {
        let authority = Authority::new();
        let acceptor = authority.acceptor(&["receiver.example"], &[b"h2"]);
        let served = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&served);
        let receiver = Receiver::acting(move |stream| serve(acceptor.clone(), stream, temper, Arc::clone(&count)));
        let deadline = if matches!(temper, Temper::FallsSilent) { IMPATIENT } else { PATIENT };
        let sender = Sending { roots: authority.roots(), deadline, ..Sending::default() }.sender();
        Self { receiver: receiver.await, served, sender }
    }

    fn url(&self) -> String {
        format!("https://receiver.example:{}/hook", self.receiver.port())
    }

    async fn send(&self) -> domain::webhooks::AttemptOutcome {
        send(&self.sender, &self.url()).await
    }
}

/// Answers every stream of a connection.
pub(crate) async fn serve_all(acceptor: TlsAcceptor, stream: tokio::net::TcpStream) {
    serve(acceptor, stream, Temper::Serves, Arc::default()).await;
}

async fn serve(acceptor: TlsAcceptor, stream: tokio::net::TcpStream, temper: Temper, served: Arc<AtomicUsize>) {
    let stream = acceptor.accept(stream).await.unwrap();
    let mut connection = h2::server::handshake(stream).await.unwrap();
    let mut is_first = true;
    while let Some(Ok((request, respond))) = connection.accept().await {
        match temper {
            Temper::GoesAwayAtOnce if is_first => connection.abrupt_shutdown(Reason::NO_ERROR),
            Temper::GoesAwayAfterIt if is_first => connection.graceful_shutdown(),
            _ => {}
        }
        tokio::spawn(answer(request, respond, if is_first { temper } else { Temper::Serves }, Arc::clone(&served)));
        is_first = false;
    }
}

async fn answer(
    request: http::Request<h2::RecvStream>,
    mut respond: SendResponse<Bytes>,
    temper: Temper,
    served: Arc<AtomicUsize>,
) {
    let (head, mut body) = request.into_parts();
    let mut received = Vec::new();
    while let Some(Ok(data)) = body.data().await {
        received.extend_from_slice(&data);
        let _ = body.flow_control().release_capacity(data.len());
    }
    match temper {
        Temper::ResetsIt => return respond.send_reset(Reason::INTERNAL_ERROR),
        Temper::GoesAwayAtOnce => return,
        Temper::FallsSilent => return std::future::pending().await,
        Temper::Serves | Temper::GoesAwayAfterIt | Temper::NeverEndsIt => {}
    }
    assert_eq!((head.method.as_str(), head.uri.path(), received.as_slice()), ("POST", "/hook", BODY));
    assert_eq!(head.headers["webhook-id"], EVENT.to_string());
    served.fetch_add(1, Ordering::SeqCst);
    let mut stream = respond.send_response(Response::new(()), false).unwrap();
    stream.send_data(Bytes::from_static(b"ok"), !matches!(temper, Temper::NeverEndsIt)).unwrap();
    if matches!(temper, Temper::NeverEndsIt) {
        pour(stream).await;
    }
}

/// Sends while the peer accepts data.
async fn pour(mut stream: h2::SendStream<Bytes>) {
    loop {
        stream.reserve_capacity(4_096);
        let capacity = std::future::poll_fn(|context| stream.poll_capacity(context)).await;
        let Some(Ok(capacity)) = capacity else { return };
        if stream.send_data(Bytes::from(vec![b'x'; capacity]), false).is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn deliveries_share_one_connection_one_after_another_and_side_by_side() {
    let http2 = Http2::new(Temper::Serves).await;
    assert_eq!(answered(http2.send().await).excerpt, b"ok");
    let outcomes = join_all((0..20).map(|_| http2.send())).await;
    assert!(outcomes.iter().all(|outcome| outcome.verdict() == Verdict::Delivered));
    assert_eq!((http2.served.load(Ordering::SeqCst), http2.receiver.connections()), (21, 1));
}

#[tokio::test]
async fn a_receiver_that_goes_away_politely_loses_nothing() {
    let http2 = Http2::new(Temper::GoesAwayAfterIt).await;
    for _ in 0..3 {
        assert_eq!(http2.send().await.verdict(), Verdict::Delivered);
    }
    assert_eq!((http2.served.load(Ordering::SeqCst), http2.receiver.connections()), (3, 3));
}

#[tokio::test]
async fn a_receiver_that_goes_away_at_once_fails_the_attempt_and_not_the_next() {
    let http2 = Http2::new(Temper::GoesAwayAtOnce).await;
    assert_eq!(http2.send().await, failed(FailureReason::Connect));
    assert_eq!(http2.send().await, failed(FailureReason::Connect), "on a second connection");
    assert_eq!(http2.receiver.connections(), 2);
}

#[tokio::test]
async fn a_stream_that_is_reset_or_silent_fails_its_attempt_alone() {
    for (temper, reason) in [(Temper::ResetsIt, FailureReason::Connect), (Temper::FallsSilent, FailureReason::Timeout)]
    {
        let http2 = Http2::new(temper).await;
        assert_eq!(http2.send().await, failed(reason), "{reason:?}");
        assert_eq!(http2.send().await.verdict(), Verdict::Delivered, "{reason:?}");
        assert_eq!(http2.receiver.connections(), 1, "{reason:?}");
    }
}

#[tokio::test]
async fn of_an_endless_body_the_start_is_kept() {
    let http2 = Http2::new(Temper::NeverEndsIt).await;
    let answer = answered(http2.send().await);
    assert_eq!((answer.status, answer.excerpt.len()), (200, 16 * 1024));
    assert_eq!(http2.send().await.verdict(), Verdict::Delivered);
    assert_eq!(http2.receiver.connections(), 1);
}

/// More attempts than the receiver allows streams on a connection, and it answers none before all have arrived.
const MANY: usize = 150;

#[tokio::test]
async fn attempts_above_the_limit_of_streams_open_another_connection() {
    for (streams_max, warm_up) in [(100, false), (100, true), (10, true)] {
        let authority = Authority::new();
        let acceptor = authority.acceptor(&["receiver.example"], &[b"h2"]);
        let arrived = Arc::new(Barrier::new(MANY));
        let serve =
            move |stream| serve_when_all_have_arrived(acceptor.clone(), stream, streams_max, Arc::clone(&arrived));
        let receiver = Receiver::acting(serve).await;
        let sending = Sending { roots: authority.roots(), attempts_per_host_max: 256, ..Sending::default() };
        let sender = Sending { connections_max: 400, ..sending }.sender();
        let url = |path| format!("https://receiver.example:{}/{path}", receiver.port());
        if warm_up {
            // Then the limit of the receiver is known.
            assert_eq!(send(&sender, &url("warm-up")).await.verdict(), Verdict::Delivered);
        }
        let hook = url("hook");
        let outcomes = join_all((0..MANY).map(|_| send(&sender, &hook))).await;
        let late = outcomes.iter().filter(|outcome| outcome.verdict() != Verdict::Delivered).count();
        assert_eq!(late, 0, "of {MANY} attempts, with {streams_max} streams, {} connections", receiver.connections());
    }
}

async fn serve_when_all_have_arrived(
    acceptor: TlsAcceptor,
    stream: tokio::net::TcpStream,
    streams_max: u32,
    arrived: Arc<Barrier>,
) {
    let stream = acceptor.accept(stream).await.unwrap();
    let mut builder = h2::server::Builder::new();
    let mut connection = builder.max_concurrent_streams(streams_max).handshake::<_, Bytes>(stream).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let arrived = Arc::clone(&arrived);
        tokio::spawn(async move {
            if request.uri().path() == "/hook" {
                arrived.wait().await;
            }
            let _ = respond.send_response(Response::new(()), true);
        });
    }
}
