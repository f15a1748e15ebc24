use std::borrow::Cow;

use actix_web::body::BoxBody;
use actix_web::http::header;
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::errors::api_error::ApiError;
use crate::errors::error_code::{ErrorCode, ErrorEntry, error_reference};
use crate::errors::field_fault::FieldFault;
use crate::errors::scim_fault::{self, ScimType};
use crate::records::check_outcome::CheckOutcome;
use crate::records::event_type_record::SchemaFaultRecord;

/// The start page.
const START: &str = "/";
const NOT_FOUND: u16 = 404;
/// Where people sign in.
const LOGIN: &str = "/console/login";
/// The media type of RFC 9457.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// The form of the body of an error.
pub(crate) enum ErrorForm {
    /// A problem document.
    Document,
    /// A page, for a person.
    Page,
    /// The form of SCIM, which has its own.
    Scim,
}

/// A problem document (RFC 9457): the body of every error.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    /// The page that explains this kind of error: an absolute URL if `PUBLIC_URL` is configured, and otherwise relative to
    /// the URL of this service.
    #[serde(rename = "type")]
    #[schema(example = "https://gatepost.example/docs/errors/invalid_field")]
    kind: String,
    /// A short summary of the error.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong with this request.
    detail: Cow<'static, str>,
    /// The stable, machine-readable name of this kind of error.
    #[schema(example = "invalid_field")]
    code: &'static str,
    /// Identifies this request in the logs. The header `x-request-id` has the same value.
    request_id: String,
    /// The fields that have faults. Absent when no field is at fault.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    errors: Vec<FieldFault>,
    /// Where the data of an event breaks the schema of its type, at most ten places. Absent in other errors.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    faults: Vec<SchemaFaultRecord>,
    /// The `cursor` of the oldest event that is stored. Only with `cursor_expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    oldest_cursor: Option<String>,
    /// The outcome of each check. Only in answers of `/readyz?verbose`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    checks: Vec<CheckOutcome>,
}

impl Problem {
    /// An example for the documentation.
    pub(crate) fn example(entry: &'static ErrorEntry) -> Value {
        json!(Self::of_entry(entry, "4bf92f3577b34da6a3ce929d0e0e4736", "https://gatepost.example"))
    }

    fn of_entry(entry: &'static ErrorEntry, request_id: &str, pages: &str) -> Self {
        Self {
            kind: format!("{pages}/docs/errors/{}", entry.code),
            title: entry.title,
            status: entry.status,
            detail: entry.cause.into(),
            code: entry.code,
            request_id: request_id.to_owned(),
            errors: Vec::new(),
            faults: Vec::new(),
            oldest_cursor: None,
            checks: Vec::new(),
        }
    }

    fn of_error(error: &ApiError, request_id: &str, pages: &str) -> Self {
        let mut problem = Self {
            status: error.status_code().as_u16(),
            detail: error.detail(),
            ..Self::of_entry(error.code().entry(), request_id, pages)
        };
        match error {
            ApiError::AtFault(_, faults) => problem.errors.clone_from(faults),
            ApiError::EventInvalid(fault, faults) => {
                problem.errors = vec![fault.clone()];
                problem.faults.clone_from(faults);
            }
            ApiError::CursorExpired(oldest) => problem.oldest_cursor = Some(oldest.clone()),
            ApiError::NotReady(_, checks) => problem.checks.clone_from(checks),
            _ => {}
        }
        problem
    }

    /// The same as a page, with a link to continue.
    fn to_page(&self) -> String {
        let Self { kind, title, status, detail, code, request_id, .. } = self;
        let on = if *status == NOT_FOUND {
            format!("<a href=\"{START}\">Go to the start page</a>")
        } else {
            format!("<a href=\"{LOGIN}\">Sign in</a>")
        };
        let entry = error_reference().iter().find(|entry| entry.code == *code);
        let cure = entry.map_or("", |entry| entry.cure);
        let content = format!(
            "<p>{}</p><p>{cure}</p><p>{on}</p>\
             <p><a href=\"{kind}\"><code>{code}</code></a>, request <code>{request_id}</code></p>",
            ::pages::escape(detail)
        );
        ::pages::page(title, "", &content)
    }
}

/// Writes the problem document into an error response, whether the error comes from this crate or from the framework,
/// which writes empty or plain error bodies. An error body that a handler wrote stays. The status and the headers
/// always stay, `Allow` in particular.
///
/// `form` says which form the error with this status has. `pages` is the URL of the service before the pages about errors,
/// or empty.
pub(crate) fn fill(
    response: HttpResponse,
    request_id: &str,
    pages: &str,
    form: impl FnOnce(u16) -> ErrorForm,
) -> HttpResponse {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let problem = match response.error().map(actix_web::Error::as_error::<ApiError>) {
        Some(Some(error)) => Problem::of_error(error, request_id, pages),
        None if !is_empty(&response) => return response,
        Some(None) if !is_empty(&response) && !is_plain_text(&response) => return response,
        Some(None) | None => {
            let code = ErrorCode::of_status(status.as_u16());
            Problem { status: status.as_u16(), ..Problem::of_entry(code.entry(), request_id, pages) }
        }
    };
    let (body, media_type) = match form(problem.status) {
        ErrorForm::Document => (serde_json::to_vec(&problem).unwrap_or_default(), MEDIA_TYPE),
        ErrorForm::Page => (problem.to_page().into_bytes(), ::pages::MEDIA_TYPE),
        ErrorForm::Scim => {
            let document = scim_fault::document(problem.status, ScimType::of_code(problem.code), &problem.detail);
            (document.to_string().into_bytes(), scim_fault::MEDIA_TYPE)
        }
    };
    let mut response = response.set_body(BoxBody::new(body));
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media_type));
    response
}

fn is_empty(response: &HttpResponse) -> bool {
    use actix_web::body::{BodySize, MessageBody};
    matches!(response.body().size(), BodySize::None | BodySize::Sized(0))
}

fn is_plain_text(response: &HttpResponse) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    media_type.is_some_and(|media_type| media_type.as_bytes().starts_with(b"text/plain"))
}
