//! Deliveries, as an owner sees and changes them.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::ports::ListDeliveriesRequest;
use domain::webhooks::{DeliveryFilter, DeliveryStateKind, EventType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::parameters::query::Parameters;
use crate::records::attempt_record::AttemptRecord;
use crate::records::delivery_record::{ChangedDelivery, DeliveryRecord};
use crate::records::event_record::EventRecord;

/// A page of the caller's deliveries.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeliveryPage {
    /// The deliveries, newest first.
    deliveries: Vec<DeliveryRecord>,
    /// The `cursor` of the next page; absent on the last page. A page that is short or empty may still have a next
    /// page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Lists deliveries to the caller's webhook subscriptions, newest first.
///
/// Includes deliveries to deleted subscriptions. A delivery must match all filters. When few deliveries match, a page
/// may be short or empty and still have a `nextCursor`: continue while there is one.
#[utoipa::path(
    get,
    path = "/api/webhooks/deliveries",
    params(
        ("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription"),
        ("eventType" = Option<String>, Query, description = "Only deliveries of events of this type. Not a pattern"),
        ("state" = Option<String>, Query,
            description = "Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed`, `cancelled` or \
                `missed`"),
        ("since" = Option<String>, Query, description = "Only events published at this time or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Only events published before this time: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same filters"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
    ),
    responses((status = 200, description = "A page of deliveries", body = DeliveryPage)),
)]
pub(super) async fn list_deliveries(call: OwnerCall) -> Result<Json<DeliveryPage>, ApiError> {
    let parameters = call.parameters()?;
    let (filter, before, max) = (filter(&parameters)?, parameters.cursor()?, parameters.limit()?);
    let request = ListDeliveriesRequest { owner: call.owner().clone(), filter, before, max };
    let page = call.api().webhooks.list_deliveries(&request).await?;
    Ok(Json(DeliveryPage {
        deliveries: page.deliveries.iter().map(DeliveryRecord::listed).collect(),
        next_cursor: page.next.map(|id| id.to_cursor()),
    }))
}

fn filter(parameters: &Parameters) -> Result<DeliveryFilter, FieldFault> {
    let event_type = |text: &str| EventType::parse(text).ok();
    let states = "must be waiting, sending, delivered, failed, cancelled or missed";
    Ok(DeliveryFilter {
        subscription: parameters.id("subscriptionId", "must be the id of a subscription")?,
        event_type: parameters.read("eventType", event_type, "must be an event type, not a pattern")?,
        state: parameters.read("state", DeliveryStateKind::parse, states)?,
        since: parameters.time("since")?,
        until: parameters.time("until")?,
    })
}

/// A delivery with its event and its attempts.
#[derive(Serialize, ToSchema)]
pub(super) struct DeliveryHistory {
    /// The delivery.
    delivery: DeliveryRecord,
    /// The event, including the body that is sent.
    event: EventRecord,
    /// The attempts that have ended, oldest first. Only the last 100, if there are more.
    attempts: Vec<AttemptRecord>,
}

/// Shows a delivery, its event and the result of each attempt.
#[utoipa::path(
    get,
    path = "/api/webhooks/deliveries/{id}",
    responses((status = 200, description = "The delivery", body = DeliveryHistory), UnknownDelivery),
)]
pub(super) async fn find_delivery(call: OwnerCall) -> Result<Json<DeliveryHistory>, ApiError> {
    let found = call.api().webhooks.find_delivery(call.owner(), call.id()?).await?;
    let found = found.ok_or(ErrorCode::DeliveryNotFound)?;
    let event = EventRecord::with_payload(&found.event);
    let event = event.map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))?;
    Ok(Json(DeliveryHistory {
        delivery: DeliveryRecord::of(&found.delivery),
        event,
        attempts: found.attempts.iter().map(AttemptRecord::with_response).collect(),
    }))
}

documented_errors!(UnknownDelivery: DeliveryNotFound);

/// Retries a delivery now.
///
/// The delivery is due now, in whatever state it was, and starts the retry schedule again. A delivery that is being
/// sent does not change.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/retry",
    responses((status = 202, description = "The delivery is due", body = ChangedDelivery), RetryErrors),
)]
pub(super) async fn retry_delivery(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let id = call.id()?;
    let delivery = call.api().webhooks.retry_delivery(call.owner_to_send_to()?, id, &call.origin()).await?;
    Ok(HttpResponse::Accepted().json(ChangedDelivery::of(&delivery)))
}

documented_errors!(RetryErrors: DeliveryNotFound, SubscriptionDisabled, EventTooOld, TooManyManualSends);

/// Cancels a delivery.
///
/// A delivery that has ended does not change. An attempt that is in progress may still arrive.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/cancel",
    responses((status = 200, description = "The delivery has ended", body = ChangedDelivery), UnknownDelivery),
)]
pub(super) async fn cancel_delivery(call: OwnerCall) -> Result<Json<ChangedDelivery>, ApiError> {
    let delivery = call.api().webhooks.cancel_delivery(call.owner(), call.id()?, &call.origin()).await?;
    Ok(Json(ChangedDelivery::of(&delivery.ok_or(ErrorCode::DeliveryNotFound)?)))
}
