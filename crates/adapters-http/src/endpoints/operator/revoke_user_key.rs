use actix_web::web::{Data, Json, Path};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use crate::callers::operator::{Operator, user_of};
use crate::documents::openapi::{ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::key_record::KeyList;
use crate::state::State;

/// Revokes a user's API key, for support work.
///
/// It is refused from now on. Revoking it again changes nothing and succeeds.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/keys/{keyId}",
    tag = "Operator",
    operation_id = "revokeUserApiKey",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("keyId" = String, Path, description = "The key's id"),
    ),
    responses((status = 200, description = "The key is revoked; the user's keys", body = KeyList), Errors),
)]
pub(super) async fn revoke_user_key(
    _: Operator,
    state: Data<State>,
    ids: Path<(String, String)>,
) -> Result<Json<KeyList>, ApiError> {
    let (user_id, key_id) = ids.into_inner();
    let user = user_of(&state, &user_id)?;
    // A text that is no id of ours names no key.
    let id = key_id.parse().map_err(|_| ApiError::KeyNotFound)?;
    Ok(Json(KeyList::of(state.api.keys.revoke(&user, id).await?)))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[
            ErrorCode::CredentialMissing,
            ErrorCode::CredentialInvalid,
            ErrorCode::InvalidField,
            ErrorCode::KeyNotOwned,
            ErrorCode::KeyNotFound,
        ])
    }
}
