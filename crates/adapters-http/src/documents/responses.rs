use std::collections::BTreeMap;

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::errors::error_code::ErrorCode;
use crate::errors::problem;

/// The responses of an operation, by status.
pub(crate) type ResponsesByStatus<T> = BTreeMap<String, T>;

/// The errors of a JSON body.
pub(crate) const BODY_ERRORS: &[ErrorCode] = &[
    ErrorCode::BadRequest,
    ErrorCode::InvalidJson,
    ErrorCode::InvalidField,
    ErrorCode::UnknownField,
    ErrorCode::RequestTimeout,
    ErrorCode::PayloadTooLarge,
    ErrorCode::UnsupportedMediaType,
];

/// The errors of every call with a credential.
pub(crate) const CREDENTIAL_ERRORS: &[ErrorCode] =
    &[ErrorCode::CredentialMissing, ErrorCode::CredentialInvalid, ErrorCode::TooManyCredentialFailures];

/// The errors of every call about webhooks.
pub(crate) const WEBHOOK_CREDENTIAL_ERRORS: &[ErrorCode] = &[
    ErrorCode::CredentialMissing,
    ErrorCode::CredentialInvalid,
    ErrorCode::InsufficientScope,
    ErrorCode::TooManyCredentialFailures,
];

/// The errors of every call of the operator API.
pub(crate) const OPERATOR_ERRORS: &[ErrorCode] = &[
    ErrorCode::CredentialMissing,
    ErrorCode::CredentialInvalid,
    ErrorCode::OperatorScopeMissing,
    ErrorCode::RateLimited,
    ErrorCode::TooManyCredentialFailures,
];

/// The errors of every call of the verification endpoints, which do not limit failures.
pub(crate) const VERIFICATION_ERRORS: &[ErrorCode] = &[ErrorCode::CredentialMissing, ErrorCode::CredentialInvalid];

/// The errors of a call about one webhook subscription.
pub(crate) const SUBSCRIPTION_ERRORS: &[ErrorCode] = &[
    ErrorCode::CredentialMissing,
    ErrorCode::CredentialInvalid,
    ErrorCode::InsufficientScope,
    ErrorCode::TooManyCredentialFailures,
    ErrorCode::SubscriptionNotFound,
    ErrorCode::RateLimited,
];

/// The errors of a call about one delivery.
pub(crate) const DELIVERY_ERRORS: &[ErrorCode] = &[
    ErrorCode::CredentialMissing,
    ErrorCode::CredentialInvalid,
    ErrorCode::InsufficientScope,
    ErrorCode::TooManyCredentialFailures,
    ErrorCode::DeliveryNotFound,
    ErrorCode::RateLimited,
];

/// The documented responses of an operation that may fail with `codes`. Adds the errors that every operation may fail
/// with.
pub(crate) fn error_responses(codes: &[ErrorCode]) -> ResponsesByStatus<RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in codes.iter().chain(&[ErrorCode::InternalError, ErrorCode::Unavailable]) {
        let of_status = by_status.entry(code.entry().status).or_default();
        if !of_status.contains(code) {
            of_status.push(*code);
        }
    }
    by_status.into_iter().map(|(status, codes)| (status.to_string(), error_response(status, &codes).into())).collect()
}

fn error_response(status: u16, codes: &[ErrorCode]) -> Response {
    let description: Vec<String> = codes.iter().map(|code| format!("`{code}`: {}", code.entry().title)).collect();
    let examples = codes.iter().map(|code| {
        let code = code.entry().code;
        (code, RefOr::Ref(Ref::new(format!("#/components/examples/{code}"))))
    });
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).examples_from_iter(examples);
    let response =
        ResponseBuilder::new().description(description.join(". ")).content(problem::MEDIA_TYPE, problem.build());
    match status {
        401 => response.header("www-authenticate", header("How to authenticate (RFC 6750)")),
        429 => response
            .header("retry-after", header("Seconds after which to try again"))
            .header("ratelimit", header("How many calls are left, and after how many seconds all are back"))
            .header("ratelimit-policy", header("How many calls are allowed in how many seconds")),
        503 => response.header("retry-after", header("Seconds after which to try again")),
        _ => response,
    }
    .build()
}

/// A response header with a string value.
pub(crate) fn header(description: &str) -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String);
    HeaderBuilder::new().schema(Some(text)).description(Some(description)).build()
}

/// Declares the errors of an operation for its `responses`: lists of codes, followed by single codes.
macro_rules! documented_errors {
    ($name:ident: [$($list:expr),*] $(, $code:ident)* $(,)?) => {
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> $crate::documents::responses::ResponsesByStatus<
                utoipa::openapi::RefOr<utoipa::openapi::Response>,
            > {
                let lists: &[&[$crate::errors::error_code::ErrorCode]] =
                    &[$($list,)* &[$($crate::errors::error_code::ErrorCode::$code),*]];
                $crate::documents::responses::error_responses(&lists.concat())
            }
        }
    };
}

pub(crate) use documented_errors;
