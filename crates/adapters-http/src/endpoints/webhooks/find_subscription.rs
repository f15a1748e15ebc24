use actix_web::web::{Data, Json, Path};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::callers::caller::Caller;
use crate::documents::openapi::{ResponsesByStatus, SUBSCRIPTION_ERRORS, error_responses};
use crate::errors::api_error::ApiError;
use crate::records::subscription_record::{HealthRecord, SubscriptionRecord};
use crate::state::State;

/// A subscription and how it fares.
#[derive(Serialize, ToSchema)]
#[schema(as = SubscriptionWithHealth)]
pub(super) struct Answer {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// How it fares.
    health: HealthRecord,
}

/// Shows a webhook subscription and how it fares.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}",
    tag = "Webhook subscriptions",
    operation_id = "findSubscription",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    responses((status = 200, description = "The subscription", body = Answer), Errors),
)]
pub(super) async fn find_subscription(
    caller: Caller,
    state: Data<State>,
    id: Path<String>,
) -> Result<Json<Answer>, ApiError> {
    // A text that is no id of ours names no subscription.
    let id = id.parse().map_err(|_| ApiError::SubscriptionNotFound)?;
    let found = state.api.webhooks.find_subscription(caller.user(), id).await?;
    let found = found.ok_or(ApiError::SubscriptionNotFound)?;
    let subscription = SubscriptionRecord::of(&found.subscription);
    Ok(Json(Answer { subscription, health: HealthRecord::of(&found) }))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(SUBSCRIPTION_ERRORS)
    }
}
