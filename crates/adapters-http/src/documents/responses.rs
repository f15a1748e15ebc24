use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::errors::error_code::{ErrorCode, error_reference};
use crate::errors::problem;

/// The responses of an operation, by status.
pub(crate) type ResponsesByStatus<T> = BTreeMap<String, T>;

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

/// Adds a response. A response with the same status gets the errors that it lacks.
pub(crate) fn add_response(operation: &mut Operation, status: String, added: RefOr<Response>) {
    match (operation.responses.responses.get_mut(&status), added) {
        (Some(RefOr::T(known)), RefOr::T(added)) => merge(known, added),
        (Some(_), _) => {}
        (None, added) => drop(operation.responses.responses.insert(status, added)),
    }
}

/// Adds the errors that are new. [`error_responses`] adds some to all operations.
fn merge(known: &mut Response, added: Response) {
    let Some(RefOr::T(examples)) = known.content.get_mut(problem::MEDIA_TYPE) else { return };
    for content in added.content.into_values() {
        let RefOr::T(content) = content else { continue };
        for (code, example) in content.examples {
            if let Entry::Vacant(place) = examples.examples.entry(code) {
                known.description = format!("{}. `{}`: {}", known.description, place.key(), title_of(place.key()));
                place.insert(example);
            }
        }
    }
}

fn title_of(code: &str) -> &'static str {
    error_reference().iter().find(|entry| entry.code == code).map_or("", |entry| entry.title)
}

/// Declares the errors that are an operation's own, for its `responses`.
macro_rules! documented_errors {
    ($visibility:vis $name:ident: $($code:ident),* $(,)?) => {
        $visibility struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> $crate::documents::responses::ResponsesByStatus<
                utoipa::openapi::RefOr<utoipa::openapi::Response>,
            > {
                $crate::documents::responses::error_responses(&[$($crate::errors::error_code::ErrorCode::$code),*])
            }
        }
    };
}

pub(crate) use documented_errors;
