use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::KeyId;

use crate::callers::identified::IdentifiedUser;
use crate::documents::responses::{CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::hours::hours_of;
use crate::parameters::path_id::PathId;
use crate::records::hours_record::KeyUsageRecord;
use crate::state::State;

/// Shows how often an API key was verified, by the hour.
///
/// The counts are for charts: they are written every few seconds, an instance that is killed loses those of its last
/// seconds, and uses that are counted together count in the hour of the last one. They are kept for 90 days. Requires an
/// ID token; an API key is refused.
#[utoipa::path(
    get,
    path = "/api/api-keys/{keyId}/usage",
    tag = "API keys",
    operation_id = "showKeyUsage",
    security(("idToken" = []), ("idTokenHeader" = [])),
    params(
        ("keyId" = String, Path, description = "The key's id"),
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The verifications of the key", body = KeyUsageRecord), Errors),
)]
pub(super) async fn key_usage(
    state: Data<State>,
    user: IdentifiedUser,
    id: PathId<KeyId>,
    request: HttpRequest,
) -> Result<Json<KeyUsageRecord>, ApiError> {
    let hours = hours_of(request.query_string(), state.api.clock.now())?;
    let usage = state.api.keys.usage(&user.0, id.known()?, hours).await?;
    Ok(Json(KeyUsageRecord::of(hours, &usage.ok_or(ErrorCode::KeyNotFound)?)))
}

documented_errors!(Errors: [CREDENTIAL_ERRORS], InvalidField, KeyNotFound, RateLimited);
