use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::KeyId;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::boundary::exchange::origin_of;
use crate::callers::identified::IdentifiedRequest;
use crate::documents::responses::{BODY_ERRORS, CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::records::key_record::KeyList;
use crate::state::State;

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
/// The service refuses the key from now on. Revoking a revoked key succeeds and changes nothing. Requires an ID token,
/// in a header or in the body; an API key is refused.
#[utoipa::path(
    delete,
    path = "/api/api-keys",
    tag = "API keys",
    operation_id = "revokeApiKey",
    security(("idToken" = []), ("idTokenHeader" = [])),
    request_body = Body,
    responses((status = 200, description = "The key is revoked. The caller's keys", body = KeyList), Errors),
)]
pub(super) async fn revoke_key(
    state: Data<State>,
    request: IdentifiedRequest,
    head: HttpRequest,
) -> Result<Json<KeyList>, ApiError> {
    let origin = origin_of(&head);
    let id = request.body.read(key_id)?;
    Ok(Json(KeyList::of(state.api.keys.revoke(&request.user, id, &origin).await?)))
}

/// A string that is not a valid id gets the same answer as an unknown id.
fn key_id(fields: &Fields) -> Result<KeyId, ApiError> {
    let text = fields.required_text("keyId")?;
    if text.trim().is_empty() {
        return Err(FieldFault::new("keyId", "must not be empty").into());
    }
    text.parse().map_err(|_| ErrorCode::KeyNotFound.into())
}

documented_errors!(Errors: [CREDENTIAL_ERRORS, BODY_ERRORS], KeyNotOwned, KeyNotFound, RateLimited);
