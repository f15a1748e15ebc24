use actix_web::HttpResponse;

use super::catalogue_document::document_of;
use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;

/// Exports the types of events as an OpenAPI document.
///
/// An OpenAPI 3.1 document whose `webhooks` are the event types, with the schemas of their payloads, from which tools
/// generate the types of a receiver. Hidden and archived types are left out.
#[utoipa::path(
    get,
    path = "/api/event-types/openapi.json",
    tag = "Event types",
    operation_id = "exportEventTypes",
    responses((status = 200, description = "The document", body = serde_json::Value, content_type = "application/json")),
)]
pub(super) async fn export_event_types(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let entries = call.api().catalogue.list().await?;
    Ok(HttpResponse::Ok().json(document_of(entries.iter().filter(|entry| entry.is_public()))))
}
