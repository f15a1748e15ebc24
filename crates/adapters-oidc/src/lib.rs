//! ID tokens and access tokens by OpenID Connect discovery and JWKS, signing in, and the development provider.
//!
//! [`OidcVerifier`] finds the user of a token. It consists of rules without I/O (how a token is parsed, which claims are
//! accepted, which keys fit) and one task that fetches the keys of the provider. [`OidcProvider`] signs people in there.
//! [`dev_provider`] is the provider that `gatepost dev` runs.

#[cfg(test)]
mod attacks_tests;
mod claims;
mod compact_token;
pub mod dev_provider;
mod discovered_keys;
mod discovery;
mod issuer;
mod key_cache;
mod key_set;
mod loopback;
mod oidc_provider;
mod oidc_verifier;
mod operator_claim;
mod organization_claims;
mod provider_client;
mod public_key;
mod strict_json;
#[cfg(test)]
mod test_keys;
mod token_kind;
mod verdict_cache;
mod weak_key;

pub use issuer::InvalidIssuer;
pub use oidc_provider::{OidcClient, OidcProvider};
pub use oidc_verifier::{OidcSettings, OidcVerifier};
pub use operator_claim::OperatorClaim;
pub use organization_claims::{ClaimPointer, OrganizationClaims};
pub use provider_client::ClientTls;
pub use token_kind::TokenKind;
