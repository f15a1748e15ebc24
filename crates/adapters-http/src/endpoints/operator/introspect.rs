use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use verifier::VerifiedKey;

use crate::callers::caller::{find_good_key, spend};
use crate::callers::operator_request::OperatorRequest;
use crate::documents::responses::{BODY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;

/// What kind of token it is: one of ours, which no registry knows.
const TOKEN_TYPE: &str = "api_key";
/// Most answers fit into so much.
const USUAL_ANSWER_BYTES: usize = 512;

/// Which key to look at.
#[derive(ToSchema)]
#[schema(as = Introspect)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The full key.
    token: String,
    /// What it must be good for; JSON only.
    #[schema(example = json!(["orders:read"]))]
    scopes: Option<Vec<String>>,
}

/// Which key to look at, as RFC 7662 has it. Further parameters, such as `token_type_hint`, are ignored.
#[derive(ToSchema)]
#[schema(as = IntrospectForm)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Form {
    /// The full key.
    token: String,
}

/// What RFC 7662 says of a token. Nothing but `active` when it is not active.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = Introspection)]
pub(super) struct Answer<'a> {
    /// Whether the key is good now, and has every scope that was asked for.
    active: bool,
    /// The user whose key it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    sub: Option<&'a str>,
    /// The identity provider that knows the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "https://id.example.com")]
    iss: Option<&'a str>,
    /// The key's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "key_01h455vb4pex5vsknk084sn02q")]
    client_id: Option<String>,
    /// `api_key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "api_key")]
    token_type: Option<&'static str>,
    /// When the key was created: seconds since 1970-01-01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    iat: Option<i64>,
    /// When it ends by itself, in the same seconds; absent when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    exp: Option<i64>,
    /// What it may be used for, with spaces between; absent when no scope was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "orders:read orders:write")]
    scope: Option<&'a str>,
    /// What its owner called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "CI deploy")]
    label: Option<&'a str>,
}

/// Tells whether an API key is good, and whose it is (RFC 7662).
///
/// It counts as a use of the key: it is its `lastUsedAt`, and is taken from its allowance. When that is spent, the
/// answer is a 429, whose `Retry-After` is for the bearer of the key. A key that lacks one of the `scopes` that were
/// asked for is answered `{"active":false}`, so that nobody who looks at `active` alone lets it pass; who must tell
/// the two apart leaves `scopes` out and looks at `scope`. When the database cannot be asked, the answer is a 503.
#[utoipa::path(
    post,
    path = "/api/operator/introspect",
    tag = "Operator",
    operation_id = "introspect",
    security(("operatorToken" = [])),
    request_body(content((Body = "application/json"), (Form = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "What the key is", body = Answer<'static>), Errors),
)]
pub(super) async fn introspect(mut call: OperatorRequest) -> Result<HttpResponse, ApiError> {
    let fields = call.read_form_or_fields().await?;
    let (token, required) = (fields.required_text("token")?, fields.scopes("scopes")?);
    let Some(key) = find_good_key(&call.request, token).await? else {
        return respond(&Answer::default());
    };
    spend(&call.request, &key).map_err(ApiError::RateLimited)?;
    respond(&if key.scopes.covers(&required) { Answer::active(&key) } else { Answer::default() })
}

fn respond(answer: &Answer<'_>) -> Result<HttpResponse, ApiError> {
    let mut body = Vec::with_capacity(USUAL_ANSWER_BYTES);
    serde_json::to_writer(&mut body, answer).map_err(|error| ApiError::Internal(error.into()))?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(body))
}

impl<'a> Answer<'a> {
    fn active(key: &'a VerifiedKey) -> Self {
        Self {
            active: true,
            sub: Some(key.owner.subject()),
            iss: Some(key.owner.issuer()),
            client_id: Some(key.id.to_string()),
            token_type: Some(TOKEN_TYPE),
            iat: Some(whole_seconds(key.created_at)),
            exp: key.expires_at.map(whole_seconds),
            scope: (!key.scopes.is_empty()).then(|| key.scopes.as_str()),
            label: Some(key.label.as_str()),
        }
    }
}

/// A `NumericDate` (RFC 7519), rounded down: an `exp` never promises more than there is.
fn whole_seconds(at: Timestamp) -> i64 {
    at.unix_millis().div_euclid(1_000)
}

documented_errors!(Errors: [BODY_ERRORS], RateLimited);
