//! The rows of `sessions`, and the queries on the table that both databases run.

mod memberships_json;
mod session_queries;
mod session_row;

pub use session_queries::{
    COUNT_GOOD, DELETE_ENDED, END_ALL, END_ONE, END_SURPLUS, list_sessions, seen_since, session_by_digest,
};
pub use session_row::{NewSessionRow, SessionRow};
