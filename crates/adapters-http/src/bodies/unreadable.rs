//! Errors of bodies that are not the JSON that is required. They never quote the body, because it may hold a token.

use serde_json::error::Category;

use crate::errors::api_error::ApiError;

pub(crate) fn unreadable(error: &serde_json::Error) -> ApiError {
    match error.classify() {
        Category::Data => ApiError::invalid_json("the body must be a JSON object"),
        Category::Syntax | Category::Eof | Category::Io => {
            let (line, column) = (error.line(), error.column());
            ApiError::invalid_json(format!("the body is not valid JSON at line {line}, column {column}"))
        }
    }
}

/// Two fields with the same name are refused, because another parser on the way may read the other value.
pub(crate) fn named_twice() -> ApiError {
    ApiError::invalid_json("the body contains a field twice")
}
