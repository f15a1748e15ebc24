//! What endpoints are documented with in the OpenAPI document.

pub(crate) mod limits;
pub(crate) mod responses;
