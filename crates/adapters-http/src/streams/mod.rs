//! Event streams of attempts.

pub(crate) mod attempt_stream;
pub(crate) mod audit_export;
pub(crate) mod export_form;
pub(crate) mod open_streams;
pub(crate) mod waiting_readers;
