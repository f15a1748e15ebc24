use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::SubscriptionId;

use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{SUBSCRIPTION_ERRORS, WEBHOOK_CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::hours::hours_of;
use crate::parameters::path_id::PathId;
use crate::records::hours_record::OutcomesRecord;
use crate::state::State;

/// Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour.
///
/// The counts are for charts: they are written every few seconds, and an instance that is killed loses those of its last
/// seconds. They are kept for 90 days. Deleted subscriptions do not count.
#[utoipa::path(
    get,
    path = "/api/webhooks/outcomes",
    tag = "Deliveries",
    operation_id = "showOutcomes",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The outcomes of attempts", body = OutcomesRecord), Errors),
)]
pub(super) async fn outcomes(
    caller: WebhookReader,
    state: Data<State>,
    request: HttpRequest,
) -> Result<Json<OutcomesRecord>, ApiError> {
    show(&caller, &state, None, &request).await
}

documented_errors!(Errors: [WEBHOOK_CREDENTIAL_ERRORS], InvalidField, RateLimited);

/// Shows how attempts at the deliveries to a webhook subscription ended, by the hour.
///
/// See `showOutcomes`.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/outcomes",
    tag = "Webhook subscriptions",
    operation_id = "showSubscriptionOutcomes",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(
        ("id" = String, Path, description = "The subscription's id"),
        ("hours" = Option<u32>, Query, description = "How many hours: 1 to 744 (31 days), default 24"),
        ("until" = Option<String>, Query, description = "A time in the last hour: RFC 3339. Without it the present hour is the last"),
    ),
    responses((status = 200, description = "The outcomes of attempts", body = OutcomesRecord), SubscriptionErrors),
)]
pub(super) async fn subscription_outcomes(
    caller: WebhookReader,
    state: Data<State>,
    id: PathId<SubscriptionId>,
    request: HttpRequest,
) -> Result<Json<OutcomesRecord>, ApiError> {
    show(&caller, &state, Some(id.known()?), &request).await
}

documented_errors!(SubscriptionErrors: [SUBSCRIPTION_ERRORS], InvalidField);

async fn show(
    caller: &WebhookReader,
    state: &State,
    subscription: Option<SubscriptionId>,
    request: &HttpRequest,
) -> Result<Json<OutcomesRecord>, ApiError> {
    let hours = hours_of(request.query_string(), state.api.clock.now())?;
    let outcomes = state.api.webhooks.outcomes(caller.user(), subscription, hours).await?;
    Ok(Json(OutcomesRecord::of(hours, &outcomes.ok_or(ErrorCode::SubscriptionNotFound)?)))
}
