//! The OpenAPI document, and the parts that endpoints use to describe themselves.

pub(crate) mod limits;
pub(crate) mod openapi;
pub(crate) mod responses;
