//! The API as a client sees it: whole answers of a bound server over the memory store, with a clock that stands still
//! and entropy from a seed.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod api_keys;
mod attempt_stream;
mod credentials;
mod cross_origin;
mod deliveries;
mod dispatcher;
mod documents;
mod doubles;
mod failing_webhooks;
mod forward_auth;
mod framework_errors;
mod health;
mod introspection;
mod leaks;
mod limits;
mod logs;
mod operator;
mod publishing;
mod recovery;
mod rotation;
mod server;
mod shutdown;
mod signing_secrets;
mod subscriptions;
mod support;
mod transcript;
mod whoami;
