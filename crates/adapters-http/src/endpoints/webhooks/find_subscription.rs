use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::health_record::HealthRecord;
use crate::records::subscription_record::SubscriptionRecord;

/// A subscription and its health.
#[derive(Serialize, ToSchema)]
#[schema(as = SubscriptionWithHealth)]
pub(super) struct Answer {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// The health of the subscription.
    health: HealthRecord,
}

/// Shows a webhook subscription and its health.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}",
    tag = "Webhook subscriptions",
    operation_id = "findSubscription",
    responses((status = 200, description = "The subscription", body = Answer), Errors),
)]
pub(super) async fn find_subscription(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let found = call.api().webhooks.find_subscription(call.owner(), call.id()?).await?;
    let found = found.ok_or(ErrorCode::SubscriptionNotFound)?;
    let subscription = SubscriptionRecord::of(&found.subscription);
    Ok(Json(Answer { subscription, health: HealthRecord::of(&found) }))
}

documented_errors!(Errors: SubscriptionNotFound);
