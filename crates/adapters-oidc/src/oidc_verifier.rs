use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{IdentityUnavailable, IdentityVerdict, IdentityVerifier, NotReady, ReadinessCheck};
use domain::{IdToken, Timestamp, UserId};
use tokio_util::sync::CancellationToken;

use crate::claims::{Validity, read_user};
use crate::compact_token::CompactToken;
use crate::discovered_keys::DiscoveredKeys;
use crate::issuer::{InvalidIssuer, Issuer};
use crate::key_cache::{KeyCache, KeySource, Known};
use crate::key_set::KeySet;
use crate::refusal::Refusal;
use crate::verdict_cache::{Proved, TokenDigest, VerdictCache};

/// An instance whose keys are older than this is not ready, though it goes on verifying with them. Long, since
/// verifying API keys needs no provider at all: its outage of an afternoon must not become ours.
const READY_KEYS_AGE_MAX: Duration = Duration::from_hours(24);

/// Whose tokens are good.
#[derive(Clone, Debug)]
pub struct OidcSettings {
    /// The issuer, exactly as the provider writes it: `https`, unless its host is loopback.
    pub issuer: String,
    /// The audiences of which a token must name one: our client ids at the provider.
    pub audiences: Vec<String>,
}

/// Verifies the ID tokens of one issuer.
///
/// The keys come from the provider's JWK set, which [`run`](Self::run) fetches in the background. What a token says
/// never decides where a key is taken from, nor which algorithm a key is used with. See decision 20.
pub struct OidcVerifier {
    issuer: Issuer,
    audiences: Vec<String>,
    keys: KeyCache,
    verdicts: VerdictCache,
}

/// Why a token has not been found good.
enum Failure {
    Refused(Refusal),
    Unavailable(IdentityUnavailable),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl OidcVerifier {
    /// A verifier that knows no keys yet: nothing is fetched before [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// When the issuer is no URL that keys could safely come from.
    pub fn new(settings: OidcSettings) -> Result<Arc<Self>, InvalidIssuer> {
        let issuer = Issuer::parse(&settings.issuer)?;
        let source = DiscoveredKeys::new(issuer.clone());
        Ok(Arc::new(Self::with_source(issuer, settings.audiences, Box::new(source))))
    }

    fn with_source(issuer: Issuer, audiences: Vec<String>, source: Box<dyn KeySource>) -> Self {
        Self { issuer, audiences, keys: KeyCache::new(source), verdicts: VerdictCache::new() }
    }

    /// Keeps the keys fresh until `stop`. Run it exactly once, on the main runtime: it alone opens connections.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        stop.run_until_cancelled(self.keys.run()).await;
    }

    async fn identify(&self, token: &IdToken, at: Timestamp) -> Result<UserId, Failure> {
        let known = self.keys.known();
        let digest = TokenDigest::of(token);
        if let Some(verdict) = self.verdicts.find(digest, &known.keys, at) {
            return Ok(verdict?);
        }
        // Claims before keys: only a token that is otherwise for us may cause a fetch.
        let token = CompactToken::parse(token.expose())?;
        let user = read_user(&token.claims, self.issuer.as_str(), &self.audiences)?;
        let validity = Validity::read(&token.claims)?;
        validity.check(at)?;
        let by = self.check_signature(&token, known).await?;
        self.verdicts.keep(digest, Proved { user: user.clone(), validity, by });
        Ok(user)
    }

    /// Answers with the set whose key has signed the token.
    async fn check_signature(&self, token: &CompactToken<'_>, mut known: Known) -> Result<Arc<KeySet>, Failure> {
        let key_id = token.key_id.as_deref();
        if known.keys.find(key_id, token.algorithm)?.is_none() {
            known = self.keys.newer_than(&known).await;
        }
        match known.keys.find(key_id, token.algorithm)? {
            Some(key) if key.verifies(token.algorithm, token.signed.as_bytes(), token.signature) => Ok(known.keys),
            Some(_) => Err(Refusal("the signature is not the key's").into()),
            None => Err(unknown_key(known)),
        }
    }
}

/// Nobody knows the key: that is final only when the provider could be asked.
fn unknown_key(known: Known) -> Failure {
    match known.failure {
        Some(failure) => Failure::Unavailable(IdentityUnavailable(Box::new(failure))),
        None => Refusal("the provider has no such key").into(),
    }
}

#[async_trait]
impl IdentityVerifier for OidcVerifier {
    async fn verify(&self, token: &IdToken, at: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable> {
        match self.identify(token, at).await {
            Ok(user) => Ok(IdentityVerdict::Valid(user)),
            Err(Failure::Refused(Refusal(reason))) => Ok(IdentityVerdict::Refused(reason)),
            Err(Failure::Unavailable(unavailable)) => Err(unavailable),
        }
    }
}

#[async_trait]
impl ReadinessCheck for OidcVerifier {
    fn name(&self) -> &'static str {
        "identity-provider"
    }

    async fn check(&self) -> Result<(), NotReady> {
        let known = self.keys.known();
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
