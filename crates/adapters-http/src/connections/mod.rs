//! The TCP connections below HTTP.

mod chunks;
pub(crate) mod connection;
mod framing;
pub(crate) mod turn;
