//! Test doubles: an identity provider without signatures, and stores and checks that fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    CredentialStore, Found, IdentityProvider, IdentityUnavailable, IdentityVerdict, IdentityVerifier, InsertKeyRequest,
    Insertion, KeyStore, KeyUpkeep, KeyUsageStore, NotReady, ReadinessCheck, Revocation, RevokeDigestsRequest,
    RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, SessionStore, SignInAnswer, SignInRequest,
    SignInVerdict, StoreError,
};
use domain::sessions::{Session, SessionUse};
use domain::{
    ApiKey, CredentialDigest, Hour, HourRange, IdToken, KeyId, KeyUsage, KeyUse, ListView, SessionId, Timestamp,
    UsageCounts, UserId,
};

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

/// Signs in the user whose name is the code. Refuses the code `stolen`, and does not answer for `down`.
#[derive(Default)]
pub(crate) struct FixedProvider {
    /// How many answers it was to verify.
    pub(crate) asked: Arc<AtomicU32>,
}

#[async_trait]
impl IdentityProvider for FixedProvider {
    fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityUnavailable> {
        let SignInRequest { redirect_uri, state, nonce, code_challenge } = request;
        Ok(format!("{ISSUER}/authorize?to={redirect_uri}&state={state}&nonce={nonce}&challenge={code_challenge}"))
    }

    async fn verify_sign_in(
        &self,
        answer: SignInAnswer<'_>,
        _: Timestamp,
    ) -> Result<SignInVerdict, IdentityUnavailable> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if answer.issuer != Some(ISSUER) {
            return Ok(SignInVerdict::Refused("another issuer"));
        }
        match answer.code {
            "down" => Err(IdentityUnavailable("connection refused by 192.0.2.1".into())),
            "stolen" => Ok(SignInVerdict::Refused("the code is not this client's")),
            name => {
                let token = IdToken::new("the token of the provider");
                Ok(SignInVerdict::Valid { user: user(name), has_operator_claim: name == "olga", token })
            }
        }
    }

    fn sign_out_url(&self, back_to: &str) -> Option<String> {
        Some(format!("{ISSUER}/logout?back={back_to}&client=gatepost"))
    }
}

pub(crate) fn user(subject: &str) -> UserId {
    UserId::new(ISSUER, subject).unwrap()
}

/// Every call fails in the same way.
pub(crate) struct FailingStore(pub(crate) fn() -> StoreError);

#[async_trait]
impl KeyStore for FailingStore {
    async fn insert_within(&self, _: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        Err(self.0())
    }

    async fn list(&self, _: &UserId, _: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Err(self.0())
    }

    async fn revoke(&self, _: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        Err(self.0())
    }

    async fn rotate(&self, _: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        Err(self.0())
    }

    async fn revoke_by_digests(&self, _: &RevokeDigestsRequest) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        Err(self.0())
    }

    async fn revoke_user_keys(&self, _: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        Err(self.0())
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for FailingStore {
    async fn find_by_digests(&self, _: &[CredentialDigest]) -> Found<ApiKey> {
        Found::from(Err(self.0()))
    }

    async fn record_uses(&self, _: &[KeyUse]) -> Result<(), StoreError> {
        Err(self.0())
    }
}

#[async_trait]
impl KeyUsageStore for FailingStore {
    async fn add_usage(&self, _: &[KeyUsage]) -> Result<(), StoreError> {
        Err(self.0())
    }

    async fn usage(
        &self,
        _: &UserId,
        _: KeyId,
        _: HourRange,
    ) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        Err(self.0())
    }

    async fn purge_usage(&self, _: Hour, _: u32) -> Result<u32, StoreError> {
        Err(self.0())
    }
}

#[async_trait]
impl KeyUpkeep for FailingStore {
    async fn purge_ended(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Err(self.0())
    }

    async fn list_expiring(&self, _: (Timestamp, KeyId), _: Timestamp, _: u32) -> Result<Vec<ApiKey>, StoreError> {
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

/// The same for sessions.
pub(crate) struct FailingSessions(pub(crate) fn() -> StoreError);

#[async_trait]
impl SessionStore for FailingSessions {
    async fn open(
        &self,
        _: &Session,
        _: &CredentialDigest,
        _: u32,
        _: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn list(&self, _: &UserId, _: Timestamp) -> Result<Vec<Session>, StoreError> {
        Err(self.0())
    }

    async fn end(&self, _: &UserId, _: SessionId, _: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn end_all(&self, _: &UserId, _: Option<SessionId>, _: &Cause) -> Result<Vec<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn count_good(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Err(self.0())
    }

    async fn purge_ended(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        Err(self.0())
    }
}

#[async_trait]
impl CredentialStore<Session> for FailingSessions {
    async fn find_by_digests(&self, _: &[CredentialDigest]) -> Found<Session> {
        Found::from(Err(self.0()))
    }

    async fn record_uses(&self, _: &[SessionUse]) -> Result<(), StoreError> {
        Err(self.0())
    }
}
