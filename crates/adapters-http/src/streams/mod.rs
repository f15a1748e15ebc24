//! Event streams of attempts.

pub(crate) mod attempt_stream;
pub(crate) mod open_streams;
