use actix_web::web::Json;
use domain::KeyId;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::records::key_record::KeyList;

/// The key to revoke.
#[derive(ToSchema)]
#[schema(as = RevokeApiKey, example = json!({"keyId": "key_01h455vb4pex5vsknk084sn02q"}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The key's id.
    #[schema(rename = "keyId", example = "key_01h455vb4pex5vsknk084sn02q")]
    key_id: String,
    /// The ID token, if no header carries it.
    #[schema(rename = "idToken")]
    id_token: Option<String>,
}

/// Revokes an API key.
///
/// The service refuses the key from now on. Revoking a revoked key succeeds and changes nothing.
#[utoipa::path(
    delete,
    path = "/api/api-keys",
    tag = "API keys",
    operation_id = "revokeApiKey",
    request_body = Body,
    responses((status = 200, description = "The key is revoked. The caller's keys", body = KeyList), Errors),
)]
pub(super) async fn revoke_key(mut call: OwnerCall) -> Result<Json<KeyList>, ApiError> {
    let id = call.read_body().await?.read(key_id)?;
    revoke(&call, id).await
}

/// Revokes a user's API key, for support work.
///
/// The service refuses the key from now on. Revoking a revoked key succeeds and changes nothing.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/keys/{keyId}",
    tag = "Operator",
    operation_id = "revokeUserApiKey",
    responses((status = 200, description = "The key is revoked. The user's keys", body = KeyList), Errors),
)]
pub(in crate::endpoints) async fn revoke_user_key(call: OwnerCall) -> Result<Json<KeyList>, ApiError> {
    revoke(&call, call.id()?).await
}

async fn revoke(call: &OwnerCall, id: KeyId) -> Result<Json<KeyList>, ApiError> {
    Ok(Json(KeyList::of(call.api().keys.revoke(call.owner(), id, &call.origin()).await?)))
}

/// A string that is not a valid id gets the same answer as an unknown id.
fn key_id(fields: &Fields) -> Result<KeyId, ApiError> {
    let text = fields.required_text("keyId")?;
    if text.trim().is_empty() {
        return Err(FieldFault::new("keyId", "must not be empty").into());
    }
    text.parse().map_err(|_| ErrorCode::KeyNotFound.into())
}

documented_errors!(Errors: KeyNotOwned, KeyNotFound);
