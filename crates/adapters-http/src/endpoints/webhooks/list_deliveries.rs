use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::webhooks::{DeliveryFilter, DeliveryStateKind, EventType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::caller::Caller;
use crate::documents::responses::{CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::parameters::query::Parameters;
use crate::records::delivery_record::DeliveryRecord;
use crate::state::State;

const PARAMETERS: [&str; 7] = ["subscriptionId", "eventType", "state", "since", "until", "cursor", "limit"];

/// Some of the caller's deliveries.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryPage)]
pub(super) struct Answer {
    /// The deliveries, newest first.
    deliveries: Vec<DeliveryRecord>,
    /// What `cursor` is for the next page; absent when there are no more. A page may be short, even empty, and have a
    /// next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Lists deliveries to the caller's webhook subscriptions, newest first.
///
/// Also those to subscriptions that were deleted. Filters go together. A search for what is rare may answer with a page
/// that is short, or empty, and yet has a `nextCursor`: go on while there is one.
#[utoipa::path(
    get,
    path = "/api/webhooks/deliveries",
    tag = "Deliveries",
    operation_id = "listDeliveries",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(
        ("subscriptionId" = Option<String>, Query, description = "Those to this subscription"),
        ("eventType" = Option<String>, Query, description = "Those of events of this type; no pattern"),
        ("state" = Option<String>, Query,
            description = "Those that stand so: `waiting`, `sending`, `delivered`, `failed` or `cancelled`"),
        ("since" = Option<String>, Query, description = "Those of events published then or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Those of events published before then: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, with the same filters"),
        ("limit" = Option<u32>, Query, description = "How many: 1 to 200, without it 50", minimum = 1, maximum = 200),
    ),
    responses((status = 200, description = "A page of deliveries", body = Answer), Errors),
)]
pub(super) async fn list_deliveries(
    caller: Caller,
    state: Data<State>,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let parameters = Parameters::parse(request.query_string(), &PARAMETERS)?;
    let (filter, before, limit) = (filter(&parameters)?, parameters.cursor()?, parameters.limit()?);
    let page = state.api.webhooks.list_deliveries(caller.user(), &filter, before, limit).await?;
    Ok(Json(Answer {
        deliveries: page.deliveries.iter().map(DeliveryRecord::of).collect(),
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

documented_errors!(Errors: [CREDENTIAL_ERRORS], InvalidField, RateLimited);
