use actix_web::web::{Data, Json, Path};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use crate::callers::operator::{Operator, user_of};
use crate::documents::openapi::{ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::key_record::KeyList;
use crate::state::State;

/// Lists a user's API keys, for support work.
///
/// What the user sees too: every active key and the 100 that ended last, newest first. A user whom we have never seen
/// has none.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/keys",
    tag = "Operator",
    operation_id = "listUserApiKeys",
    security(("operatorToken" = [])),
    params(("userId" = String, Path, description = "The user's `sub` at the configured issuer")),
    responses((status = 200, description = "The user's keys", body = KeyList), Errors),
)]
pub(super) async fn list_user_keys(
    _: Operator,
    state: Data<State>,
    user_id: Path<String>,
) -> Result<Json<KeyList>, ApiError> {
    Ok(Json(KeyList::of(state.api.keys.list(&user_of(&state, &user_id)?).await?)))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[ErrorCode::CredentialMissing, ErrorCode::CredentialInvalid, ErrorCode::InvalidField])
    }
}
