use actix_web::web::Json;
use domain::SubscriptionId;
use domain::ports::OutcomesRequest;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::hours::hours_of;
use crate::records::hours_record::OutcomesRecord;

/// Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour.
///
/// The counts are for charts: they are written every few seconds, and an instance that is killed loses those of its last
/// seconds. They are kept for 90 days. Deleted subscriptions do not count.
#[utoipa::path(
    get,
    path = "/api/webhooks/outcomes",
    tag = "Deliveries",
    operation_id = "showOutcomes",
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The outcomes of attempts", body = OutcomesRecord)),
)]
pub(super) async fn outcomes(call: OwnerCall) -> Result<Json<OutcomesRecord>, ApiError> {
    show(&call, None).await
}

/// Shows how attempts at the deliveries to a webhook subscription ended, by the hour.
///
/// See `showOutcomes`.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/outcomes",
    tag = "Webhook subscriptions",
    operation_id = "showSubscriptionOutcomes",
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The outcomes of attempts", body = OutcomesRecord), SubscriptionErrors),
)]
pub(super) async fn subscription_outcomes(call: OwnerCall) -> Result<Json<OutcomesRecord>, ApiError> {
    show(&call, Some(call.id()?)).await
}

documented_errors!(SubscriptionErrors: SubscriptionNotFound);

async fn show(call: &OwnerCall, subscription: Option<SubscriptionId>) -> Result<Json<OutcomesRecord>, ApiError> {
    let hours = hours_of(&call.parameters()?, call.api().clock.now())?;
    let request = OutcomesRequest { owner: call.owner().clone(), subscription, hours };
    let outcomes = call.api().webhooks.outcomes(&request).await?;
    Ok(Json(OutcomesRecord::of(hours, &outcomes.ok_or(ErrorCode::SubscriptionNotFound)?)))
}
