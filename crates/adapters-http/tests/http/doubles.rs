//! Test doubles: an identity provider without signatures, and stores and checks that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use domain::memory::{MemoryKeyStore, MemorySessionStore};
use domain::organizations::{Identity, Memberships, UnreadableMemberships};
use domain::ports::{
    CertificateReader, ChangeKeyRequest, ChangedKey, CredentialStore, Found, IdentityProvider, IdentityUnavailable,
    IdentityVerdict, IdentityVerifier, InsertKeyRequest, Insertion, KeyStore, KeyStores, ListExpiringRequest, NotReady,
    ReadinessCheck, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
    Rotation, SessionStores, SignInAnswer, SignInRequest, SignInVerdict, StoreError, StoredCredential,
};
use domain::webhooks::{CertificateFacts, InvalidClientCertificate};
use domain::{
    ApiKey, CredentialDigest, CredentialUse, IdToken, ListView, OwnerEmail, OwnerId, OwnerName, OwnerProfile, Timestamp,
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
                let (own_name, email) = (OwnerName::parse("Nora").ok(), OwnerEmail::parse("n@acme.example").ok());
                let of_nora = OwnerProfile { name: own_name, email };
                let profile = if name == "nora" { of_nora } else { OwnerProfile::default() };
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

/// Every call fails in the same way.
pub(crate) struct FailingStore(fn() -> StoreError);

type Outcome<T> = Result<T, StoreError>;

/// The error of a store that is down.
pub(crate) fn down() -> StoreError {
    StoreError::Unavailable("refused by 192.0.2.1".into())
}

impl FailingStore {
    /// Ports of sessions. A call with a session first verifies it.
    pub(crate) fn sessions(failure: fn() -> StoreError) -> SessionStores {
        SessionStores { store: Arc::<MemorySessionStore>::default(), credentials: Arc::new(Self(failure)) }
    }

    /// Ports of keys. No test counts the uses of a key whose store fails.
    pub(crate) fn keys(failure: fn() -> StoreError) -> KeyStores {
        let failing = Arc::new(Self(failure));
        let usage = Arc::<MemoryKeyStore>::default();
        KeyStores { store: failing.clone(), credentials: failing, usage }
    }
}

#[async_trait]
impl KeyStore for FailingStore {
    async fn insert_within(&self, _: &InsertKeyRequest) -> Outcome<Insertion> {
        Err(self.0())
    }

    async fn list(&self, _: &OwnerId, _: ListView) -> Outcome<Vec<ApiKey>> {
        Err(self.0())
    }

    async fn revoke(&self, _: &RevokeKeyRequest) -> Outcome<Revocation> {
        Err(self.0())
    }

    async fn rotate(&self, _: &RotateKeyRequest) -> Outcome<Rotation> {
        Err(self.0())
    }

    async fn change(&self, _: &ChangeKeyRequest) -> Outcome<ChangedKey> {
        Err(self.0())
    }

    async fn revoke_by_digests(&self, _: &RevokeDigestsRequest) -> Outcome<Vec<(CredentialDigest, ApiKey)>> {
        Err(self.0())
    }

    async fn revoke_user_keys(&self, _: &RevokeUserKeysRequest) -> Outcome<Vec<CredentialDigest>> {
        Err(self.0())
    }

    async fn list_expiring(&self, _: &ListExpiringRequest) -> Outcome<Vec<ApiKey>> {
        Err(self.0())
    }
}

#[async_trait]
impl<Stored: StoredCredential> CredentialStore<Stored> for FailingStore {
    async fn find_by_digests(&self, _: &[CredentialDigest]) -> Found<Stored> {
        Found::from(self.0())
    }

    async fn record_uses(&self, _: &[CredentialUse<Stored::Id>]) -> Outcome<()> {
        Err(self.0())
    }
}
