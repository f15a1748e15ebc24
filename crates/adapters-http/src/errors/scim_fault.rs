use std::borrow::Cow;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::{Value, json};

/// Before every path of SCIM.
pub(crate) const SCIM_PATHS: &str = "/scim/v2/";
/// The media type of SCIM (RFC 7644, section 3.1).
pub(crate) const MEDIA_TYPE: &str = "application/scim+json";

/// The kind of an error of SCIM (RFC 7644, table 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ScimType {
    InvalidFilter,
    InvalidSyntax,
    InvalidValue,
    Mutability,
    NoTarget,
    Uniqueness,
}

/// An error that only SCIM has.
#[derive(Clone, Debug)]
pub(crate) struct ScimFault {
    kind: ScimType,
    detail: Cow<'static, str>,
}

impl ScimFault {
    pub(crate) fn new(kind: ScimType, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

impl ScimType {
    /// The kind of an error of the API with this code, if SCIM has one for it.
    pub(crate) fn of_code(code: &str) -> Option<Self> {
        match code {
            "invalid_field" => Some(Self::InvalidValue),
            "bad_request" | "invalid_json" => Some(Self::InvalidSyntax),
            _ => None,
        }
    }
}

impl fmt::Display for ScimFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl ResponseError for ScimFault {
    fn status_code(&self) -> StatusCode {
        if self.kind == ScimType::Uniqueness { StatusCode::CONFLICT } else { StatusCode::BAD_REQUEST }
    }

    fn error_response(&self) -> HttpResponse {
        let body = document(self.status_code().as_u16(), Some(self.kind), &self.detail);
        HttpResponse::build(self.status_code()).content_type(MEDIA_TYPE).body(body.to_string())
    }
}

/// The body of an error (RFC 7644, section 3.12).
pub(crate) fn document(status: u16, kind: Option<ScimType>, detail: &str) -> Value {
    let schemas = ["urn:ietf:params:scim:api:messages:2.0:Error"];
    let mut document = json!({"schemas": schemas, "status": status.to_string(), "detail": detail});
    if let Some(kind) = kind {
        document["scimType"] = json!(kind);
    }
    document
}
