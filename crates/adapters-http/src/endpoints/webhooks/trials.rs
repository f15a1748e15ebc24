//! Tests of subscriptions, URLs and filters.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::webhooks::{FilterVerdict, JsonDocument, OptionsChange, PayloadFilter, SigningSecret, TargetUrl, Webhooks};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, SchemaType, Type};

use crate::bodies::fields::Fields;
use crate::bodies::option_fields::{auth_schema, client_certificate_schema, headers_schema, request_options};
use crate::bodies::subscription_fields::{filter, required, secret, url};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::records::attempt_record::AttemptRecord;
use crate::records::delivery_record::DeliveryRecord;
use crate::records::event_record::EventRecord;
use crate::records::filter_schema::FilterSchema;

/// A test event and its delivery.
#[derive(Serialize, ToSchema)]
struct SubscriptionTest {
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
    responses((status = 202, description = "The test event is due", body = SubscriptionTest), TestSubscriptionErrors),
)]
pub(super) async fn test_subscription(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let id = call.id()?;
    let test = call.api().webhooks.test_subscription(call.owner_to_send_to()?, id).await?;
    let (event, delivery) = (EventRecord::of(&test.event), DeliveryRecord::of(&test.delivery));
    Ok(HttpResponse::Accepted().json(SubscriptionTest { event, delivery }))
}

documented_errors!(TestSubscriptionErrors: SubscriptionNotFound, SubscriptionDisabled, SubscriptionPulled, TooManyManualSends);

/// The URL to test.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct TestUrl {
    /// Where to send the event: the same rules as for the URL of a subscription.
    #[schema(example = "https://example.com/hooks")]
    url: String,
    /// The secret that signs the request, as for a subscription. Without it the service makes one for this test, so that
    /// a receiver that checks signatures refuses the event.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1)]
    secret: Option<String>,
    /// Headers of the request, as those of a subscription.
    #[schema(schema_with = headers_schema, required = false)]
    headers: (),
    /// The authentication of the request, as that of a subscription.
    #[schema(schema_with = auth_schema, required = false)]
    auth: (),
    /// The client certificate of the connection, as that of a subscription.
    #[schema(schema_with = client_certificate_schema, required = false)]
    client_certificate: (),
}

/// A test of a URL.
#[derive(Serialize, ToSchema)]
pub(super) struct UrlTest {
    /// The event. It is not stored.
    event: EventRecord,
    /// The attempt to send the event, with the start of the answer.
    attempt: AttemptRecord,
}

/// Sends a test event to a URL, without a subscription.
///
/// Sends one signed event of the type `webhook.test`, waits up to 10 seconds for the answer of the receiver, and shows it.
/// Nothing is stored and nothing is retried. An answer 200 says that the test was made; `attempt` says how it ended.
#[utoipa::path(
    post,
    path = "/api/webhooks/test",
    request_body = TestUrl,
    responses((status = 200, description = "How the test ended", body = UrlTest), TestUrlErrors),
)]
pub(super) async fn test_url(mut call: OwnerCall) -> Result<Json<UrlTest>, ApiError> {
    let body = call.read_body().await?;
    let webhooks = &call.api().webhooks;
    let (url, secret, options) = body.read(|fields| parse_url_test(fields, webhooks))?;
    let test = webhooks.test_url(call.owner_to_send_to()?, url, secret, &options).await?;
    let (event, attempt) = (EventRecord::of(&test.event), AttemptRecord::with_response(&test.attempt));
    Ok(Json(UrlTest { event, attempt }))
}

type Wish = (TargetUrl, Option<SigningSecret>, OptionsChange);

fn parse_url_test(fields: &Fields, webhooks: &Webhooks) -> Result<Wish, ApiError> {
    let url = url(fields, webhooks).and_then(|url| required("url", url));
    Ok((url, secret(fields), request_options(fields, webhooks)).together()?)
}

documented_errors!(TestUrlErrors: TooManyManualSends, TestNotSent);

/// How much larger a body may be than its event and its filter.
const ENVELOPE_SIZE_BYTES_MAX: usize = 1024;

/// A filter, and an event or its data.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct TestFilter {
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
pub(super) struct FilterAnswer {
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
    request_body = TestFilter,
    responses((status = 200, description = "Whether the event passes", body = FilterAnswer)),
)]
pub(super) async fn test_filter(mut call: OwnerCall) -> Result<Json<FilterAnswer>, ApiError> {
    let event_bytes_max = call.api().webhooks.policy().max_payload_bytes();
    let body = call.read_body_of(event_bytes_max + PayloadFilter::SIZE_BYTES_MAX + ENVELOPE_SIZE_BYTES_MAX).await?;
    let FilterVerdict { passes, decided_by } = body.read(parse_filter_test)?;
    Ok(Json(FilterAnswer { passes, decided_by }))
}

fn parse_filter_test(fields: &Fields) -> Result<FilterVerdict, ApiError> {
    let filter = filter(fields).and_then(|filter| required("filter", filter));
    let (filter, event) = (filter, event(fields)).together()?;
    let document = JsonDocument::parse(&event).map_err(|invalid| FieldFault::of("event", invalid))?;
    Ok(filter.decide(&document))
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
