//! Traces of the real binary, at a collector that reads them with the official types of OTLP.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Kind;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message;
use serde_json::{Value, json};

use crate::console::hexadecimal as hex;
use crate::harness::{Connection, Request, Setup, Storage, eventually, free_address, on_both_databases};
use crate::metrics::exposition::{TEXT, scrape};
use crate::metrics::figures::metered;
use crate::webhooks::host::{Consumer, by_host, setup, started};
use crate::webhooks::receiver::{Behaviour, Received, Receiver};

on_both_databases!(
    a_sampled_publication_leads_to_linked_attempts,
    nothing_is_traced_that_the_caller_does_not_sample,
    receivers_learn_of_no_trace_if_they_should_not,
    a_collector_that_is_away_changes_nothing,
);

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

/// A collector on this machine.
pub(crate) struct Collector(Receiver);

impl Collector {
    pub(crate) async fn start() -> Self {
        Self(Receiver::start(Behaviour::ok()).await)
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.0.address())
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.0.received()
    }

    /// Every span so far.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let decode = |request: Received| {
            assert_eq!((&*request.path, request.header("content-type")), ("/v1/traces", "application/x-protobuf"));
            ExportTraceServiceRequest::decode(&*request.body).expect("the official types read the message")
        };
        let resources = self.requests().into_iter().map(decode).flat_map(|one| one.resource_spans);
        resources.flat_map(|one| one.scope_spans).flat_map(|one| one.spans).collect()
    }

    async fn expect(&self, what: &str, is_it: impl Fn(&Span) -> bool) -> Span {
        eventually(what, async || self.spans().into_iter().find(&is_it)).await
    }
}

fn attribute(span: &Span, name: &str) -> Value {
    let value = span.attributes.iter().find(|one| one.key == name).and_then(|one| one.value.clone()?.value);
    match value {
        Some(Kind::StringValue(text)) => json!(text),
        Some(Kind::IntValue(number)) => json!(number),
        other => panic!("{name} is {other:?} in {span:?}"),
    }
}

async fn traced(storage: &Storage, endpoint: &str, ratio: &str) -> Setup {
    let setup = setup(storage).await.with("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    setup.with("OTEL_TRACES_SAMPLER_ARG", ratio)
}

fn publication(flags: &str) -> Request {
    let event = json!({ "userId": "alice", "type": "invoice.paid", "data": null });
    let request = by_host("POST", "events").json(&event);
    request.header("traceparent", &format!("00-{TRACE}-{CALLER}-{flags}"))
}

async fn a_sampled_publication_leads_to_linked_attempts(storage: Storage) {
    let collector = Collector::start().await;
    let (gatepost, receiver, consumer) = started(traced(&storage, &collector.endpoint(), "0").await).await;
    receiver.behave(Behaviour::answer("500 Oh", "", ""));
    consumer.subscribe(&format!("{}?token=secret", receiver.url()), &["*"]).await;
    let accepted = gatepost.send(&publication("01")).await;
    assert_eq!(accepted.status, 202, "{}", accepted.text());

    let webhook = receiver.expect(1).await.remove(0);
    let served = collector.expect("the span of the request", |span| span.kind() == SpanKind::Server).await;
    let attempt = collector.expect("the span of the attempt", |span| span.kind() == SpanKind::Client).await;
    assert_eq!((hex(&served.trace_id), hex(&served.parent_span_id)), (TRACE.to_owned(), CALLER.to_owned()));
    assert_eq!(served.name, "POST /api/operator/events");
    assert_eq!(attribute(&served, "http.response.status_code"), 202);
    let [link] = &*attempt.links else { panic!("an attempt has one link: {attempt:?}") };
    assert_eq!((&link.trace_id, &link.span_id), (&served.trace_id, &served.span_id), "it links to the publication");
    assert_ne!(attempt.trace_id, served.trace_id, "an attempt begins a trace");
    let traceparent = format!("00-{}-{}-01", hex(&attempt.trace_id), hex(&attempt.span_id));
    assert_eq!(webhook.header("traceparent"), traceparent, "the receiver can go on with the trace");
    assert_eq!(attribute(&attempt, "http.response.status_code"), 500);
    assert_eq!(attribute(&attempt, "gatepost.event.id"), accepted.json()["event"]["id"]);
    assert!(served.start_time_unix_nano <= attempt.start_time_unix_nano + 1_000_000);
    assert!(!format!("{:?}", collector.spans()).contains("secret"), "no span has the URL");
    let logged = eventually("the log line of the attempt", async || {
        let written = gatepost.written();
        written.lines().find(|line| line.contains("webhook not delivered")).map(str::to_owned)
    });
    let logged = logged.await;
    assert!(logged.contains(&hex(&attempt.trace_id)) && logged.contains(&hex(&attempt.span_id)), "{logged}");
}

async fn nothing_is_traced_that_the_caller_does_not_sample(storage: Storage) {
    let collector = Collector::start().await;
    let (gatepost, receiver, consumer) = started(traced(&storage, &collector.endpoint(), "0").await).await;
    consumer.subscribe(&receiver.url(), &["*"]).await;
    assert_eq!(gatepost.send(&publication("00")).await.status, 202);
    let webhook = receiver.expect(1).await.remove(0);
    assert!(webhook.headers.iter().all(|(name, _)| name != "traceparent"), "{webhook:?}");
    let sampled = format!("00-{TRACE}-{CALLER}-01");
    gatepost.send(&Request::new("GET", "/forward-auth").header("traceparent", &sampled)).await;
    let last = collector.expect("a span", |_| true).await;
    assert_eq!(last.name, "GET /forward-auth", "a verification is traced if its caller says so");
    assert_eq!(collector.spans().len(), 1, "{:?}", collector.spans());
}

async fn receivers_learn_of_no_trace_if_they_should_not(storage: Storage) {
    let collector = Collector::start().await;
    let setup = traced(&storage, &collector.endpoint(), "0").await.with("WEBHOOK_TRACEPARENT", "false");
    let (gatepost, receiver, consumer) = started(setup).await;
    consumer.subscribe(&receiver.url(), &["*"]).await;
    assert_eq!(gatepost.send(&publication("01")).await.status, 202);
    let webhook = receiver.expect(1).await.remove(0);
    assert!(webhook.headers.iter().all(|(name, _)| name != "traceparent"), "{webhook:?}");
    collector.expect("the span of the attempt", |span| span.kind() == SpanKind::Client).await;
}

/// More spans than fit while the collector is away: the requests are answered and delivered as ever, and the dropped
/// spans are counted.
async fn a_collector_that_is_away_changes_nothing(storage: Storage) {
    let away = format!("http://{}", free_address());
    let setup = traced(&storage, &away, "1").await;
    let (mut gatepost, metrics) = metered(setup).await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    Consumer::new(&gatepost, "alice").await.subscribe(&receiver.url(), &["*"]).await;
    let mut connection = Connection::open(gatepost.address()).await.unwrap();
    for _ in 0..3_000 {
        assert_eq!(connection.exchange(&Request::new("GET", "/api/session")).await.unwrap().status, 401);
    }
    assert_eq!(gatepost.send(&publication("01")).await.status, 202);
    receiver.expect(1).await;
    let text = scrape(metrics, TEXT).await.text;
    let dropped = text.lines().find_map(|line| line.strip_prefix("gatepost_spans_total{result=\"dropped\"} ")).unwrap();
    assert!((400..=1_000).contains(&dropped.parse::<u32>().unwrap()), "{dropped} of 3,000 were dropped");
    gatepost.stop().await;
}
