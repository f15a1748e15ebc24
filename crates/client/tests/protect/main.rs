//! What protects a service: the cache of verdicts and both middlewares, against a server of the suite's own that speaks
//! introspection.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

mod actix;
mod bounds;
mod gatepost;
mod time;
mod tower;
