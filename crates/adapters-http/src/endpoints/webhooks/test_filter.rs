use actix_web::web::Json;
use domain::webhooks::{FilterVerdict, JsonDocument, PayloadFilter};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, SchemaType, Type};

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::{filter, required};
use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::records::filter_schema::FilterSchema;

/// How much larger a body may be than its event and its filter.
const ENVELOPE_SIZE_BYTES_MAX: usize = 1024;

/// A filter, and an event or its data.
#[derive(ToSchema)]
#[schema(as = TestFilter)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    filter: FilterSchema,
    /// The body that receivers get.
    #[schema(schema_with = event_schema, required = false)]
    event: (),
    /// The `data` of an event without other members. Exactly one of `event` and `data` is required; beside `event`, `null`
    /// counts as absent.
    #[schema(value_type = Value, required = false)]
    data: Value,
}

/// Any object, or `null`.
fn event_schema() -> Schema {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .description(Some("The body that receivers get"))
        .build()
        .into()
}

/// What the filter says about the event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FilterVerdict)]
pub(super) struct Answer {
    /// Whether the event passes.
    passes: bool,
    /// The leaf that was checked last: with it the answer was certain.
    #[schema(example = "filter.all[1]")]
    decided_by: String,
}

/// Tests a filter.
///
/// Says whether an event would pass, and which leaf decided. Nothing is stored or sent.
#[utoipa::path(
    post,
    path = "/api/webhooks/filters/test",
    tag = "Webhook subscriptions",
    operation_id = "testFilter",
    request_body = Body,
    responses((status = 200, description = "Whether the event passes", body = Answer)),
)]
pub(super) async fn test_filter(mut call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let event_bytes_max = call.api().webhooks.policy().max_payload_bytes();
    let body = call.read_body_of(event_bytes_max + PayloadFilter::SIZE_BYTES_MAX + ENVELOPE_SIZE_BYTES_MAX).await?;
    let FilterVerdict { passes, decided_by } = body.read(parse)?;
    Ok(Json(Answer { passes, decided_by }))
}

/// Reads all fields before it fails, so that the error reports every fault at once.
fn parse(fields: &Fields) -> Result<FilterVerdict, ApiError> {
    match (filter(fields).and_then(|filter| required("filter", filter)), event(fields)) {
        (Ok(filter), Ok(event)) => {
            let document = JsonDocument::parse(&event).map_err(|invalid| FieldFault::of("event", invalid))?;
            Ok(filter.decide(&document))
        }
        (filter, event) => Err(ApiError::invalid_fields([filter.err(), event.err()].into_iter().flatten())),
    }
}

/// The JSON of the event.
fn event(fields: &Fields) -> Result<String, FieldFault> {
    let event = fields.text_of_object("event")?;
    match (event, fields.raw("data")) {
        (Some(event), data) if data.is_none() || fields.is_null("data") => Ok(event.to_owned()),
        (None, Some(data)) => Ok(format!(r#"{{"data":{data}}}"#)),
        (Some(_), _) => Err(FieldFault::new("data", "must be absent beside event")),
        (None, None) => Err(FieldFault::new("event", "is required, or data")),
    }
}
