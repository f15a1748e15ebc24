//! What endpoints are documented with in the OpenAPI document.

pub(crate) mod limits;
pub(crate) mod operator_scopes;
pub(crate) mod responses;
