use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::identified::IdentifiedUser;
use crate::documents::responses::{CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::state::State;

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
/// At most 25 keys, those that were used or made last. The counts are for charts: see `showKeyUsage`. Requires an ID token;
/// an API key is refused.
#[utoipa::path(
    get,
    path = "/api/api-keys/usage",
    tag = "API keys",
    operation_id = "showDailyUses",
    security(("idToken" = []), ("idTokenHeader" = [])),
    responses((status = 200, description = "The uses of the keys", body = Answer), Errors),
)]
pub(super) async fn daily_uses(state: Data<State>, user: IdentifiedUser) -> Result<Json<Answer>, ApiError> {
    let found = state.api.keys.daily_uses(&user.0).await?;
    let keys = found.keys.iter().map(|(id, days)| KeyRecord { key_id: id.to_string(), days: days.to_vec() });
    Ok(Json(Answer { since: found.since.to_string(), keys: keys.collect() }))
}

documented_errors!(Errors: [CREDENTIAL_ERRORS], RateLimited);
