use std::time::Duration;

use actix_web::web::Json;
use domain::RotateKey;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::key_record::CreatedKey;

/// How to rotate the key.
#[derive(ToSchema)]
#[schema(as = RotateApiKey, example = json!({"overlapSeconds": 3600}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// How many seconds the old key stays valid: 0 to 604,800 (a week).
    #[schema(rename = "overlapSeconds", minimum = 0, default = 0)]
    overlap_seconds: Option<u64>,
    /// The ID token, if no header carries it.
    #[schema(rename = "idToken")]
    id_token: Option<String>,
}

/// Replaces an API key by a new one.
///
/// The old key stays valid until the overlap ends, and does not count against the maximum in that time. Its
/// `replacedBy` is the id of the new key. The new key has the same label, the same scopes and the same lifetime; where
/// keys must expire, the successor of an endless key gets the default lifetime, or the longest.
/// A key is rotated once: if the answer is lost, a repeated call changes nothing and is refused with the id of the new
/// key, which you can rotate instead.
/// A visitor cannot rotate a key with more access to webhooks than the visitor has.
#[utoipa::path(
    post,
    path = "/api/api-keys/{keyId}/rotate",
    request_body = Body,
    responses((status = 200, description = "The key is rotated. The new key", body = CreatedKey), Errors),
)]
pub(super) async fn rotate_api_key(mut call: OwnerCall) -> Result<Json<CreatedKey>, ApiError> {
    let overlap = call.read_body().await?.read(|fields| fields.optional_number("overlapSeconds"))?;
    let overlap = Duration::from_secs(overlap.unwrap_or_default());
    let rotation =
        RotateKey { id: call.id()?, overlap, webhooks_max: call.webhook_access(), created_by: call.created_by() };
    let rotated = call.api().keys.rotate(call.owner(), rotation, &call.origin()).await?;
    Ok(Json(CreatedKey::of(&rotated.full_key, rotated.id, rotated.keys)))
}

documented_errors!(Errors: KeyNotOwned, KeyNotFound, KeyNotRotatable);
