//! What is wrong with a body that cannot be read as JSON. The messages hold nothing of the body: it may hold a token.

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

/// Parsers on the way of the request may read the other one of the two.
pub(crate) fn named_twice() -> ApiError {
    ApiError::invalid_json("the body names a field twice")
}
