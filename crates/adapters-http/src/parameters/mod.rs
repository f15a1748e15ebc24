//! Reads the parameters of queries and paths, and cursors.

pub(crate) mod cursor;
pub(crate) mod path_id;
mod path_parameters;
pub(crate) mod path_user;
pub(crate) mod query;
pub(crate) mod values;
