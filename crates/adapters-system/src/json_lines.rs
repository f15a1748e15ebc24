use std::cell::RefCell;
use std::error::Error;
use std::fmt::{self, Write};
use std::iter;
use std::time::{SystemTime, UNIX_EPOCH};

use domain::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Room for most lines, in bytes.
const USUAL_LINE_BYTES: usize = 512;

/// Formats log lines as JSON objects (RFC 8259): `timestamp`, `level`, the fields of the event, `target`.
///
/// The lines equal those of the library's JSON format at a fifth of its cost. That format took a tenth of a
/// verification. Spans are left out: the service opens none.
pub(crate) struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut line: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        // `line` takes each piece through a pointer, which costs a third more for the line of a request. So the line is
        // built in a `String` first.
        let mut object = Object(String::with_capacity(USUAL_LINE_BYTES));
        object.0.push_str("{\"timestamp\":\"");
        push_now(&mut object.0);
        object.0.push_str("\",\"level\":\"");
        object.0.push_str(event.metadata().level().as_str());
        object.0.push('"');
        event.record(&mut object);
        object.name("target");
        object.text(event.metadata().target());
        object.0.push_str("}\n");
        line.write_str(&object.0)
    }
}

/// A JSON object under construction. A value whose formatting fails is cut short.
struct Object(String);

impl Object {
    /// The name of a field, which is an identifier in the code and needs no escape.
    fn name(&mut self, name: &str) {
        self.0.push_str(",\"");
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    fn text(&mut self, text: &str) {
        self.0.push('"');
        let _ = Escaped(&mut self.0).write_str(text);
        self.0.push('"');
    }

    /// A value in quotes.
    fn quoted(&mut self, value: fmt::Arguments<'_>) {
        self.0.push('"');
        let _ = Escaped(&mut self.0).write_fmt(value);
        self.0.push('"');
    }

    /// A value without quotes.
    fn plain(&mut self, value: fmt::Arguments<'_>) {
        let _ = self.0.write_fmt(value);
    }
}

impl Visit for Object {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field.name());
        self.text(value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.name(field.name());
        self.quoted(format_args!("{value:?}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.name(field.name());
        self.text(&chain(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field.name());
        self.plain(format_args!("{value}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.name(field.name());
        self.plain(format_args!("{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field.name());
        self.plain(format_args!("{value}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field.name());
        // JSON cannot write infinity or NaN.
        if value.is_finite() {
            self.plain(format_args!("{value}"));
        } else {
            self.plain(format_args!("null"));
        }
    }
}

/// The text of an error and of its causes. A cause is left out if the text already ends with it: some libraries repeat
/// their causes.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let causes = iter::successors(error.source(), |&cause| cause.source());
    for cause in causes.map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// The second that a thread wrote last, and its text.
struct Second {
    unix: u64,
    text: String,
}

thread_local! {
    static SECOND: RefCell<Second> = const { RefCell::new(Second { unix: u64::MAX, text: String::new() }) };
}

/// Writes the time with microseconds, as in `2026-11-21T01:42:03.120345Z` (RFC 3339). Each thread formats a second once.
#[expect(clippy::disallowed_methods, reason = "log lines have the machine's time, whatever the service goes by")]
fn push_now(line: &mut String) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    SECOND.with_borrow_mut(|second| {
        if second.unix != now.as_secs() {
            let whole = i64::try_from(now.as_secs()).ok().and_then(|secs| Timestamp::from_unix_millis(secs * 1_000));
            second.text = whole.unwrap_or(Timestamp::MAX).to_string();
            second.text.truncate("2026-11-21T01:42:03".len());
            second.unix = now.as_secs();
        }
        line.push_str(&second.text);
    });
    line.push('.');
    let micros = now.subsec_micros();
    line.extend([100_000, 10_000, 1_000, 100, 10, 1].map(|place| char::from(b'0' + (micros / place % 10) as u8)));
    line.push('Z');
}

/// Escapes text for a JSON string. The text may come in several pieces.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if is_plain(text.as_bytes()) {
            self.0.push_str(text);
            return Ok(());
        }
        let mut rest = text;
        // Only ASCII is escaped, so these offsets are character boundaries.
        while let Some(at) = rest.bytes().position(must_be_escaped) {
            self.0.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                b'\n' => self.0.push_str("\\n"),
                printable @ (b'"' | b'\\') => self.0.extend(['\\', char::from(printable)]),
                control => write!(self.0, "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        self.0.push_str(rest);
        Ok(())
    }
}

/// Whether no byte must be escaped, as in most strings. Looks at eight bytes at a time.
fn is_plain(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks();
    let mut last = [b' '; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().chain([&last]).all(|word| is_plain_word(u64::from_ne_bytes(*word)))
}

/// The same for eight bytes: the highest bit of a byte of `found` is set if the byte, or a lower one, must be escaped.
fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    // The highest bit of a byte is set if the byte is below `bound`, up to 128, and its own highest bit is not set.
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let found = below(word, 0x20) | is(b'"') | is(b'\\');
    found & HIGHEST == 0
}

fn must_be_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex, PoisonError};

    use serde_json::{Value, json};
    use tracing_subscriber::prelude::*;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The line that `log` writes, read by an independent parser.
    fn line(log: impl FnOnce()) -> Value {
        let kept = Kept::default();
        let writer = kept.clone();
        let layer = tracing_subscriber::fmt::layer().event_format(JsonLines).with_writer(move || writer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log);
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.matches('\n').count(), 1, "one line: {text:?}");
        assert!(text.ends_with('\n'));
        let mut line: Value = serde_json::from_str(&text).unwrap();
        let timestamp = line.as_object_mut().unwrap().remove("timestamp").unwrap();
        assert!(timestamp.as_str().unwrap().ends_with('Z'), "{timestamp}");
        line
    }

    #[test]
    fn a_line_is_an_object_with_the_fields_of_the_event() {
        let absent: Option<&str> = None;
        let logged = line(|| {
            tracing::warn!(target: "here", status = 200_u16, before = -1, share = 0.5, is_it = true, absent, "request");
        });
        let expected = json!({
            "level": "WARN", "message": "request", "target": "here",
            "status": 200, "before": -1, "share": 0.5, "is_it": true,
        });
        assert_eq!(logged, expected);
    }

    #[test]
    fn an_error_has_its_causes_and_none_twice() {
        #[derive(Debug)]
        struct Layer(&'static str, Option<Box<Layer>>);
        impl fmt::Display for Layer {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.0)
            }
        }
        impl Error for Layer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                self.1.as_deref().map(|cause| cause as _)
            }
        }
        let refused = Layer("connection refused", None);
        let repeating = Layer("cannot connect: connection refused", Some(Box::new(refused)));
        let error = Layer("the database is unavailable", Some(Box::new(repeating)));
        let logged = line(|| tracing::warn!(error = &error as &(dyn Error + 'static), "retrying"));
        assert_eq!(logged["error"], "the database is unavailable: cannot connect: connection refused");
    }

    #[test]
    fn every_byte_is_escaped_wherever_it_stands_or_not_at_all() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut text = [b'a'; 20];
                text[at] = byte;
                assert_eq!(is_plain(&text), !must_be_escaped(byte), "{byte} at {at}");
            }
        }
        assert!(is_plain(b""));
        assert!(!is_plain(&[0xFF, 0x1F, 0x80]));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the machine's clock is what is tested")]
    fn a_line_has_the_time() {
        let mut text = String::new();
        let before = SystemTime::now();
        push_now(&mut text);
        let after = SystemTime::now();
        let micros = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_micros();
        let whole = Timestamp::parse_rfc3339(&format!("{}.000Z", &text[..19])).unwrap();
        let written = u128::try_from(whole.unix_millis()).unwrap() * 1_000 + text[20..26].parse::<u128>().unwrap();
        assert!((micros(before)..=micros(after)).contains(&written), "{text}");
        assert_eq!((&text[19..20], &text[26..]), (".", "Z"));
    }

    #[test]
    fn no_text_leaves_its_string() {
        for nasty in ["", "\"", "\\", "a\nb\r\tc\u{0}\u{1f}", "\\u0022\"}", "Zoë \u{7f}\u{2028}\u{1f600}\""] {
            let error = io::Error::other(nasty);
            let logged = line(|| {
                let error = &error as &dyn Error;
                tracing::info!(text = nasty, shown = %nasty, printed = ?nasty, error, nan = f64::NAN, "{nasty}");
            });
            for field in ["text", "shown", "message", "error"] {
                assert_eq!(logged[field], nasty, "{field}");
            }
            assert_eq!(logged["printed"], format!("{nasty:?}"));
            assert_eq!(logged["nan"], Value::Null);
        }
    }
}
