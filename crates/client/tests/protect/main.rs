//! The cache of verdicts and both middlewares, against a test server that answers introspection.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

mod actix;
mod bounds;
mod gatepost;
mod tower;
