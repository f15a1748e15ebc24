use std::time::Duration;

use actix_web::web::{Data, Json, Path};
use domain::RotateKey;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use super::create_key::Created;
use crate::callers::identified::IdentifiedRequest;
use crate::documents::openapi::{BODY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// How to rotate the key.
#[derive(ToSchema)]
#[schema(as = RotateApiKey)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Seconds for which the old key stays good beside the new one: none, up to a week.
    #[schema(rename = "overlapSeconds", minimum = 0, maximum = 604_800, default = 0)]
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
    responses((status = 200, description = "The key is rotated: the new one", body = Created), Errors),
)]
pub(super) async fn rotate_key(
    state: Data<State>,
    request: IdentifiedRequest,
    key_id: Path<String>,
) -> Result<Json<Created>, ApiError> {
    let overlap = Duration::from_secs(request.fields.optional_number("overlapSeconds")?.unwrap_or_default());
    // A text that is no id of ours names no key.
    let id = key_id.parse().map_err(|_| ApiError::KeyNotFound)?;
    let rotated = state.api.keys.rotate(&request.user, RotateKey { id, overlap }).await?;
    Ok(Json(Created::of(&rotated.full_key, rotated.id, rotated.keys)))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        let codes = [ErrorCode::KeyNotOwned, ErrorCode::KeyNotFound, ErrorCode::KeyNotRotatable];
        error_responses(&[BODY_ERRORS, &codes].concat())
    }
}
