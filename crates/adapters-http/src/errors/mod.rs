//! Errors: their codes, their problem documents, and the mapping from domain errors to answers.
//!
//! See decision 2.

pub(crate) mod api_error;
pub(crate) mod error_code;
pub(crate) mod field_fault;
pub(crate) mod problem;
pub(crate) mod refusals;
pub(crate) mod scim_fault;
