use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::SubscriptionId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::webhook_caller::WebhookWriter;
use crate::documents::responses::{SUBSCRIPTION_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::records::delivery_record::DeliveryRecord;
use crate::records::event_record::EventRecord;
use crate::state::State;

/// A test event and its delivery.
#[derive(Serialize, ToSchema)]
#[schema(as = SubscriptionTest)]
struct Answer {
    /// The event.
    event: EventRecord,
    /// The delivery of the event. Poll it for the result.
    delivery: DeliveryRecord,
}

/// Sends a test event to a webhook subscription.
///
/// The event has the type `webhook.test`. Only this subscription receives it, whatever its event types. It is delivered
/// like any other event, including retries.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/test",
    tag = "Webhook subscriptions",
    operation_id = "testSubscription",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    responses((status = 202, description = "The test event is due", body = Answer), Errors),
)]
pub(super) async fn test_subscription(
    caller: WebhookWriter,
    state: Data<State>,
    id: PathId<SubscriptionId>,
) -> Result<HttpResponse, ApiError> {
    let id = id.known()?;
    state.count_manual_send_of(caller.user())?;
    let test = state.api.webhooks.test_subscription(caller.user(), id).await?;
    let (event, delivery) = (EventRecord::of(&test.event), DeliveryRecord::of(&test.delivery));
    Ok(HttpResponse::Accepted().json(Answer { event, delivery }))
}

documented_errors!(Errors: [SUBSCRIPTION_ERRORS], SubscriptionDisabled, TooManyManualSends);
