use std::cell::OnceCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest};
use domain::audit::{Means, Origin, RequestId as StoredRequestId};
use domain::{KeyId, OwnerId, SessionId, TraceContext};
use tokio::time::Instant;
use verifier::VerifiedKey;

use crate::boundary::request_durations::WorkerDurations;
use crate::boundary::request_id::RequestId;
use crate::boundary::request_trace::RequestTrace;
use crate::connections::turn::Turn;
use crate::errors::problem::ErrorForm;

/// The routes that gateways and host applications verify credentials with.
const VERIFICATION_ROUTES: [&str; 2] = ["/forward-auth", "/api/operator/introspect"];

/// The routes to which an address bar leads. Their errors are pages.
const ROUTES_FOR_PEOPLE: [&str; 3] = ["/console/login", "/console/callback", "/console/logout"];

/// The facts about one request and its answer, for the log.
pub(crate) struct Exchange {
    pub(crate) request_id: RequestId,
    pub(crate) method: Method,
    /// The template of the path (`/docs/errors/{code}`). Never the path, because a client chooses it.
    pub(crate) route: Option<String>,
    pub(crate) peer: Option<IpAddr>,
    /// Whether a browser loads a page, so that no script reads the answer.
    pub(super) prefers_pages: bool,
    /// Whether the path is one of SCIM.
    pub(super) is_scim: bool,
    pub(crate) started: Instant,
    pub(super) durations: Rc<WorkerDurations>,
    /// `None` if the request is not traced.
    pub(super) traced: Option<RequestTrace>,
    /// The turn of the connection; `None` in a test without a connection.
    pub(super) turn: Option<Rc<Turn>>,
    pub(super) user: OnceCell<OwnerId>,
    pub(super) key: OnceCell<Arc<VerifiedKey>>,
    pub(super) operator: OnceCell<Arc<str>>,
    pub(super) session: OnceCell<SessionId>,
}

impl Exchange {
    /// The exchange of a request.
    pub(crate) fn of(request: &HttpRequest) -> Option<Rc<Self>> {
        request.extensions().get::<Rc<Self>>().cloned()
    }

    /// Counts and traces the duration of the exchange, which ends with this status, and returns it.
    pub(super) fn end(&self, status: u16) -> Duration {
        let duration = self.started.elapsed();
        let route = self.route.as_deref();
        self.durations.count(&self.method, route, status, duration);
        if let Some(traced) = &self.traced {
            traced.end((&self.method, route), status, duration, self.has_credential());
        }
        duration
    }

    /// Whether a good credential was recorded.
    fn has_credential(&self) -> bool {
        self.user.get().is_some() || self.key.get().is_some() || self.operator.get().is_some()
    }

    /// Reports to the connection that no further request may follow.
    pub(super) fn set_last(&self) {
        if let Some(turn) = &self.turn {
            turn.set_last();
        }
    }

    /// Reports to the connection that the request is answered.
    pub(super) fn end_turn(&self) {
        if let Some(turn) = &self.turn {
            turn.end();
        }
    }

    /// Whether the request verifies the credential of another client.
    pub(super) fn is_verification(&self) -> bool {
        self.route
            .as_deref()
            .is_some_and(|route| VERIFICATION_ROUTES.iter().any(|verification| route.starts_with(verification)))
    }

    /// The form of an error with this status.
    pub(crate) fn error_form(&self, status: u16) -> ErrorForm {
        let is_page = self.route.as_deref().is_some_and(|route| ROUTES_FOR_PEOPLE.contains(&route));
        if self.is_scim {
            ErrorForm::Scim
        } else if is_page || (self.prefers_pages && status == StatusCode::NOT_FOUND.as_u16()) {
            ErrorForm::Page
        } else {
            ErrorForm::Document
        }
    }

    /// Records the user of the call.
    pub(crate) fn note_user(&self, user: &OwnerId) {
        self.user.get_or_init(|| user.clone());
    }

    /// Records the key that the caller presented, and with it the user.
    pub(crate) fn note_key(&self, key: &Arc<VerifiedKey>) {
        self.key.get_or_init(|| Arc::clone(key));
    }

    /// Records the name of the operator token.
    pub(crate) fn note_operator(&self, name: &Arc<str>) {
        self.operator.get_or_init(|| Arc::clone(name));
    }

    /// Records the session of the browser that calls.
    pub(crate) fn note_session(&self, session: SessionId) {
        self.session.get_or_init(|| session);
    }

    /// The name of the operator token.
    pub(crate) fn operator(&self) -> Option<&str> {
        self.operator.get().map(|name| &**name)
    }

    /// The span of the request, if it is traced.
    pub(crate) fn trace(&self) -> Option<TraceContext> {
        self.traced.as_ref().map(RequestTrace::context)
    }

    pub(crate) fn user_id(&self) -> Option<&str> {
        self.user.get().or_else(|| self.key.get().map(|key| &key.owner)).map(OwnerId::subject)
    }

    pub(crate) fn key_id(&self) -> Option<KeyId> {
        self.key.get().map(|key| key.id)
    }
}

/// The source of this request for the audit log. The credential is already verified.
pub(crate) fn origin_of(request: &HttpRequest) -> Origin {
    let Some(exchange) = Exchange::of(request) else { return Origin::SERVICE };
    let by_whom = match (exchange.operator.get(), exchange.key.get(), exchange.user.get()) {
        (Some(operator), ..) => Origin::of_operator(operator),
        (None, Some(key), _) => Origin::of_user(&key.owner, Means::ApiKey(key.id)),
        (None, None, Some(user)) => {
            let means = exchange.session.get().map_or(Means::IdToken, |session| Means::Session(*session));
            Origin::of_user(user, means)
        }
        (None, None, None) => Origin::SERVICE,
    };
    let request = StoredRequestId::new(exchange.request_id.as_str());
    Origin { request, address: exchange.peer, ..by_whom }
}
