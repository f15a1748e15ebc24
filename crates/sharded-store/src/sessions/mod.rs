//! The port of sessions.

mod session_store;
