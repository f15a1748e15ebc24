//! The port of sessions. Each use case is one file.

mod end_session;
mod find_sessions;
mod open_session;
mod session_store;
