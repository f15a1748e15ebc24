//! The API as a client sees it: whole answers of a bound server over the memory store, with a clock that stands still
//! and entropy from a seed.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod api_keys;
mod credentials;
mod cross_origin;
mod documents;
mod doubles;
mod framework_errors;
mod health;
mod limits;
mod logs;
mod server;
mod shutdown;
mod transcript;
mod whoami;
