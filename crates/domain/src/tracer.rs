use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::ports::{Clock, Entropy, SpanSink};
use crate::{Attribute, Span, SpanId, SpanKind, Timestamp, TraceContext, Traceparent};

/// The most spans in [`STRANGERS_PERIOD`] that callers without a good credential can ask for.
const STRANGERS_MAX: u32 = 100;
const STRANGERS_PERIOD: Duration = Duration::from_secs(10);

/// Decides which spans are recorded, and records them. Without a collector there is no tracer. See decision 83.
pub struct Tracer {
    sink: Arc<dyn SpanSink>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    ratio: SamplingRatio,
    /// When the period of strangers began, and how many spans it has.
    strangers: Mutex<(Timestamp, u32)>,
}

/// How many of the traces that begin here are recorded: from 0, none, to 1, all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplingRatio(f64);

/// A span that is recorded when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenSpan {
    /// Its trace, and its id.
    pub context: TraceContext,
    parent: Option<SpanId>,
    link: Option<TraceContext>,
    kind: SpanKind,
    started_at: Timestamp,
}

/// The data of a span at its end.
#[derive(Clone, Debug)]
pub struct SpanEnd {
    /// See [`Span::name`].
    pub name: String,
    /// See [`Span::duration`].
    pub duration: Duration,
    /// See [`Span::attributes`].
    pub attributes: Vec<Attribute>,
    /// See [`Span::is_error`].
    pub is_error: bool,
}

impl SamplingRatio {
    /// The ratio; `None` if it is not between 0 and 1.
    pub fn new(ratio: f64) -> Option<Self> {
        (0.0..=1.0).contains(&ratio).then_some(Self(ratio))
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    fn draws(self, entropy: &dyn Entropy) -> bool {
        let mut random = [0; 4];
        entropy.fill(&mut random);
        f64::from(u32::from_le_bytes(random)) < self.0 * (f64::from(u32::MAX) + 1.0)
    }
}

/// One in a hundred.
impl Default for SamplingRatio {
    fn default() -> Self {
        Self(0.01)
    }
}

impl Tracer {
    /// A tracer that records into `sink`.
    pub fn new(
        sink: Arc<dyn SpanSink>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        ratio: SamplingRatio,
    ) -> Arc<Self> {
        Arc::new(Self { sink, clock, entropy, ratio, strangers: Mutex::new((Timestamp::MIN, 0)) })
    }

    /// The span of a request, if it may be recorded. The caller's decision holds, if it has made one. Otherwise a trace begins
    /// here, if `may_begin` and the ratio says so.
    pub fn request(&self, caller: Option<Traceparent>, may_begin: bool) -> Option<OpenSpan> {
        let is_sampled =
            caller.map_or_else(|| may_begin && self.ratio.draws(&*self.entropy), |caller| caller.is_sampled);
        if !is_sampled {
            return None;
        }
        let context = match caller {
            Some(caller) => caller.context.sibling(&*self.entropy),
            None => TraceContext::mint(&*self.entropy),
        };
        let parent = caller.map(|caller| caller.context.span);
        let started_at = self.clock.world_time();
        Some(OpenSpan { context, parent, link: None, kind: SpanKind::Server, started_at })
    }

    /// The span of an attempt to deliver an event that was published in the span `publication`. It begins a new trace:
    /// attempts can take days, and a trace should end.
    pub fn attempt(&self, publication: TraceContext) -> OpenSpan {
        let (context, started_at) = (TraceContext::mint(&*self.entropy), self.clock.world_time());
        OpenSpan { context, parent: None, link: Some(publication), kind: SpanKind::Client, started_at }
    }

    /// Records the span of a request without a good credential, unless its caller asked for it and the limit for
    /// strangers is reached: anybody can ask, and other spans need the room.
    pub fn end_of_stranger(&self, span: OpenSpan, end: SpanEnd) {
        if span.parent.is_none() || self.admits_stranger() {
            self.end(span, end);
        }
    }

    fn admits_stranger(&self) -> bool {
        let now = self.clock.world_time();
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if now.since(strangers.0) >= STRANGERS_PERIOD || now < strangers.0 {
            *strangers = (now, 0);
        }
        strangers.1 += 1;
        strangers.1 <= STRANGERS_MAX
    }

    /// Records the span.
    pub fn end(&self, span: OpenSpan, end: SpanEnd) {
        let OpenSpan { context, parent, link, kind, started_at } = span;
        let SpanEnd { name, duration, attributes, is_error } = end;
        self.sink.record(Span { context, parent, link, kind, name, started_at, duration, attributes, is_error });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{ManualClock, MemorySpans, SeededEntropy};

    fn tracer(ratio: f64) -> Arc<Tracer> {
        let clock = Arc::new(ManualClock::new(Timestamp::MIN));
        let ratio = SamplingRatio::new(ratio).unwrap();
        Tracer::new(Arc::new(MemorySpans::default()), clock, Arc::new(SeededEntropy::new(1)), ratio)
    }

    fn caller(is_sampled: bool) -> Traceparent {
        Traceparent { context: TraceContext::mint(&SeededEntropy::new(2)), is_sampled }
    }

    #[test]
    fn the_callers_decision_holds() {
        for ratio in [0.0, 1.0] {
            for may_begin in [true, false] {
                let span = tracer(ratio).request(Some(caller(true)), may_begin).unwrap();
                let theirs = caller(true).context;
                assert_eq!((span.context.trace, span.parent), (theirs.trace, Some(theirs.span)));
                assert_ne!(span.context.span, theirs.span);
                assert_eq!(tracer(ratio).request(Some(caller(false)), may_begin), None);
            }
        }
    }

    #[test]
    fn without_a_caller_the_ratio_decides() {
        for (ratio, range) in [(0.0, 0..=0), (0.25, 2_300..=2_700), (1.0, 10_000..=10_000)] {
            let tracer = tracer(ratio);
            let count = (0..10_000).filter(|_| tracer.request(None, true).is_some()).count();
            assert!(range.contains(&count), "{count} of 10,000 at {ratio}");
            assert_eq!(tracer.request(None, false), None, "where no trace may begin");
        }
    }

    #[test]
    fn strangers_have_a_share_of_what_they_ask_for() {
        let (spans, clock) = (Arc::new(MemorySpans::default()), Arc::new(ManualClock::new(Timestamp::MIN)));
        let ratio = SamplingRatio::new(1.0).unwrap();
        let tracer = Tracer::new(spans.clone(), clock.clone(), Arc::new(SeededEntropy::new(1)), ratio);
        let end = || SpanEnd { name: String::new(), duration: Duration::ZERO, attributes: Vec::new(), is_error: false };
        for _ in 0..2 {
            for _ in 0..3 * STRANGERS_MAX {
                tracer.end_of_stranger(tracer.request(Some(caller(true)), true).unwrap(), end());
            }
            assert_eq!(spans.take().len(), STRANGERS_MAX as usize);
            for _ in 0..3 * STRANGERS_MAX {
                tracer.end(tracer.request(Some(caller(true)), true).unwrap(), end());
                tracer.end_of_stranger(tracer.request(None, true).unwrap(), end());
            }
            assert_eq!(spans.take().len(), 6 * STRANGERS_MAX as usize, "the others, and what the ratio chooses");
            clock.advance(STRANGERS_PERIOD);
        }
    }

    #[test]
    fn a_ratio_is_between_0_and_1() {
        for ratio in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(SamplingRatio::new(ratio), None);
        }
    }

    #[test]
    fn an_attempt_begins_a_trace_and_names_the_publication() {
        let publication = caller(true).context;
        let span = tracer(0.0).attempt(publication);
        assert_ne!(span.context.trace, publication.trace);
        assert_eq!((span.parent, span.link), (None, Some(publication)));
    }
}
