use std::sync::{Arc, LazyLock};

use actix_web::http::header::HeaderMap;
use actix_web::{HttpRequest, web};
use domain::{OwnerId, RateLimit};
use pages::File;
use tokio_util::sync::CancellationToken;

use crate::credentials::cookies::Cookies;
use crate::credentials::same_origin::OwnOrigin;
use crate::documents::known_names::KnownNames;
use crate::errors::api_error::{ApiError, Limited};
use crate::limits::credential_failures::CredentialFailures;
use crate::limits::keyed_limiter::{KeyedLimiter, OwnLimits};
use crate::readiness::{NamedCheck, Readiness};
use crate::streams::open_streams::{EVENT_STREAMS_MAX, OpenStreams};
use crate::streams::waiting_readers::WaitingReaders;
use crate::{Api, HttpSettings};

/// The [`Api`] and the state of the server, shared by all workers.
pub(crate) struct State {
    pub(crate) api: Api,
    pub(crate) settings: HttpSettings,
    pub(crate) readiness: Readiness,
    /// Of verification alone.
    pub(crate) verification: Readiness,
    pub(crate) streams: Arc<OpenStreams>,
    pub(crate) waiting_readers: Arc<WaitingReaders>,
    /// The cookies of browsers that sign in.
    pub(crate) cookies: Cookies,
    /// The origin of pages that may use these cookies.
    pub(crate) own_origin: OwnOrigin,
    /// The limit on the calls of each user, if there is one. Verification does not count.
    user_limit: Option<KeyedLimiter<OwnerId>>,
    /// The limits of owners whose record has one, in place of that limit.
    own_limits: OwnLimits,
    /// The limit on the calls of each user that send webhooks, if there is one.
    manual_send_limit: Option<KeyedLimiter<OwnerId>>,
    /// The limit on credentials that fail, if there is one.
    pub(crate) credential_failures: Option<CredentialFailures>,
    /// Reads of sets of public keys that do not exist.
    pub(crate) unknown_key_sets: Option<CredentialFailures>,
    /// The same limit on refused sign-ins, so that a wrong API key does not prevent sign-ins.
    pub(crate) refused_sign_ins: Option<CredentialFailures>,
    /// The OpenAPI document, generated on the first request for it.
    pub(crate) document: LazyLock<File>,
    /// The members of bodies and the parameters of queries, read from the document when a request first needs them.
    pub(crate) known_names: LazyLock<KnownNames>,
    /// Cancelled when the process shuts down.
    pub(crate) stop: CancellationToken,
}

impl State {
    pub(crate) fn new(
        api: Api,
        settings: &HttpSettings,
        document: fn() -> File,
        known_names: fn() -> KnownNames,
        stop: CancellationToken,
    ) -> Self {
        let limits = settings.limits;
        let verification: NamedCheck = ("verification", Arc::clone(&api.verifier) as _);
        let own_origin = OwnOrigin::of(&settings.public_url);
        Self {
            cookies: Cookies::new(own_origin.is_secure(), settings.portal_is_framed),
            own_origin,
            readiness: Readiness::new(api.readiness.clone(), limits.readiness_deadline),
            verification: Readiness::new(vec![verification], limits.readiness_deadline),
            waiting_readers: WaitingReaders::new(),
            streams: OpenStreams::new(EVENT_STREAMS_MAX, limits.event_streams_per_user_max),
            user_limit: settings.user_rate_limit.map(KeyedLimiter::new),
            own_limits: OwnLimits::new(),
            manual_send_limit: settings.manual_send_limit.map(KeyedLimiter::new),
            credential_failures: settings.credential_failure_limit.map(CredentialFailures::new),
            unknown_key_sets: settings.credential_failure_limit.map(CredentialFailures::new),
            refused_sign_ins: settings.credential_failure_limit.map(CredentialFailures::new),
            document: LazyLock::new(document),
            known_names: LazyLock::new(known_names),
            settings: settings.clone(),
            api,
            stop,
        }
    }

    /// Whether a request with these headers may change webhooks.
    pub(crate) fn allows_webhook_changes(&self, headers: &HeaderMap) -> bool {
        self.settings.webhook_changes.is_none_or(|may_change| may_change(headers))
    }

    /// Counts a call against the limit of this user: `own`, or the limit of the service.
    ///
    /// # Errors
    ///
    /// When the user has used up the limit.
    pub(crate) fn count_call_of(&self, user: &OwnerId, own: Option<RateLimit>) -> Result<(), ApiError> {
        let of_service = || self.user_limit.as_ref().map(|limit| limit.spend(user));
        Limited::User.check(own.map(|own| self.own_limits.spend(user, own)).or_else(of_service))
    }

    /// Counts a call that sends webhooks, whatever the delivery's schedule, against the limit of this user. See
    /// decision 10.
    ///
    /// # Errors
    ///
    /// When the user has used up the limit.
    pub(crate) fn count_manual_send_of(&self, user: &OwnerId) -> Result<(), ApiError> {
        Limited::ManualSends.check(self.manual_send_limit.as_ref().map(|limit| limit.spend(user)))
    }

    /// The state that `serve` registers with the application.
    pub(crate) fn of(request: &HttpRequest) -> &web::Data<Self> {
        request.app_data().expect("the server registers its state with every application")
    }
}
