use actix_web::web::Json;
use domain::ports::ListDeliveriesRequest;
use domain::webhooks::{DeliveryFilter, DeliveryStateKind, EventType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::parameters::query::Parameters;
use crate::records::delivery_record::DeliveryRecord;

/// A page of the caller's deliveries.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryPage)]
pub(super) struct Answer {
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
    tag = "Deliveries",
    operation_id = "listDeliveries",
    params(
        ("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription"),
        ("eventType" = Option<String>, Query, description = "Only deliveries of events of this type. Not a pattern"),
        ("state" = Option<String>, Query,
            description = "Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed` or `cancelled`"),
        ("since" = Option<String>, Query, description = "Only events published at this time or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Only events published before this time: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same filters"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
    ),
    responses((status = 200, description = "A page of deliveries", body = Answer)),
)]
pub(super) async fn list_deliveries(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let parameters = call.parameters()?;
    let (filter, before, max) = (filter(&parameters)?, parameters.cursor()?, parameters.limit()?);
    let request = ListDeliveriesRequest { owner: call.owner().clone(), filter, before, max };
    let page = call.api().webhooks.list_deliveries(&request).await?;
    Ok(Json(Answer {
        deliveries: page.deliveries.iter().map(DeliveryRecord::listed).collect(),
        next_cursor: page.next.map(|id| id.to_cursor()),
    }))
}

fn filter(parameters: &Parameters) -> Result<DeliveryFilter, FieldFault> {
    let event_type = |text: &str| EventType::parse(text).ok();
    let states = "must be waiting, sending, delivered, failed or cancelled";
    Ok(DeliveryFilter {
        subscription: parameters.id("subscriptionId", "must be the id of a subscription")?,
        event_type: parameters.read("eventType", event_type, "must be an event type, not a pattern")?,
        state: parameters.read("state", DeliveryStateKind::parse, states)?,
        since: parameters.time("since")?,
        until: parameters.time("until")?,
    })
}
