use actix_web::web::{Data, Json};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use crate::callers::identified::IdentifiedUser;
use crate::documents::openapi::{ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::key_record::KeyList;
use crate::state::State;

/// Lists the caller's API keys.
///
/// Every active key and the 100 that ended last, newest first. Takes an ID token; an API key is refused.
#[utoipa::path(
    get,
    path = "/api/api-keys",
    tag = "API keys",
    operation_id = "listApiKeys",
    security(("idToken" = []), ("idTokenHeader" = [])),
    responses((status = 200, description = "The caller's keys", body = KeyList), Errors),
)]
pub(super) async fn list_keys(state: Data<State>, user: IdentifiedUser) -> Result<Json<KeyList>, ApiError> {
    Ok(Json(KeyList::of(state.api.keys.list(&user.0).await?)))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[ErrorCode::CredentialMissing, ErrorCode::CredentialInvalid])
    }
}
