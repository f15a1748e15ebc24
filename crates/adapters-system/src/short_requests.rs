use std::fmt::{self, Debug, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::time::SystemTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The target of the lines about requests.
const REQUESTS: &str = "adapters_http::access_log";

/// Formats log lines as text, and a request that did not fail as one short line: `GET /api/api-keys 200 0.4 ms alice`.
#[derive(Default)]
pub(crate) struct ShortRequests(Format<Full, SystemTime>);

impl<S, N> FormatEvent<S, N> for ShortRequests
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut line: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let metadata = event.metadata();
        if metadata.target() != REQUESTS || *metadata.level() != Level::INFO {
            return self.0.format_event(context, line, event);
        }
        let mut request = Request::default();
        event.record(&mut request);
        writeln!(line, "{request}")
    }
}

/// The parts of a request's short line.
#[derive(Default)]
struct Request {
    method: String,
    route: String,
    status: u64,
    milliseconds: f64,
    who: String,
    refused: String,
}

impl fmt::Display for Request {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, route, status, milliseconds, who, refused } = self;
        let route = if route.is_empty() { "(no such path)" } else { route };
        write!(line, "{method} {route} {status} {milliseconds:.1} ms")?;
        [who, refused].into_iter().filter(|part| !part.is_empty()).try_for_each(|part| write!(line, " {part}"))
    }
}

impl Visit for Request {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "status" {
            self.status = value;
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "duration_ms" {
            self.milliseconds = value;
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if let Some(part) = self.part(field) {
            value.clone_into(part);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if let Some(part) = self.part(field) {
            // Writing to a String cannot fail.
            let _ = write!(part, "{value:?}");
        }
    }
}

impl Request {
    fn part(&mut self, field: &Field) -> Option<&mut String> {
        match field.name() {
            "method" => Some(&mut self.method),
            "route" => Some(&mut self.route),
            "user_id" | "operator" => Some(&mut self.who),
            "refused" => Some(&mut self.refused),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::prelude::*;

    use super::*;

    /// Keeps the written bytes.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_request_is_one_short_line_and_the_rest_is_text() {
        let kept = Kept::default();
        let writer = {
            let kept = kept.clone();
            move || kept.clone()
        };
        let layer = tracing_subscriber::fmt::layer().event_format(ShortRequests::default()).with_writer(writer);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::info!(target: REQUESTS, method = "GET", route = Some("/api/api-keys"), status = 200_u16,
                duration_ms = 0.44, request_id = "5eed", user_id = Some("alice"), "request");
            tracing::info!(target: REQUESTS, method = "GET", route = None::<&str>, status = 404_u16, duration_ms = 0.1, "request");
            tracing::warn!(target: REQUESTS, method = "GET", status = 503_u16, "request");
            tracing::info!("gatepost is serving");
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["GET /api/api-keys 200 0.4 ms alice", "GET (no such path) 404 0.1 ms"]);
        assert!(lines[2].contains("WARN") && lines[2].contains("503"), "{text}");
        assert!(lines[3].ends_with("gatepost is serving"), "{text}");
    }
}
