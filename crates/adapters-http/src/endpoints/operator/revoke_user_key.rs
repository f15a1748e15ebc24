use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::KeyId;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::parameters::path_user::PathUser;
use crate::records::key_record::KeyList;
use crate::state::State;

/// Revokes a user's API key, for support work.
///
/// The service refuses the key from now on. Revoking a revoked key succeeds and changes nothing.
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
    responses((status = 200, description = "The key is revoked. The user's keys", body = KeyList), Errors),
)]
pub(super) async fn revoke_user_key(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    key_id: PathId<KeyId>,
    head: HttpRequest,
) -> Result<Json<KeyList>, ApiError> {
    let origin = origin_of(&head);
    let keys = state.api.keys.revoke(&user.valid()?, key_id.known()?, &origin).await?;
    Ok(Json(KeyList::of(keys)))
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField, KeyNotOwned, KeyNotFound);
