//! The TCP connections below HTTP.

pub(crate) mod connection;
