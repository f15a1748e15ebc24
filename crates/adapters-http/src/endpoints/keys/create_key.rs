use actix_web::web::Json;
use domain::{CreateKey, Label, WebhookAccess};
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::records::key_record::CreatedKey;

/// The properties of the new key.
#[derive(ToSchema)]
#[schema(as = CreateApiKey, example = json!({"label": "CI deploy", "scopes": ["orders:read"]}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The name of the key: 1 to 100 characters after trimming, no control characters.
    #[schema(example = "CI deploy", min_length = 1)]
    label: String,
    /// When the key expires: RFC 3339, in the future. Without it the key does not expire.
    #[schema(rename = "expiresAt", format = DateTime)]
    expires_at: Option<String>,
    /// The scopes of the key, as the host application defines them: at most 32 scope tokens (RFC 6749).
    #[schema(example = json!(["orders:read"]))]
    scopes: Option<Vec<String>>,
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
    tag = "API keys",
    operation_id = "createApiKey",
    request_body = Body,
    responses((status = 200, description = "The key is created", body = CreatedKey), Errors),
)]
pub(super) async fn create_key(mut call: OwnerCall) -> Result<Json<CreatedKey>, ApiError> {
    let wish = call.read_body().await?.read(|fields| parse(fields, call.webhook_access()))?;
    let created = call.api().keys.create(call.owner(), wish, &call.origin()).await?;
    Ok(Json(CreatedKey::of(&created.full_key, created.id, created.keys)))
}

/// Reads all fields before it fails, so that the error reports every fault at once.
fn parse(fields: &Fields, webhooks_max: Option<WebhookAccess>) -> Result<CreateKey, ApiError> {
    match (label(fields), fields.optional_time("expiresAt"), fields.scopes("scopes")) {
        (Ok(label), Ok(expires_at), Ok(scopes)) => Ok(CreateKey { label, expires_at, scopes, webhooks_max }),
        (label, expires_at, scopes) => {
            let faults = [label.err(), expires_at.err(), scopes.err()];
            Err(ApiError::invalid_fields(faults.into_iter().flatten()))
        }
    }
}

fn label(fields: &Fields) -> Result<Label, FieldFault> {
    let text = fields.required_text("label")?;
    Label::parse(text).map_err(|error| FieldFault::of("label", error))
}

documented_errors!(Errors: ApiKeyLimitReached);
