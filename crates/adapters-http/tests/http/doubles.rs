//! Test doubles: an identity provider without signatures, and stores and checks that fail.

use async_trait::async_trait;
use domain::ports::{
    ActiveLimit, IdentityUnavailable, IdentityVerdict, IdentityVerifier, Insertion, KeyStore, NotReady, ReadinessCheck,
    Revocation, Rotation, StoreError,
};
use domain::{ApiKey, CredentialDigest, IdToken, KeyId, KeyRotation, KeyUse, ListView, Timestamp, UserId};

/// The issuer of the users in tests.
pub(crate) const ISSUER: &str = "https://id.example";

/// Accepts `alice.id.token`, `bob.id.token` and `odd.id.token`, fails for `down.id.token`, and refuses all others.
pub(crate) struct FixedIdentities;

#[async_trait]
impl IdentityVerifier for FixedIdentities {
    async fn verify(&self, token: &IdToken, _: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable> {
        match token.expose() {
            "alice.id.token" => Ok(IdentityVerdict::Valid(user("alice"))),
            "bob.id.token" => Ok(IdentityVerdict::Valid(user("bob"))),
            // Some providers have such subjects, which are not valid in a path or in a header.
            "odd.id.token" => Ok(IdentityVerdict::Valid(user("auth0|Zoë/100%"))),
            "down.id.token" => Err(IdentityUnavailable("connection refused by 192.0.2.1".into())),
            _ => Ok(IdentityVerdict::Refused("unknown signer")),
        }
    }
}

fn user(subject: &str) -> UserId {
    UserId::new(ISSUER, subject).unwrap()
}

/// Every call fails in the same way.
pub(crate) struct FailingStore(pub(crate) fn() -> StoreError);

#[async_trait]
impl KeyStore for FailingStore {
    async fn insert_within(
        &self,
        _: &ApiKey,
        _: &CredentialDigest,
        _: ActiveLimit,
        _: ListView,
    ) -> Result<Insertion, StoreError> {
        Err(self.0())
    }

    async fn list(&self, _: &UserId, _: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Err(self.0())
    }

    async fn revoke(&self, _: &UserId, _: KeyId, _: Timestamp, _: ListView) -> Result<Revocation, StoreError> {
        Err(self.0())
    }

    async fn rotate(
        &self,
        _: &UserId,
        _: KeyId,
        _: &KeyRotation,
        _: &CredentialDigest,
        _: ListView,
    ) -> Result<Rotation, StoreError> {
        Err(self.0())
    }

    async fn revoke_by_digests(
        &self,
        _: &[CredentialDigest],
        _: Timestamp,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        Err(self.0())
    }

    async fn revoke_user_keys(
        &self,
        _: &UserId,
        _: Timestamp,
        _: Timestamp,
        _: u32,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn find_by_digest(&self, _: &CredentialDigest) -> Result<Option<ApiKey>, StoreError> {
        Err(self.0())
    }

    async fn record_uses(&self, _: &[KeyUse]) -> Result<(), StoreError> {
        Err(self.0())
    }

    async fn purge_ended(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Err(self.0())
    }
}

/// A readiness check with a fixed outcome.
pub(crate) enum FixedCheck {
    Works(&'static str),
    Fails(&'static str),
    NeverAnswers(&'static str),
}

#[async_trait]
impl ReadinessCheck for FixedCheck {
    fn name(&self) -> &'static str {
        match self {
            Self::Works(name) | Self::Fails(name) | Self::NeverAnswers(name) => name,
        }
    }

    async fn check(&self) -> Result<(), NotReady> {
        match self {
            Self::Works(_) => Ok(()),
            Self::Fails(_) => {
                Err(NotReady { summary: "cannot be reached", source: Some("refused by 192.0.2.1".into()) })
            }
            Self::NeverAnswers(_) => std::future::pending().await,
        }
    }
}
