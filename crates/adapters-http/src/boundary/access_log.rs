use std::rc::Rc;
use std::time::Duration;

use actix_web::HttpResponse;
use tracing::field::display;

use crate::boundary::exchange::Exchange;
use crate::errors::api_error::ApiError;

/// The tracing target of these lines. Operators filter by this documented name, so it must not change with the module.
const TARGET: &str = "adapters_http::access_log";
/// The status that nginx logs when a client closes the connection before the answer. HTTP defines none for this case.
const STATUS_ABANDONED: u16 = 499;

/// The log line of a request. It is written with the answer or, when the client closes the connection first, on drop.
pub(crate) struct AccessLine {
    exchange: Rc<Exchange>,
    is_written: bool,
}

impl AccessLine {
    pub(crate) fn of(exchange: &Rc<Exchange>) -> Self {
        Self { exchange: Rc::clone(exchange), is_written: false }
    }

    /// Writes the line, with the cause of the error, if the answer is one.
    pub(crate) fn write(mut self, response: &HttpResponse) {
        self.is_written = true;
        write(&self.exchange, Some(response));
    }
}

impl Drop for AccessLine {
    fn drop(&mut self) {
        if !self.is_written {
            write(&self.exchange, None);
        }
    }
}

/// Writes the line. `None` means that the client left before the answer. The line contains no text that a client can
/// choose freely: no path, no query, no header, no credential.
fn write(exchange: &Exchange, answer: Option<&HttpResponse>) {
    let status = answer.map_or(STATUS_ABANDONED, |answer| answer.status().as_u16());
    let message = if answer.is_some() { "request" } else { "request abandoned by its client" };
    let duration = exchange.end(status);
    let error = answer.and_then(HttpResponse::error);
    let ours = error.and_then(actix_web::Error::as_error::<ApiError>);
    let refused = match ours {
        Some(
            ApiError::CredentialInvalid(_, reason)
            | ApiError::TooManyCredentialFailures(reason, _)
            | ApiError::SignInRefused(reason),
        ) => Some(*reason),
        _ => None,
    };
    let inside = match ours {
        Some(ours) => ours.inside(),
        None => error.filter(|_| status >= 500).map(ToString::to_string),
    };
    let trace_id = exchange.trace().map(|trace| display(trace.trace));
    let span_id = exchange.trace().map(|trace| display(trace.span));
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: TARGET,
                method = exchange.method.as_str(),
                route = exchange.route.as_deref(),
                status,
                duration_ms = milliseconds(duration),
                request_id = exchange.request_id.as_str(),
                trace_id,
                span_id,
                user_id = exchange.user_id(),
                key_id = exchange.key_id().map(display),
                operator = exchange.operator(),
                peer = exchange.peer.map(display),
                refused,
                error = inside,
                "{message}"
            )
        };
    }
    match status {
        // Load balancers ask every second. `Readiness` logs the begin and the end of an outage.
        503 if matches!(ours, Some(ApiError::NotReady(..))) => line!(info),
        503 => line!(warn),
        500.. => line!(error),
        _ => line!(info),
    }
}

/// With a resolution of a microsecond.
fn milliseconds(duration: Duration) -> f64 {
    f64::from(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)) / 1000.0
}
