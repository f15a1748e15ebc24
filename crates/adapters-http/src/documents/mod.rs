//! The OpenAPI document.

pub(crate) mod openapi;
