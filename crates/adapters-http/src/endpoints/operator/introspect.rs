use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use domain::{Scopes, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use verifier::VerifiedKey;

use crate::bodies::fields::Fields;
use crate::callers::credential::find_good_key;
use crate::callers::operator::OperatorCall;
use crate::errors::api_error::{ApiError, Limited};
use crate::errors::field_fault::FieldFault;
use crate::records::key_record::metadata_schema;

/// The `token_type` of an API key. No registry lists this type.
const TOKEN_TYPE: &str = "api_key";
/// The initial size of an answer's buffer. Most answers fit.
const USUAL_ANSWER_BYTES: usize = 512;

/// The key to verify. Unknown members are refused: a misspelt `scopes` would require nothing of the key.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Introspect {
    /// The full key.
    token: String,
    /// The scopes that the key must have. Only in JSON.
    #[schema(example = json!(["orders:read"]))]
    scopes: Option<Vec<String>>,
}

/// The key to verify, as RFC 7662 defines it. Other parameters, such as `token_type_hint`, are ignored.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct IntrospectForm {
    /// The full key.
    token: String,
}

/// The introspection answer of RFC 7662. Contains only `active` when the key is not active.
#[derive(Default, Serialize, ToSchema)]
pub(super) struct Introspection<'a> {
    /// Whether the key is valid now and has every required scope.
    active: bool,
    /// The user who owns the key; absent if an organization does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    sub: Option<&'a str>,
    /// The organization that owns the key; absent if a user does. A key of an organization has no `sub`, so that an
    /// application that knows only users never takes it for a user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    org_id: Option<&'a str>,
    /// The member of the organization who created the key, by the `sub`; absent if no member did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    created_by: Option<&'a str>,
    /// The identity provider of the user or the organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "https://id.example.com")]
    iss: Option<&'a str>,
    /// The key's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    client_id: Option<String>,
    /// Always `api_key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "api_key")]
    token_type: Option<&'static str>,
    /// When the key was created: seconds since 1970-01-01T00:00:00Z.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    iat: Option<i64>,
    /// When the key expires, in the same seconds; absent if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    exp: Option<i64>,
    /// The scopes of the key, separated by spaces; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "orders:read orders:write")]
    scope: Option<&'a str>,
    /// The name that the owner gave the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "CI deploy")]
    label: Option<&'a str>,
    /// Pairs that the application has attached to the key; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = metadata_schema, required = false)]
    metadata: Option<&'a BTreeMap<String, String>>,
}

/// Verifies an API key and returns its owner (RFC 7662).
///
/// The call counts as a use of the key: it sets `lastUsedAt` and counts against the rate limit. When the key is over
/// its rate limit, the answer is a 429, and its `Retry-After` is meant for the bearer of the key. When the key lacks
/// one of the required `scopes`, the answer is `{"active":false}`, so that clients that read only `active` do not let
/// it pass. To distinguish a missing scope from an invalid key, leave out `scopes` and compare `scope`. When the
/// service cannot reach the database, the answer is a 503.
#[utoipa::path(
    post,
    path = "/api/operator/introspect",
    request_body(content((Introspect = "application/json"), (IntrospectForm = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "The state of the key", body = Introspection<'static>)),
)]
pub(super) async fn introspect(mut call: OperatorCall) -> Result<HttpResponse, ApiError> {
    let body = call.read_form_or_body().await?;
    let (token, required) = body.read(parse)?;
    let Some(key) = find_good_key(&call.request, token).await? else {
        return respond(&Introspection::default());
    };
    Limited::Key.check(call.api().verifier.spend(&key))?;
    respond(&if key.scopes.covers(&required) { Introspection::active(&key) } else { Introspection::default() })
}

fn parse(fields: &Fields) -> Result<(&str, Scopes), FieldFault> {
    Ok((fields.required_text("token")?, fields.scopes("scopes")?))
}

fn respond(answer: &Introspection<'_>) -> Result<HttpResponse, ApiError> {
    let mut body = Vec::with_capacity(USUAL_ANSWER_BYTES);
    serde_json::to_writer(&mut body, answer).map_err(|error| ApiError::Internal(error.into()))?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(body))
}

impl<'a> Introspection<'a> {
    fn active(key: &'a VerifiedKey) -> Self {
        Self {
            active: true,
            sub: key.owner.user_id(),
            org_id: key.owner.organization_id(),
            created_by: key.created_by.as_deref(),
            iss: Some(key.owner.provider()),
            client_id: Some(key.id.to_string()),
            token_type: Some(TOKEN_TYPE),
            iat: Some(whole_seconds(key.created_at)),
            exp: key.expires_at.map(whole_seconds),
            scope: (!key.scopes.is_empty()).then(|| key.scopes.as_str()),
            label: Some(key.label.as_str()),
            metadata: (!key.metadata.is_empty()).then(|| key.metadata.pairs()),
        }
    }
}

/// A `NumericDate` (RFC 7519), rounded down, so that `exp` is never later than the real end.
fn whole_seconds(at: Timestamp) -> i64 {
    at.unix_millis().div_euclid(1_000)
}
