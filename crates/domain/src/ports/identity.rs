use async_trait::async_trait;

use super::store_error::BoxError;
use crate::{IdToken, Timestamp, UserId};

/// What is known of a presented ID token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityVerdict {
    /// It is genuine, for us, and in its time: this is who presented it.
    Valid(UserId),
    /// It is not; the reason is for the log, and holds nothing of the token.
    Refused(&'static str),
}

/// The identity provider cannot be asked, and the keys that are known do not suffice.
#[derive(Debug, thiserror::Error)]
#[error("the identity provider is unavailable")]
pub struct IdentityUnavailable(#[source] pub BoxError);

/// Verifies ID tokens.
#[async_trait]
pub trait IdentityVerifier: Send + Sync {
    /// Whether `token` is good at `at`. A refusal is a verdict; `Err` means that nobody can tell now.
    async fn verify(&self, token: &IdToken, at: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable>;
}
