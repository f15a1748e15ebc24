use std::sync::{Arc, LazyLock};

use actix_web::web::Bytes;
use actix_web::{HttpRequest, web};
use tokio_util::sync::CancellationToken;

use crate::readiness::Readiness;
use crate::streams::open_streams::OpenStreams;
use crate::{Api, HttpLimits};

/// The [`Api`] and the state of the server, shared by all workers.
pub(crate) struct State {
    pub(crate) api: Api,
    pub(crate) limits: HttpLimits,
    pub(crate) readiness: Readiness,
    pub(crate) streams: Arc<OpenStreams>,
    /// The OpenAPI document, generated on the first request for it.
    pub(crate) document: LazyLock<Bytes>,
    /// Cancelled when the process shuts down.
    pub(crate) stop: CancellationToken,
}

impl State {
    pub(crate) fn new(api: Api, limits: HttpLimits, document: fn() -> Bytes, stop: CancellationToken) -> Self {
        let readiness = Readiness::new(api.readiness.clone(), limits.readiness_deadline);
        let streams = OpenStreams::new(limits.event_streams_max, limits.event_streams_per_user_max);
        Self { api, limits, readiness, streams, document: LazyLock::new(document), stop }
    }

    /// The state that `serve` registers with the application.
    pub(crate) fn of(request: &HttpRequest) -> &web::Data<Self> {
        request.app_data().expect("the server registers its state with every application")
    }
}
