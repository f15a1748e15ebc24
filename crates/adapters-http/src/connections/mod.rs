//! The TCP connections below HTTP, and TLS on them.
//!
//! See decision 43.

pub(crate) mod certificate;
mod certificate_expiry;
mod chunks;
pub(crate) mod client_stream;
pub(crate) mod connection;
mod framing;
pub(crate) mod last_arrivals;
pub(crate) mod open_connections;
mod open_files;
mod place;
pub(crate) mod turn;
