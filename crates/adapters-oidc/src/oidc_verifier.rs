use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::organizations::Identity;
use domain::ports::{IdentityUnavailable, IdentityVerdict, IdentityVerifier, NotReady, ReadinessCheck};
use domain::{IdToken, Timestamp};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::claims::{Recipients, Refusal, Validity, read_user};
use crate::compact_token::CompactToken;
use crate::discovered_keys::DiscoveredKeys;
use crate::discovery::KnownEndpoints;
use crate::issuer::{InvalidIssuer, Issuer};
use crate::key_cache::{FETCH_DEADLINE, FetchError, KeyCache, KeySource, Known};
use crate::key_set::KeySet;
use crate::organization_claims::OrganizationClaims;
use crate::provider_client::{ClientTls, ProviderClient};
use crate::token_kind::TokenKind;
use crate::verdict_cache::{Proved, TokenDigest, VerdictCache};

/// An instance with older keys is not ready, though it continues to verify with them. The limit is long because API
/// keys are verified without the provider: an outage of the provider must not take the API down.
const READY_KEYS_AGE_MAX: Duration = Duration::from_hours(24);
/// How long the check of readiness waits for the first keys. A start takes a few milliseconds, so a caller that asks
/// during it gets the good answer at once, and need not repeat the question.
const FIRST_KEYS_WAIT_MAX: Duration = Duration::from_millis(100);

/// Which tokens are accepted.
#[derive(Clone, Debug)]
pub struct OidcSettings {
    /// The issuer, exactly as the provider writes it: `https`, unless its host is loopback.
    pub issuer: String,
    /// The kinds of tokens that callers may present. Signing in takes ID tokens only.
    pub kinds: Vec<TokenKind>,
    /// A token must name one of these audiences in `aud`.
    pub audiences: Vec<String>,
    /// The clients for which a token may be issued: `azp` must be one of them, or, in a token without `azp`, the only
    /// `aud`; in an access token, `client_id`. Empty accepts the tokens of every client of the provider.
    pub client_ids: Vec<String>,
    /// TLS for calls to the provider, which trusts the certificates of the system in any case.
    pub tls: Option<ClientTls>,
    /// Which organizations the users of the tokens belong to.
    pub organizations: OrganizationClaims,
}

impl OidcSettings {
    /// ID tokens of every client for these audiences, without organizations.
    pub fn new(issuer: String, audiences: Vec<String>) -> Self {
        let organizations = OrganizationClaims::default();
        Self { issuer, kinds: vec![TokenKind::Id], audiences, client_ids: Vec::new(), tls: None, organizations }
    }
}

/// Verifies the tokens of one issuer.
///
/// The keys come from the provider's JWK set, which [`run`](Self::run) fetches in the background. A token never decides
/// where a key comes from, or with which algorithm a key is used. See decision 20.
pub struct OidcVerifier {
    pub(crate) issuer: Issuer,
    kinds: Vec<TokenKind>,
    recipients: Recipients,
    organizations: OrganizationClaims,
    keys: KeyCache,
    verdicts: VerdictCache,
    /// Of the newest discovery document, for signing in.
    pub(crate) endpoints: KnownEndpoints,
    pub(crate) client: Arc<ProviderClient>,
}

/// Why a token is not accepted.
pub(crate) enum Failure {
    Refused(Refusal),
    Unavailable(IdentityUnavailable),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Self::Unavailable(IdentityUnavailable(Box::new(error)))
    }
}

impl OidcVerifier {
    /// A verifier without keys. It makes no request before [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// When keys cannot safely come from the issuer's URL.
    pub fn new(settings: OidcSettings) -> Result<Arc<Self>, InvalidIssuer> {
        let issuer = Issuer::parse(&settings.issuer)?;
        let (client, endpoints) = (Arc::new(ProviderClient::new(settings.tls)), KnownEndpoints::default());
        let source = DiscoveredKeys::new(issuer.clone(), Arc::clone(&client), endpoints.clone());
        let OidcSettings { kinds, audiences, client_ids, organizations, .. } = settings;
        let recipients = Recipients { audiences, client_ids };
        Ok(Arc::new(Self {
            kinds,
            organizations,
            endpoints,
            client,
            ..Self::with_source(issuer, recipients, Box::new(source))
        }))
    }

    fn with_source(issuer: Issuer, recipients: Recipients, source: Box<dyn KeySource>) -> Self {
        let (keys, verdicts) = (KeyCache::new(source), VerdictCache::new());
        let (organizations, endpoints) = (OrganizationClaims::default(), KnownEndpoints::default());
        let kinds = vec![TokenKind::Id];
        Self { issuer, kinds, recipients, organizations, keys, verdicts, endpoints, client: Arc::default() }
    }

    /// How long ago the keys were last fetched; `None` before the first fetch succeeds.
    pub fn keys_age(&self) -> Option<Duration> {
        self.keys.known().fetched_at.map(|at| at.elapsed())
    }

    /// Refreshes the keys until `stop`. Run it exactly once, on the main runtime: only this task opens connections.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        stop.run_until_cancelled(self.keys.run()).await;
    }

    /// Waits until the first fetch of the keys and the endpoints has ended, for a program that needs them once.
    ///
    /// # Errors
    ///
    /// When it failed.
    pub async fn first_fetch(&self) -> Result<(), IdentityUnavailable> {
        match self.keys.known_within(FETCH_DEADLINE).await.failure {
            Some(failure) => Err(IdentityUnavailable(Box::new(failure))),
            None => Ok(()),
        }
    }

    async fn identify(&self, token: &IdToken, at: Timestamp) -> Result<Identity, Failure> {
        let known = self.keys.known();
        let digest = TokenDigest::of(token);
        if let Some(verdict) = self.verdicts.find(digest, &known.keys, at) {
            return Ok(verdict?);
        }
        let token = CompactToken::parse(token.expose())?;
        check_kind(&token, &self.kinds)?;
        let proved = self.prove(&token, &self.recipients, at, known).await?;
        let identity = proved.identity.clone();
        self.verdicts.keep(digest, proved);
        Ok(identity)
    }

    /// The user with the memberships, and the claims, of a token that was issued to this client for the sign-in with this nonce.
    pub(crate) async fn identify_for_sign_in(
        &self,
        token: &IdToken,
        client_id: &str,
        nonce: &str,
        at: Timestamp,
    ) -> Result<(Identity, Map<String, Value>), Failure> {
        let token = CompactToken::parse(token.expose())?;
        check_kind(&token, &[TokenKind::Id])?;
        if token.claims.get("nonce").and_then(Value::as_str) != Some(nonce) {
            return Err(Refusal("the nonce is not that of the sign-in").into());
        }
        let client = vec![client_id.to_owned()];
        let recipients = Recipients { audiences: client.clone(), client_ids: client };
        let proved = self.prove(&token, &recipients, at, self.keys.known()).await?;
        Ok((proved.identity, token.claims))
    }

    async fn prove(
        &self,
        token: &CompactToken<'_>,
        recipients: &Recipients,
        at: Timestamp,
        known: Known,
    ) -> Result<Proved, Failure> {
        // Claims before keys: only a token with acceptable claims may cause a fetch.
        let user = read_user(token.kind, &token.claims, self.issuer.as_str(), recipients)?;
        let validity = Validity::read(&token.claims)?;
        validity.check(at)?;
        let by = self.check_signature(token, known).await?;
        Ok(Proved { identity: self.organizations.identify(user, &token.claims), validity, by })
    }

    /// The key set with the key that signed the token.
    async fn check_signature(&self, token: &CompactToken<'_>, mut known: Known) -> Result<Arc<KeySet>, Failure> {
        let key_id = token.key_id.as_deref();
        let mut fetched = false;
        if known.keys.find(key_id, token.algorithm)?.is_none() {
            let newer = self.keys.newer_than(&known).await;
            fetched = newer.is_some();
            known = newer.unwrap_or_else(|| self.keys.known());
        }
        match known.keys.find(key_id, token.algorithm)? {
            Some(key) if key.verifies(token.algorithm, token.signed.as_bytes(), token.signature) => Ok(known.keys),
            Some(_) => Err(Refusal("the signature is not the key's").into()),
            None => Err(unknown_key(known, fetched)),
        }
    }
}

fn check_kind(token: &CompactToken<'_>, kinds: &[TokenKind]) -> Result<(), Refusal> {
    let refusal = match token.kind {
        TokenKind::Id => Refusal("an ID token, and only access tokens are accepted here"),
        TokenKind::Access => Refusal("an access token, and only ID tokens are accepted here"),
    };
    if kinds.contains(&token.kind) { Ok(()) } else { Err(refusal) }
}

/// The key is unknown. The token is refused only if the keys were `fetched` after the token came: otherwise the provider
/// may have published the key in the meantime.
fn unknown_key(known: Known, fetched: bool) -> Failure {
    match known.failure {
        Some(failure) => Failure::Unavailable(IdentityUnavailable(Box::new(failure))),
        None if known.keys.is_empty() => FetchError::NoUsableKey.into(),
        None if !fetched => FetchError::AskedRecently.into(),
        None => Refusal("the provider has no such key").into(),
    }
}

#[async_trait]
impl IdentityVerifier for OidcVerifier {
    async fn verify(&self, token: &IdToken, at: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable> {
        match self.identify(token, at).await {
            Ok(identity) => Ok(IdentityVerdict::Valid(identity)),
            Err(Failure::Refused(Refusal(reason))) => Ok(IdentityVerdict::Refused(reason)),
            Err(Failure::Unavailable(unavailable)) => Err(unavailable),
        }
    }
}

#[async_trait]
impl ReadinessCheck for OidcVerifier {
    async fn check(&self) -> Result<(), NotReady> {
        let known = self.keys.known_within(FIRST_KEYS_WAIT_MAX).await;
        let not_ready =
            |summary| NotReady { summary, source: known.failure.clone().map(|failure| Box::new(failure) as _) };
        match known.fetched_at {
            None => Err(not_ready("the identity provider's keys are not known yet")),
            Some(_) if known.keys.is_empty() => Err(not_ready("the identity provider publishes no usable key")),
            Some(at) if at.elapsed() > READY_KEYS_AGE_MAX => Err(not_ready("the identity provider's keys are too old")),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
