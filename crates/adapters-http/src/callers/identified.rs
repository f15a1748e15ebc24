use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::sessions::Capability;
use domain::{UserId, WebhookAccess};

use crate::bodies::body::read_body;
use crate::bodies::json_body::JsonBody;
use crate::callers::id_token::identify;
use crate::callers::session::{permit, session_beside};
use crate::credentials::headers::id_token_in;
use crate::credentials::presented::Presented;
use crate::errors::api_error::ApiError;
use crate::state::State;

/// The user of an ID token in the headers, or of a session that may see keys. API keys are refused.
pub(crate) struct IdentifiedUser(pub(crate) UserId);

impl FromRequest for IdentifiedUser {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let (user, _) = user_of(&request, id_token_in(request.headers()), Capability::KeysRead).await?;
            State::of(&request).count_call_of(&user)?;
            Ok(Self(user))
        })
    }
}

/// The user of an ID token in the headers or in the body, or of a session that may change keys, and the body.
/// API keys are refused.
///
/// The body is read first, within its limits, because the token may be in the body. Faults of the body are reported
/// only to callers with a valid token in the headers; all others get a 401.
pub(crate) struct IdentifiedRequest {
    pub(crate) user: UserId,
    /// The caller's access to webhooks, which no key that the caller makes exceeds.
    pub(crate) webhooks: Option<WebhookAccess>,
    pub(crate) body: JsonBody,
}

impl FromRequest for IdentifiedRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let body = read_body(&request, payload, &State::of(&request).limits).await;
            let in_body = body.as_ref().map_or(Presented::Nothing, JsonBody::id_token);
            let presented = id_token_in(request.headers()).and(in_body);
            let (user, webhooks) = user_of(&request, presented, Capability::Keys).await?;
            State::of(&request).count_call_of(&user)?;
            Ok(Self { user, webhooks, body: body? })
        })
    }
}

/// The user, and the caller's access to webhooks.
async fn user_of(
    request: &HttpRequest,
    presented: Presented<&str>,
    needed: Capability,
) -> Result<(UserId, Option<WebhookAccess>), ApiError> {
    match session_beside(request, &presented).await? {
        Some(session) => permit(&session, needed).map(|()| (session.owner.clone(), session.role.webhooks())),
        None => Ok((identify(request, presented).await?, Some(WebhookAccess::Write))),
    }
}
