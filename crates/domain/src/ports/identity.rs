use std::fmt;

use async_trait::async_trait;
use zeroize::Zeroizing;

use super::store_error::BoxError;
use crate::{Timestamp, UserId};

/// An ID token as the caller sent it, not verified. It is a secret: it has no `Display`, and its memory is cleared on
/// drop.
#[derive(Clone)]
pub struct IdToken(Zeroizing<String>);

impl IdToken {
    /// Keeps a copy of the token. Any string is accepted.
    pub fn new(token: impl Into<String>) -> Self {
        Self(Zeroizing::new(token.into()))
    }

    /// The token itself. Only the code that verifies or forwards it calls this.
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
    /// The token is genuine, is issued for this service, and has not expired. It names this user.
    Valid(UserId),
    /// The token is not valid. The reason is for the log and contains nothing of the token.
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
