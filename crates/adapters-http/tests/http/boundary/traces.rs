//! The traced requests, and the content of their spans.

use std::sync::Arc;
use std::time::Duration;

use domain::memory::MemorySpans;
use domain::{AttributeValue, SamplingRatio, Span, SpanKind};

use super::logs::Lines;
use crate::server::{Server, Setup};
use crate::transcript::{ALICE, OPERATOR, Request, request};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";
/// The header of a caller who records the trace.
const SAMPLED: (&str, &str) = ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

fn start(ratio: f64) -> (Server, Arc<MemorySpans>) {
    let (spans, ratio) = (Arc::new(MemorySpans::default()), SamplingRatio::new(ratio).unwrap());
    let server = Setup { traced: Some((Arc::clone(&spans), ratio)), ..Setup::default() }.start();
    (server, spans)
}

fn attribute(span: &Span, name: &str) -> Option<AttributeValue> {
    span.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sampled_request_is_a_span_of_the_callers_trace() {
    let (lines, (server, spans)) = (Lines::capture(), start(0.0));
    let path = "GET /docs/errors/secret-path?secret=query";
    request(path).header(SAMPLED).header(("x-request-id", "7ace-1")).send(&server).await;
    let [span] = &*spans.take() else { panic!("one request is one span") };
    assert_eq!((span.kind, &*span.name, span.is_error), (SpanKind::Server, "GET /docs/errors/{code}", false));
    assert_eq!(span.context.trace.to_string(), TRACE);
    assert_eq!(span.parent.map(|parent| parent.to_string()).as_deref(), Some(CALLER));
    assert_eq!(attribute(span, "http.response.status_code"), Some(AttributeValue::Number(404)));
    assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    let [line] = &*lines.of("7ace-1") else { panic!("one request is one line") };
    for (field, id) in [("trace_id", TRACE.to_owned()), ("span_id", span.context.span.to_string())] {
        assert!(line.contains(&format!("\"{field}\":\"{id}\"")), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_caller_decides_and_otherwise_the_ratio() {
    for (ratio, without_caller) in [(0.0, 0), (1.0, 1)] {
        let (server, spans) = start(ratio);
        let count = async |traceparent: &[&str]| {
            let begun = request("GET /api/api-keys").header(ALICE);
            traceparent.iter().fold(begun, |call, value| call.header(("traceparent", value))).send(&server).await;
            spans.take().len()
        };
        let (yes, no) = (SAMPLED.1, format!("00-{TRACE}-{CALLER}-00"));
        assert_eq!(count(&[yes]).await, 1, "a sampled caller at {ratio}");
        assert_eq!(count(&[&no]).await, 0, "a caller that does not sample at {ratio}");
        assert_eq!(count(&[]).await, without_caller, "no caller at {ratio}");
        assert_eq!(count(&["00-nonsense"]).await, without_caller, "a header that is not valid at {ratio}");
        assert_eq!(count(&[yes, yes]).await, without_caller, "two headers at {ratio}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verifications_and_probes_begin_no_trace() {
    let (server, spans) = start(1.0);
    for path in
        ["GET /forward-auth", "GET /forward-auth/x", "POST /api/operator/introspect", "GET /livez", "GET /readyz"]
    {
        request(path).header(OPERATOR).send(&server).await;
        assert_eq!(spans.take(), [], "{path}");
        request(path).header(OPERATOR).header(SAMPLED).send(&server).await;
        assert_eq!(spans.take().len(), 1, "{path}, traced by its caller");
    }
}

/// Anybody can send a `traceparent`.
#[tokio::test(flavor = "multi_thread")]
async fn strangers_cannot_fill_the_exporter() {
    let (server, spans) = start(0.0);
    let call = request("GET /api/api-keys").header(SAMPLED);
    for _ in 0..2 {
        for credential in [None, Some(("authorization", "Bearer wrong"))] {
            for _ in 0..100 {
                let call = credential.into_iter().fold(call.clone(), Request::header);
                assert_eq!(call.send(&server).await.status, 401);
            }
        }
        assert_eq!(spans.take().len(), 100, "of 200 in ten seconds");
        assert_eq!(call.clone().header(ALICE).send(&server).await.status, 200);
        assert_eq!(spans.take().len(), 1, "a user has what strangers have used up");
        server.clock.advance(Duration::from_secs(10));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_service_is_an_error_of_the_span() {
    let (server, spans) = start(1.0);
    let answer = request("GET /test/panic").send(&server).await;
    assert_eq!(answer.status, 500);
    let [span] = &*spans.take() else { panic!("one request is one span") };
    assert!(span.is_error && attribute(span, "error.type") == Some("500".into()), "{span:?}");
}
