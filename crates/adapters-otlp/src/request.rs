use std::time::Duration;

use domain::{Attribute, AttributeValue, Span, SpanKind, TraceContext};

use crate::protobuf::Message;

/// The name of the program that records the spans.
const SCOPE: &str = "gatepost";
/// The field of a span's flags: the low byte is that of `traceparent`, which says that the trace is recorded.
const FLAGS: u32 = 1;
/// `STATUS_CODE_ERROR`.
const STATUS_ERROR: u64 = 2;

/// The body of a request to export these spans: an `ExportTraceServiceRequest`. The field numbers are those of
/// <https://github.com/open-telemetry/opentelemetry-proto>.
pub(crate) fn body(service_name: &str, version: &str, spans: &[Span]) -> Vec<u8> {
    let about = [("service.name", service_name), ("service.version", version)];
    let about = about.map(|(name, value)| attribute(name, &AttributeValue::Text(value.to_owned().into())));
    let resource = Message::default().messages(1, about);
    let scope = Message::default().bytes(1, SCOPE).bytes(2, version);
    let scope_spans = Message::default().message(1, &scope).messages(2, spans.iter().map(span));
    let resource_spans = Message::default().message(1, &resource).message(2, &scope_spans);
    Message::default().message(1, &resource_spans).into_bytes()
}

fn span(span: &Span) -> Message {
    let start = unix_nanos(span);
    let parent: &[u8] = span.parent.as_ref().map_or(&[], |parent| parent.as_bytes());
    let message = Message::default()
        .bytes(1, span.context.trace.as_bytes())
        .bytes(2, span.context.span.as_bytes())
        .bytes(4, parent)
        .bytes(5, &span.name)
        .number(6, kind(span.kind))
        .fixed64(7, start)
        .fixed64(8, start.saturating_add(nanos(span.duration)))
        .messages(9, span.attributes.iter().map(|(name, value): &Attribute| attribute(name, value)))
        .messages(13, span.link.map(link));
    let message =
        if span.is_error { message.message(15, &Message::default().number(3, STATUS_ERROR)) } else { message };
    message.fixed32(16, FLAGS)
}

fn link(to: TraceContext) -> Message {
    Message::default().bytes(1, to.trace.as_bytes()).bytes(2, to.span.as_bytes()).fixed32(6, FLAGS)
}

fn attribute(name: &str, value: &AttributeValue) -> Message {
    let value = match value {
        AttributeValue::Text(text) => Message::default().bytes(1, text.as_bytes()),
        AttributeValue::Number(number) => Message::default().present_number(3, number.cast_unsigned()),
    };
    Message::default().bytes(1, name).message(2, &value)
}

fn kind(kind: SpanKind) -> u64 {
    match kind {
        SpanKind::Server => 2,
        SpanKind::Client => 3,
    }
}

fn unix_nanos(span: &Span) -> u64 {
    u64::try_from(span.started_at.unix_millis()).unwrap_or(0).saturating_mul(1_000_000)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::common::v1::any_value::Value;
    use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
    use opentelemetry_proto::tonic::resource::v1::Resource;
    use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span as Decoded, Status, span as parts};
    use prost::Message as _;

    use super::*;

    fn key_value(key: &str, value: Value) -> KeyValue {
        KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
    }

    fn text(key: &str, value: &str) -> KeyValue {
        key_value(key, Value::StringValue(value.to_owned()))
    }

    fn context(byte: u8) -> TraceContext {
        TraceContext::from_bytes(&[byte; 24]).unwrap()
    }

    fn sample() -> Span {
        Span {
            context: context(1),
            parent: Some(context(2).span),
            link: Some(context(3)),
            kind: SpanKind::Client,
            name: "webhook attempt".into(),
            started_at: Timestamp::from_unix_millis(1_795_225_323_120).unwrap(),
            duration: Duration::from_nanos(1_500_000_007),
            attributes: vec![
                ("text", "é".to_owned().into()),
                ("empty", "".into()),
                ("number", AttributeValue::Number(0)),
                ("below", AttributeValue::Number(-7)),
                ("above", AttributeValue::Number(i64::MAX)),
            ],
            is_error: true,
        }
    }

    /// The official types of the protocol read the message back, field by field.
    #[test]
    fn a_span_is_read_back_with_every_field() {
        let decoded = ExportTraceServiceRequest::decode(&*body("billing", "1.2.3", &[sample()])).unwrap();
        let link = parts::Link { trace_id: vec![3; 16], span_id: vec![3; 8], flags: 1, ..parts::Link::default() };
        let expected = Decoded {
            trace_id: vec![1; 16],
            span_id: vec![1; 8],
            parent_span_id: vec![2; 8],
            flags: 1,
            name: "webhook attempt".into(),
            kind: parts::SpanKind::Client.into(),
            start_time_unix_nano: 1_795_225_323_120_000_000,
            end_time_unix_nano: 1_795_225_324_620_000_007,
            attributes: vec![
                text("text", "é"),
                KeyValue { value: Some(AnyValue { value: None }), ..text("empty", "") },
                key_value("number", Value::IntValue(0)),
                key_value("below", Value::IntValue(-7)),
                key_value("above", Value::IntValue(i64::MAX)),
            ],
            links: vec![link],
            status: Some(Status { code: 2, ..Status::default() }),
            ..Decoded::default()
        };
        let scope = InstrumentationScope {
            name: "gatepost".into(),
            version: "1.2.3".into(),
            ..InstrumentationScope::default()
        };
        let attributes = vec![text("service.name", "billing"), text("service.version", "1.2.3")];
        let spans = ScopeSpans { scope: Some(scope), spans: vec![expected], ..ScopeSpans::default() };
        let resource = Some(Resource { attributes, ..Resource::default() });
        let resource_spans = ResourceSpans { resource, scope_spans: vec![spans], ..ResourceSpans::default() };
        assert_eq!(decoded, ExportTraceServiceRequest { resource_spans: vec![resource_spans] });
    }

    #[test]
    fn a_root_span_without_an_error_has_no_parent_link_or_status() {
        let span = Span { parent: None, link: None, kind: SpanKind::Server, is_error: false, ..sample() };
        let decoded = ExportTraceServiceRequest::decode(&*body("gatepost", "1", &[span.clone(), span])).unwrap();
        let [first, second] = &*decoded.resource_spans[0].scope_spans[0].spans else { panic!("two spans") };
        assert_eq!((first.kind, first.parent_span_id.len(), first.links.len(), &first.status), (2, 0, 0, &None));
        assert_eq!(first, second);
    }
}
