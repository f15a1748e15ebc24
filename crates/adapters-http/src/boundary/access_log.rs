use std::rc::Rc;

use actix_web::HttpResponse;

use crate::boundary::exchange::Exchange;
use crate::errors::api_error::ApiError;
use crate::errors::chain::Chain;

/// The name that operators filter these lines by; documented, so it does not follow the module.
const TARGET: &str = "adapters_http::access_log";
/// What nginx writes for a client that closed the connection before the answer: no status of HTTP fits.
const STATUS_ABANDONED: u16 = 499;

/// The one line of a request: written with the answer or, when the client goes away before, as it is dropped.
pub(crate) struct AccessLine {
    exchange: Rc<Exchange>,
    is_written: bool,
}

impl AccessLine {
    pub(crate) fn of(exchange: &Rc<Exchange>) -> Self {
        Self { exchange: Rc::clone(exchange), is_written: false }
    }

    /// Writes the line, with the error behind the answer, if there is one.
    pub(crate) fn write(mut self, response: &HttpResponse) {
        self.is_written = true;
        write(&self.exchange, response);
    }
}

impl Drop for AccessLine {
    fn drop(&mut self) {
        if !self.is_written {
            write_abandoned(&self.exchange);
        }
    }
}

/// Nothing in the line comes from the client unchecked: no path, no query, no header, no credential.
fn write(exchange: &Exchange, response: &HttpResponse) {
    let status = response.status();
    let error = response.error();
    let ours = error.and_then(actix_web::Error::as_error::<ApiError>);
    let refused = match ours {
        Some(ApiError::CredentialInvalid(reason)) => Some(*reason),
        _ => None,
    };
    let inside = match ours {
        Some(ours) => ours.inside().map(|inside| Chain(&**inside).to_string()),
        None => error.filter(|_| status.is_server_error()).map(ToString::to_string),
    };
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: TARGET,
                method = exchange.method.as_str(),
                route = exchange.route.as_deref(),
                status = status.as_u16(),
                duration_ms = milliseconds(exchange),
                request_id = exchange.request_id.as_str(),
                user_id = exchange.user_id(),
                key_id = exchange.key_id().map(display),
                peer = exchange.peer.map(display),
                refused,
                error = inside,
                "request"
            )
        };
    }
    match status.as_u16() {
        503 => line!(warn),
        500.. => line!(error),
        _ => line!(info),
    }
}

fn write_abandoned(exchange: &Exchange) {
    tracing::info!(
        target: TARGET,
        method = exchange.method.as_str(),
        route = exchange.route.as_deref(),
        status = STATUS_ABANDONED,
        duration_ms = milliseconds(exchange),
        request_id = exchange.request_id.as_str(),
        user_id = exchange.user_id(),
        key_id = exchange.key_id().map(display),
        peer = exchange.peer.map(display),
        "request abandoned by its client"
    );
}

/// To the microsecond.
fn milliseconds(exchange: &Exchange) -> f64 {
    f64::from(u32::try_from(exchange.started.elapsed().as_micros()).unwrap_or(u32::MAX)) / 1000.0
}
