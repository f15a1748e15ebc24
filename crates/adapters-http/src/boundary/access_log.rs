use std::error::Error;
use std::fmt;

use actix_web::HttpResponse;

use crate::boundary::exchange::Exchange;
use crate::errors::api_error::ApiError;

/// The name that operators filter these lines by; documented, so it does not follow the module.
const TARGET: &str = "adapters_http::access_log";
/// What nginx writes for a client that closed the connection before the answer: no status of HTTP fits.
const STATUS_ABANDONED: u16 = 499;

/// Writes the one line of a request, with the error behind it, if there is one. Nothing in it comes from the client
/// unchecked: no path, no query, no header, no credential.
pub(crate) fn write(exchange: &Exchange, response: &HttpResponse) {
    exchange.set_logged();
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

/// Writes the line of a request that nobody waited for.
pub(crate) fn write_abandoned(exchange: &Exchange) {
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

/// An error with all its sources, in one line.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(formatter, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
