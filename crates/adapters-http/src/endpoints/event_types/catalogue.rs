use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::catalogue::EventTypeEntry;

use super::catalogue_document::document_of;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::event_type_record::{EventTypeRecord, EventTypesRecord};

/// Lists the types of events that webhooks have.
///
/// Hidden and archived types are left out.
#[utoipa::path(
    get,
    path = "/api/event-types",
    responses((status = 200, description = "The event types", body = EventTypesRecord)),
)]
pub(super) async fn list_event_types(call: OwnerCall) -> Result<Json<EventTypesRecord>, ApiError> {
    let entries = call.api().catalogue.list().await?;
    Ok(Json(EventTypesRecord::of(entries.iter().filter(|entry| entry.is_public()))))
}

/// Shows a type of events with its schema and examples.
///
/// The answer about a hidden or archived type is the same as about a type that does not exist.
#[utoipa::path(
    get,
    path = "/api/event-types/{name}",
    responses((status = 200, description = "The event type", body = EventTypeRecord), Errors),
)]
pub(super) async fn find_event_type(call: OwnerCall) -> Result<Json<EventTypeRecord>, ApiError> {
    let found = call.api().catalogue.find(&call.event_type()?).await?.filter(EventTypeEntry::is_public);
    let found = found.ok_or(ErrorCode::EventTypeNotFound)?;
    Ok(Json(EventTypeRecord::of(&found).map_err(|error| ApiError::Internal(error.into()))?))
}

/// Exports the types of events as an OpenAPI document.
///
/// An OpenAPI 3.1 document whose `webhooks` are the event types, with the schemas of their payloads, from which tools
/// generate the types of a receiver. Hidden and archived types are left out.
#[utoipa::path(
    get,
    path = "/api/event-types/openapi.json",
    responses((status = 200, description = "The document", body = serde_json::Value, content_type = "application/json")),
)]
pub(super) async fn export_event_types(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let entries = call.api().catalogue.list().await?;
    Ok(HttpResponse::Ok().json(document_of(entries.iter().filter(|entry| entry.is_public()))))
}

documented_errors!(Errors: EventTypeNotFound);
