//! Checks the API keys of callers in your service.
//!
//! `tower::RequireApiKey` and `actix::RequireApiKey` are built on this module. For another framework, find the key with
//! [`api_key_in`], call [`KeyVerifier::admit`], and answer as its [`Refusal`] says.
//!
//! # How soon a revoked key is refused
//!
//! A [`KeyVerifier`] answers from a cache. It accepts a key only if it asked Gatepost about the key
//!
//! - less than **1 s** ago, while Gatepost answers. After half of that time the next request starts a refresh in the
//!   background, so a key in steady use never waits. A key that was not used for longer waits for one call;
//! - less than **5 s** ago, if Gatepost does not answer about the key (an error, or no answer within 1 s).
//!   After that, and for keys that are not in the cache, the request is refused with 503, never with 401.
//!
//! A revoked key is therefore refused at most 1 s later (5 s while Gatepost is unavailable), plus the time until all
//! instances of Gatepost have the revocation: none with one instance, 1 s with several, 5 s for an instance that
//! lost its database. The sum is 1 s with one instance, 2 s with several, and 10 s if everything fails at once. If that
//! is too long, set [`KeyVerifierSettings::max_age`] to zero: the verifier then asks for every request.
//!
//! Refusals are cached for at most 1 s, apart from valid keys. A key that is used before it is created may stay refused
//! for that long.
//!
//! # What it costs
//!
//! A cache hit costs one SHA-256 and one lookup. For each key at most one call to Gatepost runs at a time, and a key in
//! steady use causes two calls a second. Gatepost counts these calls as uses of the key: `lastUsedAt` is right to the
//! second, but Gatepost's `RATE_LIMIT` counts calls, not requests to your service.

mod caller;
mod clock;
mod digest;
mod flights;
mod health;
mod key_verifier;
mod presented;
mod refusal;
mod scopes;
mod settings;
mod vectors;
mod verdicts;

pub use caller::Caller;
pub use key_verifier::KeyVerifier;
pub use presented::api_key_in;
pub use refusal::Refusal;
pub use scopes::Scopes;
pub use settings::KeyVerifierSettings;

/// The owner of the key, or why the request is refused.
pub type Verdict = Result<Caller, Refusal>;
