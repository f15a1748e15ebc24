use actix_web::HttpResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::delivery_record::DeliveryRecord;
use crate::records::event_record::EventRecord;

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
    responses((status = 202, description = "The test event is due", body = Answer), Errors),
)]
pub(super) async fn test_subscription(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let id = call.id()?;
    let test = call.api().webhooks.test_subscription(call.owner_to_send_to()?, id).await?;
    let (event, delivery) = (EventRecord::of(&test.event), DeliveryRecord::of(&test.delivery));
    Ok(HttpResponse::Accepted().json(Answer { event, delivery }))
}

documented_errors!(Errors: SubscriptionNotFound, SubscriptionDisabled, TooManyManualSends);
