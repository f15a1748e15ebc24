//! The OpenAPI document: what endpoints are documented with, and the document that lists them.

pub(crate) mod limits;
pub(crate) mod openapi;
pub(crate) mod responses;
