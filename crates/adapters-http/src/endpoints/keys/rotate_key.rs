use std::time::Duration;

use actix_web::web::{Data, Json};
use domain::{KeyId, RotateKey};
use utoipa::ToSchema;

use crate::callers::identified_request::IdentifiedRequest;
use crate::documents::responses::{BODY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::records::created_key::CreatedKey;
use crate::state::State;

/// How to rotate the key.
#[derive(ToSchema)]
#[schema(as = RotateApiKey)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Seconds for which the old key stays good beside the new one: none, up to a week.
    #[schema(rename = "overlapSeconds", minimum = 0, default = 0)]
    overlap_seconds: Option<u64>,
    /// The ID token, where no header carries it.
    #[schema(rename = "idToken")]
    id_token: Option<String>,
}

/// Puts a new API key in the place of an old one.
///
/// The old key names its successor in `replacedBy`, stays good until the overlap ends, and does not count against the
/// maximum meanwhile. The new one has its label, its scopes, and as long to live. Takes an ID token, from a header or
/// from the body; an API key is refused.
#[utoipa::path(
    post,
    path = "/api/api-keys/{keyId}/rotate",
    tag = "API keys",
    operation_id = "rotateApiKey",
    security(("idToken" = []), ("idTokenHeader" = [])),
    params(("keyId" = String, Path, description = "The old key's id")),
    request_body = Body,
    responses((status = 200, description = "The key is rotated: the new one", body = CreatedKey), Errors),
)]
pub(super) async fn rotate_key(
    state: Data<State>,
    request: IdentifiedRequest,
    key_id: PathId<KeyId>,
) -> Result<Json<CreatedKey>, ApiError> {
    let overlap = Duration::from_secs(request.fields.optional_number("overlapSeconds")?.unwrap_or_default());
    let id = key_id.known()?;
    let rotated = state.api.keys.rotate(&request.user, RotateKey { id, overlap }).await?;
    Ok(Json(CreatedKey::of(&rotated.full_key, rotated.id, rotated.keys)))
}

documented_errors!(Errors: [BODY_ERRORS], KeyNotOwned, KeyNotFound, KeyNotRotatable);
