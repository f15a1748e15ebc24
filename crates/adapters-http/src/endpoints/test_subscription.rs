use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::api::State;
use crate::caller::Caller;
use crate::delivery_record::DeliveryRecord;
use crate::error::ApiError;
use crate::error_code::ErrorCode;
use crate::event_record::EventRecord;
use crate::openapi::{ResponsesByStatus, SUBSCRIPTION_ERRORS, error_responses};

/// A test on its way.
#[derive(Serialize, ToSchema)]
#[schema(as = SubscriptionTest)]
struct Answer {
    /// The event.
    event: EventRecord,
    /// Its delivery: look there for what comes of it.
    delivery: DeliveryRecord,
}

/// Sends a test event to a webhook subscription.
///
/// Its type is `webhook.test`, and it goes to this subscription alone, whatever that asks for. It is delivered like any
/// other, retries included.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/test",
    tag = "Webhook subscriptions",
    operation_id = "testSubscription",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    responses((status = 202, description = "The test is on its way", body = Answer), Errors),
)]
pub(super) async fn test_subscription(
    caller: Caller,
    state: Data<State>,
    id: Path<String>,
) -> Result<HttpResponse, ApiError> {
    // A text that is no id of ours names no subscription.
    let id = id.parse().map_err(|_| ApiError::SubscriptionNotFound)?;
    let test = state.api.webhooks.test_subscription(caller.user(), id).await?;
    let (event, delivery) = (EventRecord::of(&test.event), DeliveryRecord::of(&test.delivery));
    Ok(HttpResponse::Accepted().json(Answer { event, delivery }))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[SUBSCRIPTION_ERRORS, &[ErrorCode::SubscriptionDisabled]].concat())
    }
}
