use actix_web::web::Json;
use domain::catalogue::{EventTypeEntry, PutEventType};
use serde_json::Value;
use utoipa::ToSchema;

use crate::bodies::event_type_body::{parse_event_type, parse_flag};
use crate::bodies::fields::Fields;
use crate::bodies::import_body::parse_import;
use crate::callers::operator::OperatorCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::errors::refusals::of_import;
use crate::parameters::path::PathParameters;
use crate::records::event_type_record::{EventTypeRecord, EventTypesRecord, ImportedRecord, WrittenRecord};

/// The largest body, in bytes: a schema and five examples of the largest size, and the rest.
pub(crate) const BODY_BYTES_MAX: usize = 256 * 1024;
/// The largest import, in bytes. A larger catalogue takes several.
const IMPORT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// All settings of an event type. What a call leaves out has its default afterwards.
#[derive(ToSchema)]
#[schema(as = PutEventType)]
#[expect(dead_code, reason = "describes what `parse_event_type` reads")]
struct Body {
    /// A short name for people: one line.
    #[schema(nullable = false, example = "Invoice paid")]
    title: Option<String>,
    /// When the event happens and what it means: Markdown without HTML (`<` before a letter, `/`, `!` or `?`).
    #[schema(nullable = false)]
    description: Option<String>,
    /// The JSON Schema (2020-12) of `data`, of at most 64 KiB. References lead to places of the same schema, by JSON
    /// Pointers. Patterns are linear: without look-around and back-references. It is kept byte for byte.
    #[schema(value_type = Option<Object>, nullable = false, example = json!({"type": "object", "required": ["invoice"]}))]
    schema: Option<Value>,
    /// Examples of `data`, of at most 16 KiB each. Each must follow the schema.
    #[schema(nullable = false, max_items = 5)]
    examples: Option<Vec<Value>>,
    /// The treatment of events whose `data` breaks the schema: `off` (the default) accepts it without a check, `warn`
    /// accepts it with warnings in the answer, and `enforce` refuses it.
    #[schema(nullable = false, example = "enforce")]
    validation: Option<String>,
    /// The readers of the event type: all callers with a credential (`public`, the default), or operators (`hidden`).
    #[schema(nullable = false, example = "public")]
    visibility: Option<String>,
    /// Says that receivers should stop using the type.
    #[schema(nullable = false)]
    deprecated: Option<PutDeprecation>,
    /// Whether the schema may change so that it breaks what was good before. The default is `false`.
    #[schema(nullable = false)]
    force: Option<bool>,
}

/// From when on receivers should stop using a type.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `parse_event_type` reads")]
struct PutDeprecation {
    /// From when on: a time with an offset (RFC 3339).
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    since: String,
    /// The type to use in its place.
    #[schema(nullable = false, example = "invoice.settled")]
    replacement: Option<String>,
}

/// Lists all event types, also hidden and archived ones.
#[utoipa::path(
    get,
    path = "/api/operator/event-types",
    responses((status = 200, description = "The event types", body = EventTypesRecord)),
)]
pub(super) async fn list_all_event_types(call: OperatorCall) -> Result<Json<EventTypesRecord>, ApiError> {
    Ok(Json(EventTypesRecord::of(call.api().catalogue.list().await?.iter())))
}

/// Shows an event type, also a hidden or archived one.
#[utoipa::path(
    get,
    path = "/api/operator/event-types/{name}",
    responses((status = 200, description = "The event type", body = EventTypeRecord), NotFound),
)]
pub(super) async fn find_any_event_type(call: OperatorCall) -> Result<Json<EventTypeRecord>, ApiError> {
    let found = call.api().catalogue.find(&call.event_type()?).await?.ok_or(ErrorCode::EventTypeNotFound)?;
    Ok(Json(EventTypeRecord::of(&found).map_err(not_json)?))
}

/// Creates or changes an event type.
///
/// The body has all settings of the type. The same call twice changes nothing, and an archived type is used again. A
/// change of the schema that breaks what was good before is refused, unless `force` is `true`: a new `required` property,
/// a removed property, a narrowed `type`, `enum` or `const`, and `additionalProperties` that becomes `false`. All instances
/// follow a change within two seconds. A catalogue has at most 1,000 types.
#[utoipa::path(
    put,
    path = "/api/operator/event-types/{name}",
    request_body = Body,
    responses((status = 200, description = "The event type", body = WrittenRecord), PutErrors),
)]
pub(super) async fn put_event_type(mut call: OperatorCall) -> Result<Json<WrittenRecord>, ApiError> {
    let name = PathParameters::of(&call.request).name().unwrap_or_default().to_owned();
    let name = EventTypeEntry::parse_name(&name).map_err(|error| FieldFault::of("name", error));
    let body = call.read_json(BODY_BYTES_MAX).await?;
    let known = call.state().known_names.members_of(&call.request);
    let body = parse_event_type(Fields::parse(&body)?, known, |fields| parse_flag(fields, "force"));
    let ((settings, force), name) = (body?, name?);
    to_the_end(async move {
        let put = PutEventType { name, settings, force };
        let written = call.api().catalogue.put(&put, &call.origin()).await?;
        Ok(Json(WrittenRecord::of(&written).map_err(not_json)?))
    })
    .await
}

/// Event types, or a document that describes them: exactly one of `types` and `openapi`.
#[derive(ToSchema)]
#[schema(as = ImportEventTypes, rename_all = "camelCase", min_properties = 1)]
#[expect(dead_code, reason = "describes what `parse_import` reads")]
struct ImportBody {
    /// The event types, each with all of its settings: what is left out has its default afterwards.
    #[schema(nullable = false, max_items = 1000)]
    types: Option<Vec<NewEventType>>,
    /// An OpenAPI 3.1 document. Each of its `webhooks` is an event type: its `summary` is the title, and its JSON body gives the
    /// schema and the first five examples, of the member `data` if the body has it. `validation` and `visibility` keep their
    /// values.
    #[schema(value_type = Option<Object>, nullable = false)]
    openapi: Option<Value>,
    /// Whether to archive the event types that the body does not have. The default is `false`.
    #[schema(nullable = false)]
    prune: Option<bool>,
    /// Whether schemas may change so that they break what was good before. The default is `false`.
    #[schema(nullable = false)]
    force: Option<bool>,
    /// Whether to say what would change, and change nothing. The default is `false`.
    #[schema(nullable = false)]
    dry_run: Option<bool>,
}

/// An event type of an import. [`add_imported_types`](crate::documents::request_bodies::add_imported_types) adds its other
/// members.
#[derive(ToSchema)]
#[schema(description = "An event type with its name and all of its settings.")]
#[expect(dead_code, reason = "describes what `parse_import` reads")]
struct NewEventType {
    /// The type of the events.
    #[schema(example = "invoice.paid")]
    name: String,
}

/// Makes the catalogue have these event types.
///
/// All types are checked before the first change, by the rules of a change of one type. The same call twice changes nothing.
/// It is not one transaction: after an error 503, repeat the call.
#[utoipa::path(
    post,
    path = "/api/operator/event-types/import",
    request_body = ImportBody,
    responses((status = 200, description = "The changes", body = ImportedRecord), PutErrors),
)]
pub(super) async fn import_event_types(mut call: OperatorCall) -> Result<Json<ImportedRecord>, ApiError> {
    let body = call.read_json(IMPORT_BYTES_MAX).await?;
    let (import, places) = parse_import(&body, call.state().known_names.members_of(&call.request))?;
    to_the_end(async move {
        let changes = call.api().catalogue.import(import, &call.origin()).await;
        Ok(Json(ImportedRecord::of(changes.map_err(|error| of_import(error, &places))?)))
    })
    .await
}

/// Archives an event type.
///
/// Users do not see an archived type, and its events are not checked. With `EVENT_TYPES=closed`, they are refused. The same
/// call twice changes nothing.
#[utoipa::path(
    delete,
    path = "/api/operator/event-types/{name}",
    responses((status = 200, description = "The event type", body = WrittenRecord), NotFound),
)]
pub(super) async fn archive_event_type(call: OperatorCall) -> Result<Json<WrittenRecord>, ApiError> {
    let name = call.event_type()?;
    to_the_end(async move {
        let written = call.api().catalogue.archive(&name, &call.origin()).await?;
        Ok(Json(WrittenRecord::of(&written).map_err(not_json)?))
    })
    .await
}

fn not_json(error: serde_json::Error) -> ApiError {
    ApiError::Internal(error.into())
}

documented_errors!(NotFound: EventTypeNotFound);
documented_errors!(PutErrors: SchemaBreaks, EventTypeLimitReached);
