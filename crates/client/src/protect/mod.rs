//! Whether a caller's API key is good, for a service of yours.
//!
//! `tower::RequireApiKey` and `actix::RequireApiKey` protect a service with it. For anything else, find the key with
//! [`api_key_in`], ask [`KeyVerifier::admit`], and answer with what [`Refusal`] says.
//!
//! # How fast a revoked key is refused
//!
//! A [`KeyVerifier`] answers from memory. Each "good" rests on an answer of Gatepost to a question that was asked
//!
//! - less than **1 s** ago while Gatepost answers. After half of that the first request has it asked again, beside it,
//!   so that a key in steady use never waits. A key that was not used for longer waits for one call;
//! - less than **5 s** ago while Gatepost does not answer (not within 1 s, or with an error). Past that the request is
//!   refused with 503, as is a key that is not known; never with 401.
//!
//! So a key that is revoked is refused here 1 s later at the latest (5 s while Gatepost is away), plus what Gatepost
//! itself takes until all its instances know: nothing for one instance, 1 s for several, 5 s for one that has lost its
//! database. That is 1 s with one instance, 2 s with several, and 10 s when everything fails at once. What is shorter
//! than that must ask each time: [`KeyVerifierSettings::max_age`] of zero.
//!
//! What was refused is remembered for 1 s at most, apart from good keys: so long a key that has just been created may
//! stay refused if somebody tried it before.
//!
//! # What it costs
//!
//! A hit costs one SHA-256 and one lookup. However many requests come for a key at a time, there is one question under
//! way for it, and in steady use there are two in a second. Gatepost counts questions as uses: `lastUsedAt` is right to
//! the second, while a `RATE_LIMIT` of Gatepost's counts questions and not requests.

mod caller;
mod clock;
mod digest;
mod flights;
mod health;
mod key_verifier;
mod presented;
mod refusal;
mod scopes;
mod verdicts;

pub use caller::Caller;
pub use key_verifier::{KeyVerifier, KeyVerifierSettings};
pub use presented::api_key_in;
pub use refusal::Refusal;
pub use scopes::Scopes;

/// Whose key it is, or why the request does not pass.
pub type Verdict = Result<Caller, Refusal>;
