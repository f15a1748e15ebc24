use actix_web::web::{Data, Json};
use domain::{ApiKey, CreateKey, FullKey, KeyId, Label};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::bodies::fields::Fields;
use crate::callers::identified::IdentifiedRequest;
use crate::documents::openapi::{BODY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::problem::FieldFault;
use crate::records::key_record::{KeyList, KeyRecord};
use crate::state::State;

/// What a new key is to be.
#[derive(ToSchema)]
#[schema(as = CreateApiKey)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// What to call the key: trimmed, 1 to 100 characters, no control characters.
    #[schema(example = "CI deploy", min_length = 1)]
    label: String,
    /// When the key is to end by itself: RFC 3339, in the future.
    #[schema(rename = "expiresAt", format = DateTime)]
    expires_at: Option<String>,
    /// What it may be used for, in the host application's own words: at most 32 scope tokens of RFC 6749.
    #[schema(example = json!(["orders:read"]))]
    scopes: Option<Vec<String>>,
    /// The ID token, where no header carries it.
    #[schema(rename = "idToken")]
    id_token: Option<String>,
}

/// The new key, the only time that it is shown, and the list that it is in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedApiKey)]
pub(super) struct Created {
    /// The full key. It cannot be retrieved again.
    #[schema(example = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O")]
    key: String,
    /// The new key's id.
    #[schema(example = "key_01h455vb4pex5vsknk084sn02q")]
    key_id: String,
    /// The caller's keys, the new one included, newest first.
    keys: Vec<KeyRecord>,
}

/// Creates an API key.
///
/// The full key is in this answer and nowhere else. Takes an ID token, from a header or from the body; an API key is
/// refused.
#[utoipa::path(
    post,
    path = "/api/api-keys",
    tag = "API keys",
    operation_id = "createApiKey",
    security(("idToken" = []), ("idTokenHeader" = [])),
    request_body = Body,
    responses((status = 200, description = "The key is created", body = Created), Errors),
)]
pub(super) async fn create_key(state: Data<State>, request: IdentifiedRequest) -> Result<Json<Created>, ApiError> {
    let created = state.api.keys.create(&request.user, parse(&request.fields)?).await?;
    Ok(Json(Created::of(&created.full_key, created.id, created.keys)))
}

impl Created {
    pub(super) fn of(full_key: &FullKey, id: KeyId, keys: Vec<ApiKey>) -> Self {
        Self { key: full_key.expose().to_owned(), key_id: id.to_string(), keys: KeyList::of(keys).keys }
    }
}

/// Reads all fields before it refuses, so that every fault is told at once.
fn parse(fields: &Fields) -> Result<CreateKey, ApiError> {
    match (label(fields), fields.optional_time("expiresAt"), fields.scopes("scopes")) {
        (Ok(label), Ok(expires_at), Ok(scopes)) => Ok(CreateKey { label, expires_at, scopes }),
        (label, expires_at, scopes) => {
            let faults = [label.err(), expires_at.err(), scopes.err()];
            Err(ApiError::InvalidFields(faults.into_iter().flatten().collect()))
        }
    }
}

fn label(fields: &Fields) -> Result<Label, FieldFault> {
    let text = fields.required_text("label")?;
    Label::parse(text).map_err(|error| FieldFault { field: "label", detail: error.to_string().into() })
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[BODY_ERRORS, &[ErrorCode::ApiKeyLimitReached]].concat())
    }
}
