use actix_web::HttpRequest;
use domain::audit::AuditTarget;
use domain::{OwnerId, TraceContext};

use crate::boundary::exchange::{Exchange, origin_of};
use crate::callers::call::{Admit, Call, CallBody};
use crate::callers::session::{find_good_session, session_beside};
use crate::credentials::headers::{bearer_in, credential_in};
use crate::credentials::operator_scope::OperatorScope;
use crate::credentials::operator_tokens::OperatorToken;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// A call of the operator API that is not for one owner alone.
pub(crate) type OperatorCall = Call<Operator>;

/// Proof that the call has an operator token with the scope that it needs, or an operator's session. See decision 67.
pub(crate) struct Operator;

impl OperatorCall {
    /// The span of the call, if it is traced.
    pub(crate) fn trace(&self) -> Option<TraceContext> {
        Exchange::of(&self.request)?.trace()
    }
}

impl Admit for Operator {
    async fn admit(request: &HttpRequest, _: &mut CallBody) -> Result<Self, ApiError> {
        let needed = OperatorScope::of_call(request.method(), &request.match_pattern().unwrap_or_default());
        // Host applications verify keys, and identity providers use SCIM, and never browsers.
        let is_for_programs = needed == [OperatorScope::Verify] || needed == [OperatorScope::Scim];
        if !is_for_programs && let Some(session) = session_beside(request, &credential_in(request.headers())).await? {
            State::of(request).count_call_of(&session.owner, session.request_rate_limit)?;
            return session.role.is_operator().then_some(Self).ok_or(ErrorCode::OperatorRoleMissing.into());
        }
        let presented = bearer_in(request.headers()).required()?;
        match State::of(request).api.operator_tokens.find(presented) {
            Some(token) => permit(request, &token, needed).map(|()| Self),
            None => Err(ApiError::CredentialInvalid(Invalid::OperatorToken, "a token that is not an operator token")),
        }
    }
}

/// Records that an operator is about to see this, so that the owner learns of it. See decision 128.
pub(crate) async fn record_read(request: &HttpRequest, owner: &OwnerId, shown: AuditTarget) -> Result<(), ApiError> {
    Ok(State::of(request).api.audit.record_read(owner, shown, &origin_of(request)).await?)
}

/// Whether the credential of a call of the operator API is still good for this call. For answers that take long, such as
/// exports.
pub(super) async fn may_still(request: &HttpRequest) -> Result<bool, ApiError> {
    let state = State::of(request);
    if let Some(secret) = state.cookies.read_session(request.headers()).one() {
        let session = find_good_session(request, secret).await?;
        return Ok(session.is_some_and(|session| session.role.is_operator()));
    }
    let Some(presented) = bearer_in(request.headers()).one() else { return Ok(false) };
    let needed = OperatorScope::of_call(request.method(), &request.match_pattern().unwrap_or_default());
    Ok(state.api.operator_tokens.find(presented).is_some_and(|token| token.allows(needed)))
}

/// Notes the token for the log, and checks its scopes.
fn permit(request: &HttpRequest, token: &OperatorToken, needed: &[OperatorScope]) -> Result<(), ApiError> {
    if let Some(exchange) = Exchange::of(request) {
        exchange.note_operator(token.name());
    }
    if token.allows(needed) {
        return Ok(());
    }
    let scopes = needed.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" or ");
    let detail = format!("the operator token {} lacks the scope {scopes}", token.name());
    Err(ApiError::Explained(ErrorCode::OperatorScopeMissing, detail.into()))
}
