use actix_web::web::{Data, Json};

use crate::callers::identified::IdentifiedUser;
use crate::documents::responses::{CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::records::key_record::KeyList;
use crate::state::State;

/// Lists the caller's API keys.
///
/// Returns every active key and the 100 keys that ended last, newest first. Requires an ID token; an API key is
/// refused.
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

documented_errors!(Errors: [CREDENTIAL_ERRORS], RateLimited);
