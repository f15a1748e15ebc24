//! The API as a client sees it: whole answers of a bound server over the memory store, with a clock that stands still
//! and entropy from a seed.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod api_keys;
mod credentials;
mod cross_origin;
mod documents;
mod doubles;
mod forward_auth;
mod framework_errors;
mod health;
mod introspection;
mod leaks;
mod limits;
mod logs;
mod operator;
mod rotation;
mod server;
mod shutdown;
mod support;
mod transcript;
mod whoami;
