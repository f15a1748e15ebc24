//! Reads queries, paths and cursors.

pub(crate) mod cursor;
pub(crate) mod query;
