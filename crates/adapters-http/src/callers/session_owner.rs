use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::sessions::SessionRole;
use domain::{SessionId, UserId};

use crate::callers::id_token::identify;
use crate::callers::session::session_beside;
use crate::credentials::headers::id_token_in;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// A user who manages own sessions or reads the own audit log, by an ID token or by a session. API keys are refused, and
/// so is a visitor: the user has lent it a part of an account, and not the other browsers.
pub(crate) struct SessionOwner {
    pub(crate) user: UserId,
    /// The session that calls.
    pub(crate) current: Option<SessionId>,
}

impl FromRequest for SessionOwner {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let presented = id_token_in(request.headers());
            let owner = match session_beside(&request, &presented).await? {
                Some(session) if matches!(session.role, SessionRole::Visitor(_)) => {
                    let detail = "visitors see neither the sessions nor the audit log of a user";
                    return Err(ApiError::Explained(ErrorCode::CapabilityMissing, detail.into()));
                }
                Some(session) => Self { user: session.owner.clone(), current: Some(session.id) },
                None => Self { user: identify(&request, presented).await?, current: None },
            };
            State::of(&request).count_call_of(&owner.user)?;
            Ok(owner)
        })
    }
}
