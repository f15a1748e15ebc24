use std::borrow::Cow;
use std::time::Duration;

use crate::{SpanId, Timestamp, TraceContext};

/// A finished piece of work: a part of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its trace, and its id.
    pub context: TraceContext,
    /// The span that caused it, in the same trace. `None` for the first of its trace.
    pub parent: Option<SpanId>,
    /// A span of another trace that led to it.
    pub link: Option<TraceContext>,
    /// The kind of work.
    pub kind: SpanKind,
    /// The name of the work. One of a few, so that spans can be grouped by it.
    pub name: String,
    /// When it started, by the wall clock.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration: Duration,
    /// Further facts. They contain no secret, and only the host of a URL.
    pub attributes: Vec<Attribute>,
    /// Whether it failed.
    pub is_error: bool,
}

/// The kind of work of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// A request was answered.
    Server,
    /// A request was sent.
    Client,
}

/// The name of an attribute, and its value.
pub type Attribute = (&'static str, AttributeValue);

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// Text.
    Text(Cow<'static, str>),
    /// A number.
    Number(i64),
}

impl From<&'static str> for AttributeValue {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<u16> for AttributeValue {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for AttributeValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

/// Takes spans that have ended, to be sent to a collector of traces.
pub trait SpanSink: Send + Sync {
    /// Takes a span. Does not wait and does not fail: a span for which there is no room is dropped.
    fn record(&self, span: Span);
}

/// The numbers of spans that were sent and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// The collector has taken them.
    pub exported: u64,
    /// There was no room for them, or the collector refused them.
    pub dropped: u64,
}
