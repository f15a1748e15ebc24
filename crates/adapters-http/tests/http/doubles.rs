//! Test doubles: an identity provider without signatures, and stores and checks that fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use domain::audit::Cause;
use domain::organizations::{Identity, Memberships, UnreadableMemberships};
use domain::ports::{
    CertificateReader, ChangeKeyRequest, ChangedKey, CredentialStore, Found, IdentityProvider, IdentityUnavailable,
    IdentityVerdict, IdentityVerifier, InsertKeyRequest, Insertion, KeyStore, KeyUsageStore, ListExpiringRequest,
    NotReady, ReadinessCheck, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest,
    RotateKeyRequest, Rotation, SessionStore, SignInAnswer, SignInRequest, SignInVerdict, StoreError, UsageRequest,
};
use domain::sessions::{Session, SessionUse};
use domain::webhooks::{CertificateFacts, InvalidClientCertificate};
use domain::{
    ApiKey, CredentialDigest, Hour, IdToken, KeyUsage, KeyUse, ListView, OwnerEmail, OwnerId, OwnerName, OwnerProfile,
    SessionId, Timestamp, UsageCounts,
};

/// The issuer of the users in tests.
pub(crate) const ISSUER: &str = "https://id.example";

/// Accepts `alice.id.token`, `bob.id.token` and `odd.id.token`, and those of members: `amy.id.token` (administers
/// acme), `ned.id.token` (sees it), `zoe.id.token` (belongs to two), and `una.id.token` (has an unreadable claim).
/// Fails for `down.id.token`, and refuses all others.
pub(crate) struct FixedIdentities;

#[async_trait]
impl IdentityVerifier for FixedIdentities {
    async fn verify(&self, token: &IdToken, _: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable> {
        match token.expose() {
            "alice.id.token" => Ok(IdentityVerdict::Valid(user("alice").into())),
            "bob.id.token" => Ok(IdentityVerdict::Valid(user("bob").into())),
            // Some providers have such subjects, which are not valid in a path or in a header.
            "odd.id.token" => Ok(IdentityVerdict::Valid(user("auth0|Zoë/100%").into())),
            "down.id.token" => Err(IdentityUnavailable("connection refused by 192.0.2.1".into())),
            token => match token.strip_suffix(".id.token").and_then(identity_of) {
                Some(member) => Ok(IdentityVerdict::Valid(member)),
                None => Ok(IdentityVerdict::Refused("unknown signer")),
            },
        }
    }
}

/// Signs in the user with the code as name. Refuses the code `stolen`, and does not answer for `down`.
#[derive(Default)]
pub(crate) struct FixedProvider {
    /// The number of calls that verify an answer.
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
                let identity = identity_of(name).unwrap_or_else(|| user(name).into());
                let profile = if name == "nora" {
                    OwnerProfile {
                        name: OwnerName::parse("Nora").ok(),
                        email: OwnerEmail::parse("n@acme.example").ok(),
                    }
                } else {
                    OwnerProfile::default()
                };
                Ok(SignInVerdict::Valid { identity, has_operator_claim: name == "olga", profile, token })
            }
        }
    }

    fn sign_out_url(&self, back_to: &str) -> Option<String> {
        Some(format!("{ISSUER}/logout?back={back_to}&client=gatepost"))
    }
}

/// The member of organizations with this name.
pub(crate) fn identity_of(name: &str) -> Option<Identity> {
    Some(match name {
        "amy" => member("amy", &["acme"], &["admin"]),
        "ned" => member("ned", &["acme"], &[]),
        "zoe" => member("zoe", &["acme", "globex"], &["acme:keys"]),
        "una" => Identity { user: user("una"), memberships: Err(UnreadableMemberships) },
        _ => return None,
    })
}

fn member(subject: &str, organizations: &[&str], roles: &[&str]) -> Identity {
    let rights = "admin=keys+webhooks, keys=keys, *=keys:read+webhooks:read".parse().unwrap();
    Identity { user: user(subject), memberships: Memberships::new(ISSUER, organizations, roles, &rights) }
}

pub(crate) fn user(subject: &str) -> OwnerId {
    OwnerId::new(ISSUER, subject).unwrap()
}

/// Reads chains that begin with the time of their expiry, and any key but an empty one.
pub(crate) struct FixedCertificates;

impl CertificateReader for FixedCertificates {
    fn read(&self, chain: &str, key: &str) -> Result<CertificateFacts, InvalidClientCertificate> {
        let expires_at = chain.lines().next().and_then(Timestamp::parse_rfc3339);
        let expires_at = expires_at.ok_or(InvalidClientCertificate::Chain)?;
        if key.is_empty() {
            return Err(InvalidClientCertificate::Key);
        }
        Ok(CertificateFacts { subject: "CN=client".to_owned(), expires_at, fingerprint: [0xA5; 32] })
    }
}

/// Every call fails in the same way.
pub(crate) struct FailingStore(pub(crate) fn() -> StoreError);

#[async_trait]
impl KeyStore for FailingStore {
    async fn insert_within(&self, _: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        Err(self.0())
    }

    async fn list(&self, _: &OwnerId, _: ListView) -> Result<Vec<ApiKey>, StoreError> {
        Err(self.0())
    }

    async fn revoke(&self, _: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        Err(self.0())
    }

    async fn rotate(&self, _: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        Err(self.0())
    }

    async fn change(&self, _: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        Err(self.0())
    }

    async fn revoke_by_digests(&self, _: &RevokeDigestsRequest) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        Err(self.0())
    }

    async fn revoke_user_keys(&self, _: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn list_expiring(&self, _: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
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

    async fn usage(&self, _: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        Err(self.0())
    }
}

/// A readiness check with a fixed outcome.
pub(crate) enum FixedCheck {
    Works,
    Fails,
    NeverAnswers,
}

#[async_trait]
impl ReadinessCheck for FixedCheck {
    async fn check(&self) -> Result<(), NotReady> {
        match self {
            Self::Works => Ok(()),
            Self::Fails => Err(NotReady { summary: "cannot be reached", source: Some("refused by 192.0.2.1".into()) }),
            Self::NeverAnswers => std::future::pending().await,
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

    async fn list(&self, _: &OwnerId, _: Timestamp) -> Result<Vec<Session>, StoreError> {
        Err(self.0())
    }

    async fn end(&self, _: &OwnerId, _: SessionId, _: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn end_all(&self, _: &OwnerId, _: Option<SessionId>, _: &Cause) -> Result<Vec<CredentialDigest>, StoreError> {
        Err(self.0())
    }

    async fn count_good(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
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
