use actix_web::web::{Data, Json};
use domain::{SubscriptionId, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{SUBSCRIPTION_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path_id::PathId;
use crate::records::health_record::HealthRecord;
use crate::records::subscription_record::SubscriptionRecord;
use crate::state::State;

/// A subscription and its health.
#[derive(Serialize, ToSchema)]
#[schema(as = SubscriptionWithHealth)]
pub(in crate::endpoints) struct Answer {
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
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    responses((status = 200, description = "The subscription", body = Answer), Errors),
)]
pub(super) async fn find_subscription(
    caller: WebhookReader,
    state: Data<State>,
    id: PathId<SubscriptionId>,
) -> Result<Json<Answer>, ApiError> {
    answer(&state, caller.user(), id.known()?).await
}

/// The subscription of this owner.
pub(in crate::endpoints) async fn answer(
    state: &State,
    owner: &UserId,
    id: SubscriptionId,
) -> Result<Json<Answer>, ApiError> {
    let found = state.api.webhooks.find_subscription(owner, id).await?;
    let found = found.ok_or(ErrorCode::SubscriptionNotFound)?;
    let subscription = SubscriptionRecord::of(&found.subscription);
    Ok(Json(Answer { subscription, health: HealthRecord::of(&found) }))
}

documented_errors!(Errors: [SUBSCRIPTION_ERRORS]);
