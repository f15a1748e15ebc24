use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpRequest};

use domain::TraceContext;

use crate::bodies::body::{read_body, read_form_or_body, read_json};
use crate::bodies::json_body::JsonBody;
use crate::boundary::exchange::Exchange;
use crate::callers::session::{find_good_session, session_beside};
use crate::credentials::headers::{bearer_in, credential_in};
use crate::credentials::operator_scope::OperatorScope;
use crate::credentials::operator_tokens::OperatorToken;
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::state::State;
use crate::{Api, HttpLimits};

/// Proof that the call has an operator token with the scope that it needs, or an operator's session. The first argument of
/// a handler, so that it is checked first. See decisions 47 and 67.
pub(crate) struct Operator;

impl FromRequest for Operator {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { check(&request).await.map(|()| Self) })
    }
}

/// A call of the operator API with a body. The body is read only when the credential is right.
pub(crate) struct OperatorRequest {
    pub(crate) request: HttpRequest,
    payload: Payload,
}

impl OperatorRequest {
    pub(crate) fn api(&self) -> &Api {
        &State::of(&self.request).api
    }

    /// The span of the call, if it is traced.
    pub(crate) fn trace(&self) -> Option<TraceContext> {
        Exchange::of(&self.request)?.trace()
    }

    /// A JSON body of at most `size_bytes_max`.
    pub(crate) async fn read_body(&mut self, size_bytes_max: usize) -> Result<JsonBody, ApiError> {
        read_body(&self.request, self.payload.take(), &self.limits(size_bytes_max)).await
    }

    /// The bytes of a JSON body of at most `size_bytes_max`.
    pub(crate) async fn read_json(&mut self, size_bytes_max: usize) -> Result<Bytes, ApiError> {
        read_json(&self.request, self.payload.take(), &self.limits(size_bytes_max)).await
    }

    /// A form or a JSON body, of the usual size.
    pub(crate) async fn read_form_or_body(&mut self) -> Result<JsonBody, ApiError> {
        read_form_or_body(&self.request, self.payload.take(), &self.state().limits).await
    }

    fn limits(&self, body_size_bytes_max: usize) -> HttpLimits {
        HttpLimits { body_size_bytes_max, ..self.state().limits }
    }

    fn state(&self) -> &Data<State> {
        State::of(&self.request)
    }
}

impl FromRequest for OperatorRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            check(&request).await?;
            Ok(Self { request, payload })
        })
    }
}

async fn check(request: &HttpRequest) -> Result<(), ApiError> {
    let needed = OperatorScope::of_call(request.method(), &request.match_pattern().unwrap_or_default());
    // Host applications verify keys, and never browsers.
    if needed != OperatorScope::Verify
        && let Some(session) = session_beside(request, &credential_in(request.headers())).await?
    {
        State::of(request).count_call_of(&session.owner)?;
        return session.role.is_operator().then_some(()).ok_or(ErrorCode::OperatorRoleMissing.into());
    }
    match bearer_in(request.headers()) {
        Presented::Nothing => Err(ErrorCode::CredentialMissing.into()),
        Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(Invalid::Presented, reason)),
        Presented::One(presented) => match State::of(request).api.operator_tokens.find(presented) {
            Some(token) => permit(request, &token, needed),
            None => Err(ApiError::CredentialInvalid(Invalid::OperatorToken, "a token that is not an operator token")),
        },
    }
}

/// Whether the credential of a call of the operator API is still good for this call. For answers that take long, such as
/// exports.
pub(crate) async fn may_still(request: &HttpRequest) -> Result<bool, ApiError> {
    let state = State::of(request);
    if let Presented::One(secret) = state.cookies.read_session(request.headers()) {
        let session = find_good_session(request, secret).await?;
        return Ok(session.is_some_and(|session| session.role.is_operator()));
    }
    let Presented::One(presented) = bearer_in(request.headers()) else { return Ok(false) };
    let needed = OperatorScope::of_call(request.method(), &request.match_pattern().unwrap_or_default());
    Ok(state.api.operator_tokens.find(presented).is_some_and(|token| token.allows(needed)))
}

/// Notes the token for the log, and checks its scopes.
fn permit(request: &HttpRequest, token: &OperatorToken, needed: OperatorScope) -> Result<(), ApiError> {
    if let Some(exchange) = Exchange::of(request) {
        exchange.note_operator(token.name());
    }
    if token.allows(needed) {
        return Ok(());
    }
    let detail = format!("the operator token {} lacks the scope {needed}", token.name());
    Err(ApiError::Explained(ErrorCode::OperatorScopeMissing, detail.into()))
}
