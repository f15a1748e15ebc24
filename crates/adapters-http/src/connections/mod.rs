//! The TCP connections below HTTP.
//!
//! See decision 43.

mod chunks;
pub(crate) mod connection;
mod framing;
pub(crate) mod last_arrivals;
pub(crate) mod open_connections;
mod open_files;
mod place;
pub(crate) mod turn;
