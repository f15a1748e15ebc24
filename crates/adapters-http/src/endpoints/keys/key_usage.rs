use actix_web::web::Json;
use domain::ports::UsageRequest;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::hours::hours_of;
use crate::records::hours_record::KeyUsageRecord;

/// Shows how often an API key was verified, by the hour.
///
/// The counts are for charts: they are written every few seconds, an instance that is killed loses those of its last
/// seconds, and uses that are counted together count in the hour of the last one. They are kept for 90 days.
#[utoipa::path(
    get,
    path = "/api/api-keys/{keyId}/usage",
    tag = "API keys",
    operation_id = "showKeyUsage",
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The verifications of the key", body = KeyUsageRecord), Errors),
)]
pub(super) async fn key_usage(call: OwnerCall) -> Result<Json<KeyUsageRecord>, ApiError> {
    let hours = hours_of(&call.parameters()?, call.api().clock.now())?;
    let request = UsageRequest { owner: call.owner().clone(), id: call.id()?, hours };
    let usage = call.api().keys.usage(&request).await?;
    Ok(Json(KeyUsageRecord::of(hours, &usage.ok_or(ErrorCode::KeyNotFound)?)))
}

documented_errors!(Errors: KeyNotFound);
