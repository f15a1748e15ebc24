//! The exporter against a collector that takes spans, is away, or refuses them.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

use std::sync::Arc;
use std::time::Duration;

use adapters_otlp::{CollectorHeader, CollectorUrl, ExporterSettings, SpanExporter, SpanQueue};
use domain::ports::{SpanCounts, SpanSink};
use domain::{Span, SpanKind, Timestamp, TraceContext};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// Much longer than any step takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

struct Exporting {
    queue: Arc<SpanQueue>,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Exporting {
    fn to(url: &str) -> Self {
        let headers = vec![CollectorHeader::parse("x-tenant=secret").unwrap()];
        let url = CollectorUrl::parse(url).unwrap();
        let settings = ExporterSettings { url, headers, service_name: "gatepost".into(), version: "1" };
        let (queue, exporter) = SpanExporter::new(settings).unwrap();
        let stop = CancellationToken::new();
        Self { queue, running: tokio::spawn(exporter.run(stop.clone())), stop }
    }

    async fn counts(&self, expected: SpanCounts) {
        wait_until(async || self.queue.counts() == expected).await;
    }

    async fn stop(self) -> SpanCounts {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.running).await.unwrap().unwrap();
        self.queue.counts()
    }
}

async fn wait_until(is_so: impl AsyncFn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(Instant::now() < until, "it does not become so");
        sleep(Duration::from_millis(10)).await;
    }
}

async fn collector(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let takes = Mock::given(method("POST")).and(path("/v1/traces")).and(header("x-tenant", "secret"));
    takes.and(header("content-type", "application/x-protobuf")).respond_with(answer).mount(&server).await;
    server
}

fn span(number: u64) -> Span {
    let mut bytes = [1; 24];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Span {
        context: TraceContext::from_bytes(&bytes).unwrap(),
        parent: None,
        link: None,
        kind: SpanKind::Server,
        name: "GET /".into(),
        started_at: Timestamp::MIN,
        duration: Duration::ZERO,
        attributes: Vec::new(),
        is_error: false,
    }
}

fn traces(requests: &[Request]) -> Vec<u64> {
    let decoded = requests.iter().map(|request| ExportTraceServiceRequest::decode(&*request.body).unwrap());
    let scopes = decoded.flat_map(|one| one.resource_spans).flat_map(|one| one.scope_spans);
    let spans = scopes.flat_map(|one| one.spans);
    spans.map(|span| u64::from_be_bytes(span.trace_id[..8].try_into().unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_span_arrives_once_and_in_batches() {
    let server = collector(ResponseTemplate::new(200)).await;
    let exporting = Exporting::to(&server.uri());
    (0..1_200).for_each(|number| exporting.queue.record(span(number)));
    exporting.counts(SpanCounts { exported: 1_200, dropped: 0 }).await;
    let requests = server.received_requests().await.unwrap();
    assert_eq!(traces(&requests), (0..1_200).collect::<Vec<_>>());
    assert!((3..=8).contains(&requests.len()), "{} requests", requests.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_that_follow_each_other_share_a_request() {
    loop {
        let server = collector(ResponseTemplate::new(200)).await;
        let exporting = Exporting::to(&server.uri());
        let began = Instant::now();
        exporting.queue.record(span(0));
        sleep(Duration::from_millis(200)).await;
        exporting.queue.record(span(1));
        let is_within_a_second = began.elapsed() < Duration::from_secs(1);
        exporting.counts(SpanCounts { exported: 2, dropped: 0 }).await;
        if is_within_a_second {
            assert_eq!(server.received_requests().await.unwrap().len(), 1);
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_is_sent_on_shutdown() {
    let server = collector(ResponseTemplate::new(200)).await;
    let exporting = Exporting::to(&server.uri());
    exporting.queue.record(span(7));
    assert_eq!(exporting.stop().await, SpanCounts { exported: 1, dropped: 0 });
    assert_eq!(traces(&server.received_requests().await.unwrap()), [7]);
}

/// The queue and one batch wait for the collector, and everything else is dropped and counted.
#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_gets_the_oldest_spans_later() {
    let server = collector(ResponseTemplate::new(503)).await;
    let exporting = Exporting::to(&server.uri());
    (0..10_000).for_each(|number| exporting.queue.record(span(number)));
    wait_until(async || !server.received_requests().await.unwrap().is_empty()).await;
    let dropped = exporting.queue.counts().dropped;
    assert!((7_400..=7_952).contains(&dropped), "{dropped} are dropped at once, because 2,048 and a batch wait");
    server.reset().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    exporting.counts(SpanCounts { exported: 10_000 - dropped, dropped }).await;
    assert_eq!(traces(&server.received_requests().await.unwrap())[..500], (0..500).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_does_not_wait_for_a_collector_that_is_away() {
    let exporting = Exporting::to("http://127.0.0.1:9");
    exporting.queue.record(span(1));
    let begun = Instant::now();
    assert_eq!(exporting.stop().await, SpanCounts { exported: 0, dropped: 1 });
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// The collector accepts connections, and never answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_does_not_wait_for_a_collector_that_hangs() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let exporting = Exporting::to(&format!("http://{}", listener.local_addr().unwrap()));
    exporting.queue.record(span(1));
    let begun = Instant::now();
    assert_eq!(exporting.stop().await, SpanCounts { exported: 0, dropped: 1 });
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_collector_refuses_is_dropped() {
    let server = collector(ResponseTemplate::new(400)).await;
    let exporting = Exporting::to(&server.uri());
    exporting.queue.record(span(1));
    exporting.counts(SpanCounts { exported: 0, dropped: 1 }).await;
    assert_eq!(exporting.stop().await, SpanCounts { exported: 0, dropped: 1 });
    assert_eq!(server.received_requests().await.unwrap().len(), 1, "it is not sent again");
}
