//! Revokes one key, or all keys of an owner.

use actix_web::web::Json;
use domain::KeyId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
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
    request_body = Body,
    responses((status = 200, description = "The key is revoked. The caller's keys", body = KeyList), Errors),
)]
pub(super) async fn revoke_api_key(mut call: OwnerCall) -> Result<Json<KeyList>, ApiError> {
    let id = call.read_body().await?.read(key_id)?;
    revoke(&call, id).await
}

/// Revokes a user's API key, for support work.
///
/// The service refuses the key from now on. Revoking a revoked key succeeds and changes nothing.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/keys/{keyId}",
    responses((status = 200, description = "The key is revoked. The user's keys", body = KeyList), Errors),
)]
pub(in crate::endpoints) async fn revoke_user_api_key(call: OwnerCall) -> Result<Json<KeyList>, ApiError> {
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

/// How many keys were revoked.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::endpoints) struct KeysRevoked {
    /// How many keys this call revoked. A key that expired before counts, and a key that was revoked before does not.
    #[schema(example = 3)]
    revoked_count: u64,
}

/// Revokes all API keys of a user, for support work.
///
/// The service refuses the keys from now on. With `createdBefore`, keys that were created at that time or later stay
/// good. An unknown user has no keys. Repeat a call that has failed, because some of the keys may be revoked.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/keys",
    params(
        ("createdBefore" = Option<String>, Query, format = DateTime,
            description = "Revoke only keys that were created before this time (RFC 3339)"),
    ),
    responses((status = 200, description = "The keys are revoked", body = KeysRevoked)),
)]
pub(in crate::endpoints) async fn revoke_user_api_keys(call: OwnerCall) -> Result<Json<KeysRevoked>, ApiError> {
    let created_before = call.parameters()?.time("createdBefore")?;
    to_the_end(async move {
        let revoked_count = call.api().keys.revoke_all(call.owner(), created_before, &call.origin()).await?;
        Ok(Json(KeysRevoked { revoked_count }))
    })
    .await
}
