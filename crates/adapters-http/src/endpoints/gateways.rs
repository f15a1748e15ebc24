//! Endpoints that gateways call about a request.
//!
//! See `docs/gateways/README.md`.

use std::fmt::Write;

use actix_web::http::header::HeaderName;
use actix_web::{HttpRequest, HttpResponse};
use domain::{Metadata, OwnerKind, Scope, Scopes};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response, ResponseBuilder};

use crate::callers::credential::find_good_key;
use crate::credentials::headers::api_key_in;
use crate::documents::responses::{ResponsesByStatus, documented_errors, error_responses, header};
use crate::errors::api_error::{ApiError, Invalid, Limited};
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::path::RESERVED;
use crate::parameters::query::pairs_of;
use crate::state::State;

endpoints! {
    forward_auth,
    forward_auth_of_path,
}

const X_AUTH_USER: HeaderName = HeaderName::from_static("x-auth-user");
const X_AUTH_ORGANIZATION: HeaderName = HeaderName::from_static("x-auth-organization");
const X_AUTH_KEY_ID: HeaderName = HeaderName::from_static("x-auth-key-id");
const X_AUTH_SCOPES: HeaderName = HeaderName::from_static("x-auth-scopes");
const X_AUTH_METADATA: HeaderName = HeaderName::from_static("x-auth-metadata");

/// Decides for a gateway whether a request may pass.
///
/// All methods get the same answer, and the body is never read. The request carries the caller's API key in `x-api-key`
/// or in `Authorization: Bearer`; an ID token is refused. The call counts as a use of the key, and counts against its
/// rate limit. `X-Auth-User` is the user's `sub`; a key of an organization has `X-Auth-Organization` instead. Percent signs
/// and all bytes that are not visible ASCII are percent-encoded in both. Unknown parameters are refused, so that a mistyped `scope` never lets a request pass.
#[utoipa::path(
    get,
    path = "/forward-auth",
    security(("apiKey" = []), ("apiKeyHeader" = [])),
    params(
        ("scope" = Option<Vec<String>>, Query,
            description = "The scopes that the key must have. Repeat the parameter, or separate scopes by spaces"),
        ("profile" = Option<String>, Query,
            description = "`nginx`: a key over its rate limit gets a 403 with `X-Auth-Status: 429`, because nginx \
                           turns a 429 into a 500"),
    ),
    responses(Passed, Errors),
)]
pub(super) async fn forward_auth(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    answer(&request, || Question::parse(request.query_string())).await
}

/// Decides the same for a gateway that appends the path of the request, like Envoy with its `path_prefix`.
///
/// All methods get the same answer. The path after `/forward-auth/` and the query belong to the caller's request and
/// are ignored. This path cannot require scopes.
#[utoipa::path(
    get,
    path = "/forward-auth/{tail}",
    security(("apiKey" = []), ("apiKeyHeader" = [])),
    params(("tail" = String, Path, description = "The path of the caller's request, including slashes; ignored")),
    responses(Passed, ErrorsOfPath),
)]
pub(super) async fn forward_auth_of_path(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    answer(&request, || Ok(Question::default())).await
}

/// Parses the question only after the key is verified: without a valid key, every request gets a 401.
async fn answer(
    request: &HttpRequest,
    question: impl FnOnce() -> Result<Question, FieldFault>,
) -> Result<HttpResponse, ApiError> {
    let key = find_good_key(request, api_key_in(request.headers()).required()?).await?;
    let key = key.ok_or(ApiError::CredentialInvalid(Invalid::ApiKey, "an API key that is not valid"))?;
    let Question { required, is_nginx } = question()?;
    let limited = if is_nginx { Limited::KeyForNginx } else { Limited::Key };
    limited.check(State::of(request).api.verifier.spend(&key))?;
    if !key.scopes.covers(&required) {
        return Err(ApiError::InsufficientScope(required));
    }
    let names = &State::of(request).settings.forward_metadata;
    let metadata = (!names.is_empty()).then(|| (X_AUTH_METADATA, form_of(&key.metadata, names)));
    let mut passed = HttpResponse::Ok();
    if let Some(header) = metadata {
        passed.insert_header(header);
    }
    Ok(passed
        .insert_header((owner_header(key.owner.kind()), visible(key.owner.subject())))
        .insert_header((X_AUTH_KEY_ID, key.id.to_string()))
        .insert_header((X_AUTH_SCOPES, key.scopes.as_str()))
        .finish())
}

/// The header that names the owner. A key of an organization has no `X-Auth-User`, so that an application that knows only
/// users never takes it for a user's. See decision 124.
fn owner_header(kind: OwnerKind) -> HeaderName {
    match kind {
        OwnerKind::User => X_AUTH_USER,
        OwnerKind::Organization => X_AUTH_ORGANIZATION,
    }
}

/// The query, which the configuration of the gateway sets.
#[derive(Default)]
struct Question {
    required: Scopes,
    is_nginx: bool,
}

impl Question {
    fn parse(query: &str) -> Result<Self, FieldFault> {
        let (mut scopes, mut is_nginx) = (Vec::new(), false);
        for (name, value) in pairs_of(query)? {
            match (name.as_str(), value.as_str()) {
                ("scope", text) => scopes.extend(text.split(' ').map(Scope::parse)),
                ("profile", "nginx") => is_nginx = true,
                ("profile", _) => return Err(FieldFault::new("profile", "must be nginx, or absent")),
                _ => return Err(FieldFault::new("query", "may only contain scope and profile")),
            }
        }
        let required = scopes.into_iter().collect::<Result<Vec<Scope>, _>>().and_then(Scopes::new);
        let required = required.map_err(|error| FieldFault::of("scope", error))?;
        Ok(Self { required, is_nginx })
    }
}

/// The metadata with these names, in the form of a query: any language has a parser for it.
fn form_of(metadata: &Metadata, names: &[String]) -> String {
    let pairs = metadata.pairs().iter().filter(|(name, _)| names.contains(name));
    let encoded = pairs.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, RESERVED)));
    encoded.collect::<Vec<_>>().join("&")
}

/// The ASCII bytes that are not visible, and the percent sign.
const INVISIBLE: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// Encodes a string as visible ASCII. Any header can carry the result, and different strings stay different.
fn visible(text: &str) -> String {
    utf8_percent_encode(text, INVISIBLE).to_string()
}

struct Passed;

impl IntoResponses for Passed {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        let response = ResponseBuilder::new()
            .description("The request may pass")
            .header("x-auth-user", header("The user's `sub`, percent-encoded. Absent if an organization owns the key"))
            .header(
                "x-auth-organization",
                header("The organization's id, percent-encoded. Absent if a user owns the key"),
            )
            .header("x-auth-key-id", header("The key's id"))
            .header("x-auth-scopes", header("The key's scopes, separated by spaces; may be empty"))
            .header("x-auth-metadata", header("The metadata of the key that `FORWARD_METADATA` names, form-encoded"));
        [("200".to_owned(), response.build().into())].into()
    }
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        let mut responses = error_responses(&[
            ErrorCode::CredentialMissing,
            ErrorCode::CredentialInvalid,
            ErrorCode::InvalidField,
            ErrorCode::InsufficientScope,
            ErrorCode::RateLimited,
        ]);
        let Some(RefOr::T(forbidden)) = responses.get_mut("403") else { return responses };
        let _ = write!(forbidden.description, ". With `profile=nginx` also `rate_limited`");
        let status =
            header("With `profile=nginx`: `429` when the key is over its rate limit. `Retry-After` is then set too");
        forbidden.headers.insert("x-auth-status".to_owned(), status.into());
        responses
    }
}

documented_errors!(ErrorsOfPath: CredentialMissing, CredentialInvalid, RateLimited);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_subject_is_visible_and_stays_what_it_is() {
        assert_eq!(visible("auth0|a@b.example"), "auth0|a@b.example");
        assert_eq!(visible("Zoë B"), "Zo%C3%AB%20B");
        assert_eq!(visible("Zo%C3%AB"), "Zo%25C3%25AB");
    }

    #[test]
    fn metadata_is_a_form() {
        let pairs = [("plan", "pro & more"), ("note", "50%=é"), ("secret", "x")];
        let metadata = Metadata::new(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()).unwrap();
        let names = ["note", "plan", "absent"].map(str::to_owned);
        assert_eq!(form_of(&metadata, &names), "note=50%25%3D%C3%A9&plan=pro%20%26%20more");
        assert_eq!(form_of(&metadata, &[]), "");
    }

    #[test]
    fn a_question_is_understood_or_refused() {
        let required = |query: &str| Question::parse(query).map(|question| question.required.to_string());
        for (query, scopes) in [
            ("", ""),
            ("scope=a", "a"),
            ("scope=b&scope=a", "a b"),
            ("scope=b%20a+c", "a b c"),
            ("profile=nginx&scope=a", "a"),
        ] {
            assert_eq!(required(query).unwrap(), scopes, "{query}");
        }
        for wrong in ["scope=", "scope", "scope=a++b", "scope=%22", "scopes=a", "profile=", "profile=traefik"] {
            assert!(required(wrong).is_err(), "{wrong}");
        }
        assert!(Question::parse("profile=nginx").unwrap().is_nginx);
        assert!(!Question::parse("").unwrap().is_nginx);
    }
}
