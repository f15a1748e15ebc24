use actix_web::web::Json;

use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;
use crate::records::key_record::KeyList;

/// Lists the caller's API keys.
///
/// Returns every active key and the 100 keys that ended last, newest first.
#[utoipa::path(
    get,
    path = "/api/api-keys",
    tag = "API keys",
    operation_id = "listApiKeys",
    responses((status = 200, description = "The caller's keys", body = KeyList)),
)]
pub(super) async fn list_keys(call: OwnerCall) -> Result<Json<KeyList>, ApiError> {
    Ok(Json(KeyList::of(call.api().keys.list(call.owner()).await?)))
}
