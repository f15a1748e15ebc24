use actix_web::HttpRequest;
use actix_web::web::{Data, Json, Payload};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::body::refuse_members;
use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{BODY_ERRORS, OPERATOR_ERRORS, documented_errors};
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::parameters::query::Parameters;
use crate::state::State;

/// How many keys were revoked.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeysRevoked)]
pub(super) struct Answer {
    /// How many keys this call revoked. A key that expired before counts, and a key that was revoked before does not.
    #[schema(example = 3)]
    revoked_count: u64,
}

/// Revokes all API keys of a user, for support work.
///
/// The service refuses the keys from now on. With `createdBefore`, keys that were created at that time or later stay
/// good. The keys of an unknown user are none. Repeat a call that has failed, because some of the keys may be revoked.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/keys",
    tag = "Operator",
    operation_id = "revokeUserApiKeys",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("createdBefore" = Option<String>, Query, format = DateTime,
            description = "Revoke only keys that were created before this time (RFC 3339)"),
    ),
    responses((status = 200, description = "The keys are revoked", body = Answer), Errors),
)]
pub(super) async fn revoke_user_keys(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<Answer>, ApiError> {
    refuse_members(&request, payload).await?;
    let origin = origin_of(&request);
    let user = user.valid()?;
    let created_before = Parameters::parse(request.query_string(), &["createdBefore"])?.time("createdBefore")?;
    to_the_end(async move {
        let revoked_count = state.api.keys.revoke_all(&user, created_before, &origin).await?;
        Ok(Json(Answer { revoked_count }))
    })
    .await
}

documented_errors!(Errors: [OPERATOR_ERRORS, BODY_ERRORS]);
