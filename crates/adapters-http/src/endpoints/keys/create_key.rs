use actix_web::web::Json;
use domain::CreateKey;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::key_fields::{label, metadata, rate_limit};
use crate::bodies::subscription_fields::required;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::records::key_record::{CreatedKey, metadata_schema};

/// The properties of the new key.
#[derive(ToSchema)]
#[schema(as = CreateApiKey, example = json!({"label": "CI deploy", "scopes": ["orders:read"]}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The name of the key: 1 to 100 characters after trimming, no control characters.
    #[schema(example = "CI deploy", min_length = 1)]
    label: String,
    /// When the key expires: RFC 3339, in the future. Without it the settings of the service decide; by default the key
    /// does not expire.
    #[schema(rename = "expiresAt", format = DateTime)]
    expires_at: Option<String>,
    /// The scopes of the key, as the host application defines them: at most 32 scope tokens (RFC 6749).
    #[schema(example = json!(["orders:read"]))]
    scopes: Option<Vec<String>>,
    /// Pairs for your application, which each verification of the key returns.
    #[schema(schema_with = metadata_schema, required = false)]
    metadata: (),
    /// How often the key may be used, such as `100/s`: a count, and `s`, `m` or `h`. Within the limit of the owner's
    /// keys, if there is one. Without it, that limit holds.
    #[schema(rename = "rateLimit", example = "100/s")]
    rate_limit: Option<String>,
    /// The ID token, if no header carries it.
    #[schema(rename = "idToken")]
    id_token: Option<String>,
}

/// Creates an API key.
///
/// Only this answer contains the full key. A key that a visitor creates has at most the visitor's access to webhooks: see
/// its scopes in the answer.
#[utoipa::path(
    post,
    path = "/api/api-keys",
    request_body = Body,
    responses((status = 200, description = "The key is created", body = CreatedKey), Errors),
)]
pub(super) async fn create_api_key(mut call: OwnerCall) -> Result<Json<CreatedKey>, ApiError> {
    let wish = call.read_body().await?.read(|fields| parse(fields, &call))?;
    let created = call.api().keys.create(call.owner(), wish, &call.origin()).await?;
    Ok(Json(CreatedKey::of(&created.full_key, created.id, created.keys)))
}

fn parse(fields: &Fields, call: &OwnerCall) -> Result<CreateKey, Vec<FieldFault>> {
    let (webhooks_max, created_by) = (call.webhook_access(), call.created_by());
    let label = label(fields).and_then(|label| required("label", label));
    let (expires_at, scopes) = (fields.optional_time("expiresAt"), fields.scopes("scopes"));
    let read = (label, expires_at, scopes, metadata(fields), rate_limit(fields));
    let (label, expires_at, scopes, metadata, rate_limit) = read.together()?;
    Ok(CreateKey { label, expires_at, scopes, webhooks_max, metadata, rate_limit, created_by })
}

documented_errors!(Errors: ApiKeyLimitReached);
