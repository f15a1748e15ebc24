use std::fmt::Write;

use actix_web::web::Query;
use actix_web::{HttpRequest, HttpResponse};
use domain::{Scope, Scopes};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use crate::caller::{find_good_key, spend};
use crate::credentials::{Presented, api_key_in};
use crate::error::ApiError;
use crate::error_code::ErrorCode;
use crate::openapi::{ResponsesByStatus, error_responses};
use crate::problem::FieldFault;

/// Tells a gateway whether to let a request pass.
///
/// Any method is answered alike, and a body is never read. The API key is the caller's, in `x-api-key` or in
/// `Authorization: Bearer`; an ID token is refused. It counts as a use of the key, and is taken from its allowance.
/// `X-Auth-User` is the user's `sub`, in which every byte other than visible ASCII, and the percent sign itself, is
/// percent-encoded. Parameters that are not listed are refused, so that a mistyped `scope` does not open a door.
#[utoipa::path(
    get,
    path = "/forward-auth",
    tag = "Gateways",
    operation_id = "forwardAuth",
    security(("apiKey" = []), ("apiKeyHeader" = [])),
    params(
        ("scope" = Option<Vec<String>>, Query,
            description = "What the key must have been given: repeated, or with spaces between"),
        ("profile" = Option<String>, Query,
            description = "`nginx`: a spent allowance is a 403 with `X-Auth-Status: 429`, because nginx makes a 500 of \
                           that"),
    ),
    responses(
        (
            status = 200,
            description = "Let it pass",
            headers(
                ("x-auth-user" = String, description = "The user's `sub`, percent-encoded"),
                ("x-auth-key-id" = String, description = "The key's id"),
                ("x-auth-scopes" = String, description = "The key's scopes with spaces between; may be empty"),
            ),
        ),
        Errors,
    ),
)]
pub(super) async fn forward_auth(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let presented = match api_key_in(request.headers()) {
        Presented::Nothing => return Err(ApiError::CredentialMissing),
        Presented::Unusable(reason) => return Err(ApiError::CredentialInvalid(reason)),
        Presented::One(presented) => presented,
    };
    let key = find_good_key(&request, presented).await?;
    let key = key.ok_or(ApiError::CredentialInvalid("an API key that is not good"))?;
    let Question { required, is_nginx } = Question::parse(request.query_string())?;
    spend(&request, &key).map_err(if is_nginx { ApiError::RateLimitedForNginx } else { ApiError::RateLimited })?;
    if !key.scopes.covers(&required) {
        return Err(ApiError::InsufficientScope(required));
    }
    Ok(HttpResponse::Ok()
        .insert_header(("x-auth-user", visible(key.owner.subject())))
        .insert_header(("x-auth-key-id", key.id.to_string()))
        .insert_header(("x-auth-scopes", key.scopes.as_str()))
        .finish())
}

/// What the gateway's configuration asks in the query.
struct Question {
    required: Scopes,
    is_nginx: bool,
}

impl Question {
    fn parse(query: &str) -> Result<Self, FieldFault> {
        let fault = |field, detail: &'static str| FieldFault { field, detail: detail.into() };
        let pairs = Query::<Vec<(String, String)>>::from_query(query);
        let pairs = pairs.map_err(|_| fault("query", "must be form-encoded"))?.into_inner();
        let (mut scopes, mut is_nginx) = (Vec::new(), false);
        for (name, value) in &pairs {
            match (name.as_str(), value.as_str()) {
                ("scope", text) => scopes.extend(text.split(' ').map(Scope::parse)),
                ("profile", "nginx") => is_nginx = true,
                ("profile", _) => return Err(fault("profile", "must be nginx, or absent")),
                _ => return Err(fault("query", "must hold nothing but scope and profile")),
            }
        }
        let required = scopes.into_iter().collect::<Result<Vec<Scope>, _>>().and_then(Scopes::new);
        let required = required.map_err(|error| FieldFault { field: "scope", detail: error.to_string().into() })?;
        Ok(Self { required, is_nginx })
    }
}

/// A text as visible ASCII, so that any header can carry it, and no two texts look the same.
fn visible(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut visible, byte| {
        if byte.is_ascii_graphic() && byte != b'%' {
            visible.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(visible, "%{byte:02X}");
        }
        visible
    })
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[
            ErrorCode::CredentialMissing,
            ErrorCode::CredentialInvalid,
            ErrorCode::InvalidField,
            ErrorCode::InsufficientScope,
            ErrorCode::RateLimited,
        ])
    }
}

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
