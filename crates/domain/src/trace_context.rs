use std::fmt::{Display, Formatter, Result as Written};

use crate::ports::Entropy;

/// The id of a trace: 16 bytes that are not all zero. `Display` writes 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId([u8; 16]);

/// The id of a span: 8 bytes that are not all zero. `Display` writes 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId([u8; 8]);

/// A span of a trace that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    /// The trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
}

impl TraceContext {
    /// The size in bytes, as stores keep it.
    pub const SIZE_BYTES: usize = 24;

    /// The first span of a new trace.
    pub(crate) fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; Self::SIZE_BYTES];
        entropy.fill(&mut bytes);
        // Ids that are all zero are invalid. They are too rare to draw again.
        bytes[15] |= u8::from(bytes[..16] == [0; 16]);
        bytes[23] |= u8::from(bytes[16..] == [0; 8]);
        let (trace, span) = bytes.split_at(16);
        Self { trace: TraceId(array(trace)), span: SpanId(array(span)) }
    }

    /// Another span of the same trace.
    pub(crate) fn sibling(self, entropy: &dyn Entropy) -> Self {
        Self { trace: self.trace, ..Self::mint(entropy) }
    }

    /// The context with these bytes, the trace first; `None` if they are not a context.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::SIZE_BYTES {
            return None;
        }
        let (trace, span) = bytes.split_at(16);
        let is_valid = trace != [0; 16] && span != [0; 8];
        is_valid.then(|| Self { trace: TraceId(array(trace)), span: SpanId(array(span)) })
    }

    /// The bytes, the trace first.
    pub fn to_bytes(self) -> [u8; Self::SIZE_BYTES] {
        let mut bytes = [0; Self::SIZE_BYTES];
        bytes[..16].copy_from_slice(&self.trace.0);
        bytes[16..].copy_from_slice(&self.span.0);
        bytes
    }

    /// The value of the header `traceparent`, which says that the trace is recorded.
    pub fn traceparent(self) -> String {
        format!("00-{}-{}-01", self.trace, self.span)
    }
}

impl TraceId {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl SpanId {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

impl Display for TraceId {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Written {
        write_hex(formatter, &self.0)
    }
}

impl Display for SpanId {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Written {
        write_hex(formatter, &self.0)
    }
}

fn write_hex(formatter: &mut Formatter<'_>, bytes: &[u8]) -> Written {
    bytes.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
}

/// The trace of a request, as its caller gives it in the header `traceparent`. See
/// <https://www.w3.org/TR/trace-context/>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traceparent {
    /// The caller's span.
    pub context: TraceContext,
    /// Whether the caller records the trace.
    pub is_sampled: bool,
}

impl Traceparent {
    /// Parses the value of the header; `None` if the value is not valid. Versions after 00 may have more fields, which are
    /// ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.splitn(5, '-');
        let [version] = hex(fields.next()?)?;
        let (trace, span) = (hex::<16>(fields.next()?)?, hex::<8>(fields.next()?)?);
        let [flags] = hex(fields.next()?)?;
        let is_known = version != u8::MAX && (version > 0 || fields.next().is_none());
        let context = TraceContext { trace: TraceId(trace), span: SpanId(span) };
        let context = TraceContext::from_bytes(&context.to_bytes()).filter(|_| is_known)?;
        Some(Self { context, is_sampled: flags & 1 == 1 })
    }
}

/// The bytes of these lower-case digits.
fn hex<const LENGTH: usize>(digits: &str) -> Option<[u8; LENGTH]> {
    let is_hex = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if digits.len() != 2 * LENGTH || !is_hex {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}

/// The first bytes of a slice that is long enough.
fn array<const LENGTH: usize>(bytes: &[u8]) -> [u8; LENGTH] {
    std::array::from_fn(|place| bytes[place])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    const EXAMPLE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn reads_what_it_writes() {
        let read = Traceparent::parse(EXAMPLE).unwrap();
        assert!(read.is_sampled);
        assert_eq!(read.context.traceparent(), EXAMPLE);
        assert_eq!(TraceContext::from_bytes(&read.context.to_bytes()), Some(read.context));
        assert!(!Traceparent::parse(&EXAMPLE.replace("-01", "-00")).unwrap().is_sampled);
        assert!(Traceparent::parse(&EXAMPLE.replace("-01", "-03")).unwrap().is_sampled, "other flags do not count");
    }

    #[test]
    fn later_versions_may_have_more_fields() {
        for (value, is_valid) in [
            (EXAMPLE.replacen("00", "01", 1), true),
            (EXAMPLE.replacen("00", "01", 1) + "-more-fields", true),
            (EXAMPLE.to_owned() + "-more", false),
            (EXAMPLE.replacen("00", "ff", 1), false),
        ] {
            assert_eq!(Traceparent::parse(&value).is_some(), is_valid, "{value}");
        }
    }

    #[test]
    fn refuses_what_the_standard_refuses() {
        for value in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-é",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(Traceparent::parse(value), None, "{value}");
        }
        for bytes in [&[1; 23][..], &[1; 25], &[0; 24], &[]] {
            assert_eq!(TraceContext::from_bytes(bytes), None);
        }
    }

    #[test]
    fn a_sibling_has_the_trace_and_another_span() {
        let entropy = SeededEntropy::new(1);
        let first = TraceContext::mint(&entropy);
        let second = first.sibling(&entropy);
        assert!(second.trace == first.trace && second.span != first.span);
    }
}
