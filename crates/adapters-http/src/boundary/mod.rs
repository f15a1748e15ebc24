//! The middleware around every request: id, deadline, log line, CORS and common headers.
//!
//! See decision 21.

pub(crate) mod access_log;
pub(crate) mod browser;
pub(crate) mod cross_origin;
pub(crate) mod exchange;
mod large_body;
pub(crate) mod middleware;
pub(crate) mod peer_address;
mod request_durations;
pub(crate) mod request_id;
mod request_trace;
