use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpRequest};

use crate::bodies::body::{read_fields, read_form_or_fields, read_json};
use crate::bodies::fields::Fields;
use crate::boundary::exchange::Exchange;
use crate::credentials::headers::bearer_in;
use crate::credentials::operator_scope::OperatorScope;
use crate::credentials::operator_tokens::OperatorToken;
use crate::credentials::presented::Presented;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;
use crate::{Api, HttpLimits};

/// Proof that the call has an operator token with the scope that it needs. The first argument of a handler, so that the
/// token is checked first. See decision 47.
pub(crate) struct Operator;

impl FromRequest for Operator {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(match bearer_in(request.headers()) {
            Presented::Nothing => Err(ErrorCode::CredentialMissing.into()),
            Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(reason)),
            Presented::One(presented) => match State::of(request).api.operator_tokens.find(presented) {
                Some(token) => permit(request, token),
                None => Err(ApiError::CredentialInvalid("a token that is not an operator token")),
            },
        })
    }
}

/// A call of the operator API with a body. The body is read only when the token is right.
pub(crate) struct OperatorRequest {
    pub(crate) request: HttpRequest,
    payload: Payload,
}

impl OperatorRequest {
    pub(crate) fn api(&self) -> &Api {
        &State::of(&self.request).api
    }

    /// The fields of a JSON body of at most `size_bytes_max`.
    pub(crate) async fn read_fields(&mut self, size_bytes_max: usize) -> Result<Fields, ApiError> {
        read_fields(&self.request, self.payload.take(), &self.limits(size_bytes_max)).await
    }

    /// The bytes of a JSON body of at most `size_bytes_max`.
    pub(crate) async fn read_json(&mut self, size_bytes_max: usize) -> Result<Bytes, ApiError> {
        read_json(&self.request, self.payload.take(), &self.limits(size_bytes_max)).await
    }

    /// The fields of a form or of a JSON body, of the usual size.
    pub(crate) async fn read_form_or_fields(&mut self) -> Result<Fields, ApiError> {
        read_form_or_fields(&self.request, self.payload.take(), &self.state().limits).await
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
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_operator = Operator::from_request(request, payload).into_inner();
        ready(is_operator.map(|_| Self { request: request.clone(), payload: payload.take() }))
    }
}

/// Notes the token for the log, and checks its scopes.
fn permit(request: &HttpRequest, token: &OperatorToken) -> Result<Operator, ApiError> {
    if let Some(exchange) = Exchange::of(request) {
        exchange.note_operator(token.name());
    }
    let needed = OperatorScope::of_call(request.method(), &request.match_pattern().unwrap_or_default());
    if token.allows(needed) {
        return Ok(Operator);
    }
    let detail = format!("the operator token {} lacks the scope {needed}", token.name());
    Err(ApiError::Explained(ErrorCode::OperatorScopeMissing, detail.into()))
}
