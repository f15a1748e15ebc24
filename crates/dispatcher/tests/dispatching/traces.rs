//! The spans of attempts.

use std::sync::Arc;
use std::time::Duration;

use dispatcher::{Dispatcher, DispatcherPorts, DispatcherSettings};
use domain::memory::MemorySpans;
use domain::ports::Attempt;
use domain::{AttributeValue, SamplingRatio, Span, SpanKind, TraceContext, Tracer};

use crate::receivers::{Reaction, Receivers, answer, well};
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example:8443/secret-path?secret=query";

fn publication() -> TraceContext {
    TraceContext::from_bytes(&[7; 24]).unwrap()
}

fn attribute(span: &Span, name: &str) -> Option<AttributeValue> {
    span.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

/// A receiver, an event for it that is published in this span, and a running dispatcher that traces.
async fn traced(
    react: impl Fn(&Attempt) -> Reaction + Send + Sync + 'static,
    trace: Option<TraceContext>,
    settings: DispatcherSettings,
) -> (Arc<Receivers>, Arc<MemorySpans>, Running) {
    let (world, lane) = World::with_lane(URL).await;
    world.publish_traced(lane, trace).await;
    let (receivers, spans) = (Receivers::new(react), Arc::new(MemorySpans::default()));
    let (queue, sender) = (world.store.clone(), receivers.clone());
    let (keys, clock, entropy) = (world.keys.clone(), world.clock.clone(), world.entropy.clone());
    let tracer = Tracer::new(spans.clone(), clock.clone(), entropy.clone(), SamplingRatio::default());
    let ports = DispatcherPorts { queue, sender, keys, clock, entropy, tracer: Some(tracer) };
    (receivers, spans, Running::new(Dispatcher::new(ports, settings)))
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_a_span_that_links_to_the_publication() {
    let react = |_: &Attempt| Reaction::After(seconds(2), answer(500));
    let (receivers, spans, _running) = traced(react, Some(publication()), DispatcherSettings::default()).await;
    pass(seconds(60)).await;
    let (spans, seen) = (spans.take(), receivers.seen(URL));
    assert!(spans.len() > 1 && spans.len() == seen.len(), "{} spans of {} attempts", spans.len(), seen.len());
    for (number, (span, seen)) in (1..).zip(spans.iter().zip(&seen)) {
        assert_eq!((span.kind, span.link, span.parent), (SpanKind::Client, Some(publication()), None));
        assert_eq!(seen.trace, Some(span.context), "the receiver gets the span of the attempt");
        assert_eq!((span.duration, span.is_error), (seconds(2), true));
        assert_eq!(attribute(span, "gatepost.attempt"), Some(AttributeValue::Number(number)));
        assert_eq!(attribute(span, "http.response.status_code"), Some(AttributeValue::Number(500)));
        assert_eq!(attribute(span, "server.address"), Some("receiver.example".into()));
        assert_eq!(attribute(span, "server.port"), Some(AttributeValue::Number(8443)));
        assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    }
    assert_ne!(spans[0].context.trace, spans[1].context.trace, "each attempt begins a trace");
}

#[tokio::test(start_paused = true)]
async fn what_was_not_sampled_is_not_traced() {
    let (receivers, spans, _running) = traced(|_| well(), None, DispatcherSettings::default()).await;
    pass(seconds(2)).await;
    assert_eq!((receivers.seen(URL)[0].trace, spans.take()), (None, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn receivers_learn_of_no_trace_if_they_should_not() {
    let settings = DispatcherSettings { sends_traceparent: false, ..DispatcherSettings::default() };
    let (receivers, spans, _running) = traced(|_| well(), Some(publication()), settings).await;
    pass(seconds(2)).await;
    assert_eq!((receivers.seen(URL)[0].trace, spans.take().len()), (None, 1));
}

/// A panic of the sender, and an attempt that the shutdown cuts off.
#[tokio::test(start_paused = true)]
async fn attempts_without_an_outcome_are_spans_too() {
    let takes_long = Reaction::After(seconds(14), answer(200));
    for (reaction, duration) in [(Reaction::Panic, Duration::ZERO), (takes_long, seconds(6))] {
        let settings = DispatcherSettings { stop_grace: seconds(5), ..DispatcherSettings::default() };
        let (_, spans, running) = traced(move |_| reaction.clone(), Some(publication()), settings).await;
        pass(seconds(1)).await;
        running.stop.cancel();
        running.task.await.unwrap();
        let [span] = &*spans.take() else { panic!("one attempt is one span") };
        assert!(span.is_error && attribute(span, "error.type") == Some("cut_off".into()), "{span:?}");
        assert!((duration..duration + millis(200)).contains(&span.duration), "{:?}", span.duration);
    }
}
