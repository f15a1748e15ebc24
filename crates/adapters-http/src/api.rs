use std::sync::Arc;

use domain::Keys;
use domain::ports::{Clock, Entropy, IdentityVerifier, ReadinessCheck};
use domain::webhooks::Webhooks;
use verifier::Verifier;

use crate::OperatorToken;

/// What the endpoints call.
#[derive(Clone)]
pub struct Api {
    /// The use cases of the key lifecycle.
    pub keys: Keys,
    /// The use cases of webhooks.
    pub webhooks: Webhooks,
    /// Verifies API keys.
    pub verifier: Arc<Verifier>,
    /// Verifies ID tokens.
    pub identity: Arc<dyn IdentityVerifier>,
    /// The issuer (`iss`) of those tokens: whose users a `userId` in the operator API names.
    pub issuer: String,
    /// Opens the operator API; without it there is none.
    pub operator_token: Option<OperatorToken>,
    /// What `/readyz` asks.
    pub readiness: Vec<Arc<dyn ReadinessCheck>>,
    /// Tells when an ID token is presented.
    pub clock: Arc<dyn Clock>,
    /// Draws request ids.
    pub entropy: Arc<dyn Entropy>,
}
