use std::sync::Arc;

use actix_web::{HttpRequest, web};
use domain::Keys;
use domain::ports::{Clock, Entropy, IdentityVerifier, ReadinessCheck};
use domain::webhooks::Webhooks;
use tokio_util::sync::CancellationToken;
use verifier::Verifier;

use crate::open_streams::OpenStreams;
use crate::readiness::Readiness;
use crate::{HttpLimits, OperatorToken};

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

/// The [`Api`] and what the server itself knows, shared by all workers.
pub(crate) struct State {
    pub(crate) api: Api,
    pub(crate) limits: HttpLimits,
    pub(crate) readiness: Readiness,
    pub(crate) streams: Arc<OpenStreams>,
    /// Cancelled when the process is to end.
    pub(crate) stop: CancellationToken,
}

impl State {
    pub(crate) fn new(api: Api, limits: HttpLimits, stop: CancellationToken) -> Self {
        let readiness = Readiness::new(api.readiness.clone(), limits.readiness_deadline);
        let streams = OpenStreams::new(limits.event_streams_max, limits.event_streams_per_user_max);
        Self { api, limits, readiness, streams, stop }
    }

    /// The state that `serve` registered with the application.
    pub(crate) fn of(request: &HttpRequest) -> &web::Data<Self> {
        request.app_data().expect("the server registers its state with every application")
    }
}
