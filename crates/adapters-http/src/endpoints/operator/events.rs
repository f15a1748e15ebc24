use actix_web::web::Json;
use domain::audit::AuditTarget;
use domain::ports::ListEventsRequest;
use domain::webhooks::{EventFilter, EventType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::operator::{OperatorCall, record_read};
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::Cursor;
use crate::parameters::query::Parameters;
use crate::records::event_record::LoggedEventRecord;

/// A page of events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventPage {
    /// The events, newest first, without their payloads.
    events: Vec<LoggedEventRecord>,
    /// The `cursor` of the next page; absent on the last page. A page that is short or empty may still have a next
    /// page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Lists published events, newest first.
///
/// An event must match all filters. When few events match, a page may be short or empty and still have a `nextCursor`:
/// continue while there is one. The payloads are left out. An owner who is named sees this call in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/events",
    params(
        ("userId" = Option<String>, Query, description = "Only events of this user: the `sub` at the configured issuer"),
        ("organizationId" = Option<String>, Query, description = "Only events of this organization. Either this or `userId`"),
        ("type" = Option<String>, Query, description = "Only events of this type. Not a pattern"),
        ("since" = Option<String>, Query, description = "Only events published at this time or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Only events published before this time: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same filters"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
    ),
    responses((status = 200, description = "A page of events", body = EventPage)),
)]
pub(super) async fn list_events(call: OperatorCall) -> Result<Json<EventPage>, ApiError> {
    let parameters = call.parameters()?;
    let filter = filter(&parameters, &call.api().issuer)?;
    let request = ListEventsRequest { filter, before: parameters.cursor()?, max: parameters.limit()? };
    if let Some(owner) = &request.filter.owner {
        record_read(&call.request, owner, AuditTarget::Events).await?;
    }
    let page = call.api().webhooks.list_events(&request).await?;
    Ok(Json(EventPage {
        events: page.events.iter().map(LoggedEventRecord::of).collect(),
        next_cursor: page.next.map(|id| id.to_cursor()),
    }))
}

fn filter(parameters: &Parameters, issuer: &str) -> Result<EventFilter, FieldFault> {
    let event_type = |text: &str| EventType::parse(text).ok();
    Ok(EventFilter {
        owner: parameters.owner(issuer)?,
        event_type: parameters.read("type", event_type, "must be an event type, not a pattern")?,
        since: parameters.time("since")?,
        until: parameters.time("until")?,
    })
}

/// Shows a published event with its payload.
///
/// An event that no subscription asked for is stored without its payload. The user of the event sees this call in the
/// audit log.
#[utoipa::path(
    get,
    path = "/api/operator/events/{id}",
    responses((status = 200, description = "The event", body = LoggedEventRecord), Errors),
)]
pub(super) async fn find_event(call: OperatorCall) -> Result<Json<LoggedEventRecord>, ApiError> {
    let found = call.api().webhooks.find_event(call.id()?).await?.ok_or(ErrorCode::EventNotFound)?;
    record_read(&call.request, &found.event.owner, AuditTarget::Event(found.event.id)).await?;
    let shown = LoggedEventRecord::with_payload(&found);
    Ok(Json(shown.map_err(|error| ApiError::Internal(format!("a stored payload: {error}").into()))?))
}

documented_errors!(Errors: EventNotFound);
