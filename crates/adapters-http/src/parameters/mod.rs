//! Reads the parameters of queries and paths, and cursors.

pub(crate) mod audit_request;
pub(crate) mod cursor;
pub(crate) mod hours;
pub(crate) mod path;
pub(crate) mod query;
