//! The spans of attempts.

use std::sync::Arc;
use std::time::Duration;

use dispatcher::DispatcherSettings;
use domain::{AttributeValue, Span, SpanKind, TraceContext};

use crate::receivers::{Reaction, Receivers, answer, well};
use crate::world::{Running, World, millis, pass, seconds};

const URL: &str = "https://receiver.example:8443/secret-path?secret=query";

fn publication() -> TraceContext {
    TraceContext::from_bytes(&[7; 24]).unwrap()
}

fn attribute(span: &Span, name: &str) -> Option<AttributeValue> {
    span.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_a_span_that_links_to_the_publication() {
    let (world, settings) = (World::new(1), DispatcherSettings::default());
    let lane = world.subscribe(URL).await;
    world.publish_traced(lane, Some(publication())).await;
    let receivers = Receivers::new(|_| Reaction::After(seconds(2), answer(500)));
    let (dispatcher, spans) = world.tracing_dispatcher(receivers.clone(), settings);
    let _running = Running::new(dispatcher);
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
    let (world, lane) = World::with_lane(URL).await;
    world.publish_traced(lane, None).await;
    let receivers = Receivers::new(|_| well());
    let (dispatcher, spans) = world.tracing_dispatcher(receivers.clone(), DispatcherSettings::default());
    let _running = Running::new(dispatcher);
    pass(seconds(2)).await;
    assert_eq!((receivers.seen(URL)[0].trace, spans.take()), (None, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn receivers_learn_of_no_trace_if_they_should_not() {
    let (world, lane) = World::with_lane(URL).await;
    world.publish_traced(lane, Some(publication())).await;
    let receivers = Receivers::new(|_| well());
    let settings = DispatcherSettings { sends_traceparent: false, ..DispatcherSettings::default() };
    let (dispatcher, spans) = world.tracing_dispatcher(receivers.clone(), settings);
    let _running = Running::new(dispatcher);
    pass(seconds(2)).await;
    assert_eq!((receivers.seen(URL)[0].trace, spans.take().len()), (None, 1));
}

/// A panic of the sender, and an attempt that the shutdown cuts off.
#[tokio::test(start_paused = true)]
async fn attempts_without_an_outcome_are_spans_too() {
    let panics = || Receivers::new(|_| Reaction::Panic);
    let takes_long = || Receivers::new(|_| Reaction::After(seconds(14), answer(200)));
    for (receivers, duration) in [(panics(), Duration::ZERO), (takes_long(), seconds(6))] {
        let (world, lane) = World::with_lane(URL).await;
        world.publish_traced(lane, Some(publication())).await;
        let settings = DispatcherSettings { stop_grace: seconds(5), ..DispatcherSettings::default() };
        let (dispatcher, spans) = world.tracing_dispatcher(Arc::clone(&receivers) as _, settings);
        let running = Running::new(dispatcher);
        pass(seconds(1)).await;
        running.stop.cancel();
        running.task.await.unwrap();
        let [span] = &*spans.take() else { panic!("one attempt is one span") };
        assert!(span.is_error && attribute(span, "error.type") == Some("cut_off".into()), "{span:?}");
        assert!((duration..duration + millis(200)).contains(&span.duration), "{:?}", span.duration);
    }
}
