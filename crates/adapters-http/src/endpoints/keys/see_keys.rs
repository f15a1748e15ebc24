//! The keys of an owner, and their uses.

use actix_web::web::Json;
use domain::ports::UsageRequest;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::hours::hours_of;
use crate::records::hours_record::KeyUsageRecord;
use crate::records::key_record::KeyList;

/// Lists the caller's API keys.
///
/// Returns every active key and the 100 keys that ended last, newest first.
#[utoipa::path(
    get,
    path = "/api/api-keys",
    responses((status = 200, description = "The caller's keys", body = KeyList)),
)]
pub(super) async fn list_api_keys(call: OwnerCall) -> Result<Json<KeyList>, ApiError> {
    Ok(Json(KeyList::of(call.api().keys.list(call.owner()).await?)))
}

/// How often the caller's keys were used, by the day.
#[derive(Serialize, ToSchema)]
pub(super) struct DailyUses {
    /// When the first of the 30 days began. Each has 24 hours, and the last hour of the last day may not be over.
    #[schema(format = DateTime, example = "2026-10-22T02:00:00.000Z")]
    since: String,
    /// The keys, those that were used or made last first.
    keys: Vec<DailyUsesOfKey>,
}

/// How often one key was used.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DailyUsesOfKey {
    /// The key.
    #[schema(example = "key_01h455vb4pex5vsknk084sn02q")]
    key_id: String,
    /// How often the key was found good on each day.
    #[schema(min_items = 30, max_items = 30)]
    days: Vec<u64>,
}

/// Shows how often the caller's active API keys were used in each of the last 30 days.
///
/// At most 25 keys, those that were used or made last. The counts are for charts: see `showKeyUsage`.
#[utoipa::path(
    get,
    path = "/api/api-keys/usage",
    responses((status = 200, description = "The uses of the keys", body = DailyUses)),
)]
pub(super) async fn show_daily_uses(call: OwnerCall) -> Result<Json<DailyUses>, ApiError> {
    let found = call.api().keys.daily_uses(call.owner()).await?;
    let keys = found.keys.iter().map(|(id, days)| DailyUsesOfKey { key_id: id.to_string(), days: days.to_vec() });
    Ok(Json(DailyUses { since: found.since.to_string(), keys: keys.collect() }))
}

/// Shows how often an API key was verified, by the hour.
///
/// The counts are for charts: they are written every few seconds, an instance that is killed loses its last
/// seconds, and uses that are counted together count in the hour of the last one. They are kept for 90 days.
#[utoipa::path(
    get,
    path = "/api/api-keys/{keyId}/usage",
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The verifications of the key", body = KeyUsageRecord), UsageErrors),
)]
pub(super) async fn show_key_usage(call: OwnerCall) -> Result<Json<KeyUsageRecord>, ApiError> {
    let hours = hours_of(&call.parameters()?, call.api().clock.now())?;
    let request = UsageRequest { owner: call.owner().clone(), id: call.id()?, hours };
    let usage = call.api().keys.usage(&request).await?;
    Ok(Json(KeyUsageRecord::of(hours, &usage.ok_or(ErrorCode::KeyNotFound)?)))
}

documented_errors!(UsageErrors: KeyNotFound);
