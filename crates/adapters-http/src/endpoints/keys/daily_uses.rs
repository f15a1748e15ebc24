use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;

/// How often the caller's keys were used, by the day.
#[derive(Serialize, ToSchema)]
#[schema(as = DailyUses)]
pub(super) struct Answer {
    /// When the first of the 30 days began. Each has 24 hours, and the last hour of the last day may not be over.
    #[schema(format = DateTime, example = "2026-10-22T02:00:00.000Z")]
    since: String,
    /// The keys, those that were used or made last first.
    keys: Vec<KeyRecord>,
}

/// How often one key was used.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DailyUsesOfKey)]
struct KeyRecord {
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
    tag = "API keys",
    operation_id = "showDailyUses",
    responses((status = 200, description = "The uses of the keys", body = Answer)),
)]
pub(super) async fn daily_uses(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let found = call.api().keys.daily_uses(call.owner()).await?;
    let keys = found.keys.iter().map(|(id, days)| KeyRecord { key_id: id.to_string(), days: days.to_vec() });
    Ok(Json(Answer { since: found.since.to_string(), keys: keys.collect() }))
}
