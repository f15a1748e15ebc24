use std::fmt;

use async_trait::async_trait;
use zeroize::Zeroizing;

use super::store_error::BoxError;
use crate::organizations::Identity;
use crate::{OwnerProfile, Timestamp};

/// An ID token as the caller sent it, not verified. It is a secret: it has no `Display`, and its memory is cleared on
/// drop.
#[derive(Clone)]
pub struct IdToken(Zeroizing<String>);

impl IdToken {
    /// Keeps a copy of the token. Any string is accepted.
    pub fn new(token: impl Into<String>) -> Self {
        Self(Zeroizing::new(token.into()))
    }

    /// The token in clear. Only the code that verifies or forwards it calls this.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IdToken")
    }
}

/// The result of verifying an ID token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityVerdict {
    /// The token is genuine, is issued for this service, and has not expired. These are its user and memberships.
    Valid(Identity),
    /// The token is not valid. The reason is for the log and contains no part of the token.
    Refused(&'static str),
}

/// The identity provider does not answer, and the keys that are cached do not verify the token.
#[derive(Debug, thiserror::Error)]
#[error("the identity provider is unavailable")]
pub struct IdentityUnavailable(#[source] pub BoxError);

/// Verifies ID tokens.
#[async_trait]
pub trait IdentityVerifier: Send + Sync {
    /// Whether `token` is valid at `at`. `Err` means that the answer is not known now.
    async fn verify(&self, token: &IdToken, at: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable>;
}

/// The request of a new sign-in to the identity provider.
#[derive(Clone, Copy, Debug)]
pub struct SignInRequest<'a> {
    /// Where the provider sends the browser with its answer.
    pub redirect_uri: &'a str,
    /// Returns with the answer.
    pub state: &'a str,
    /// Returns in the ID token.
    pub nonce: &'a str,
    /// The SHA-256 of the code verifier, in base64url (PKCE, RFC 7636).
    pub code_challenge: &'a str,
}

/// The answer of the identity provider, and the values that prove that it belongs to the sign-in.
#[derive(Clone, Copy)]
pub struct SignInAnswer<'a> {
    /// The code, which the provider exchanges for an ID token once.
    pub code: &'a str,
    /// The issuer of the answer, by its own words (`iss`, RFC 9207).
    pub issuer: Option<&'a str>,
    /// [`SignInRequest::redirect_uri`] again.
    pub redirect_uri: &'a str,
    /// The verifier of the SHA-256 that was sent.
    pub code_verifier: &'a str,
    /// [`SignInRequest::nonce`] again.
    pub nonce: &'a str,
}

/// The result of verifying an answer of the identity provider.
#[derive(Clone, Debug)]
pub enum SignInVerdict {
    /// The provider has identified this user, for this sign-in.
    Valid {
        /// The user, and the organizations that the user belongs to.
        identity: Identity,
        /// Whether the ID token has the claim that makes its user an operator.
        has_operator_claim: bool,
        /// What the ID token says of the user, for people.
        profile: OwnerProfile,
        /// The ID token.
        token: IdToken,
    },
    /// The answer is not valid. The reason is for the log and contains no part of the answer.
    Refused(&'static str),
}

/// The identity provider, at which people sign in.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// The page of the provider at which a person signs in (OAuth 2.0, the code flow).
    ///
    /// # Errors
    ///
    /// If the page is not known now.
    fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityUnavailable>;

    /// Exchanges the code of the answer for an ID token, and verifies the token at `at` as `OpenID` Connect Core 1.0
    /// (section 3.1.3.7) requires of the client. `Err` means that the provider does not answer.
    async fn verify_sign_in(
        &self,
        answer: SignInAnswer<'_>,
        at: Timestamp,
    ) -> Result<SignInVerdict, IdentityUnavailable>;

    /// The page of the provider at which a person signs out and which then leads `back_to` this URL; `None` if the
    /// provider has no such page, or is not known yet.
    fn sign_out_url(&self, back_to: &str) -> Option<String>;
}
