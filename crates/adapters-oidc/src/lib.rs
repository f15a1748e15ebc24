//! ID tokens by OpenID Connect discovery and JWKS, and the development provider.
//!
//! [`OidcVerifier`] says who presented a token. What it does is cut into rules without any I/O (how a token is read,
//! which claims are good, which keys fit) and one task that fetches the provider's keys. [`dev_provider`] is the
//! provider that `gatepost dev` runs for a developer who has none.

#[cfg(test)]
mod attacks;
mod claims;
mod compact_token;
pub mod dev_provider;
mod discovered_keys;
mod issuer;
mod key_cache;
mod key_set;
mod loopback;
mod oidc_verifier;
mod public_key;
mod refusal;
mod strict_json;
#[cfg(test)]
mod test_keys;
mod verdict_cache;
mod weak_key;

pub use issuer::InvalidIssuer;
pub use oidc_verifier::{OidcSettings, OidcVerifier};
