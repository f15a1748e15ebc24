//! Limits on how often a user may call and send webhooks by hand, and on how often credentials from an address may fail.
//!
//! See decision 10.

pub(crate) mod credential_failures;
pub(crate) mod keyed_limiter;
