//! The REST API on actix-web: a file for each endpoint or object, one error mapping, OpenAPI.
//!
//! Handlers are thin and alike: extract, call one use case, map the result. Every request passes through one middleware
//! (`boundary`), which adds an id, a deadline and a log line, and turns every error into a problem document.

mod api;
mod bodies;
mod boundary;
mod callers;
mod connections;
mod credentials;
mod documents;
mod endpoints;
mod errors;
mod limits;
mod openapi;
mod parameters;
mod readiness;
mod records;
mod server;
mod settings;
mod state;
mod streams;

pub use api::Api;
pub use connections::certificate::{CertificateError, ServerCertificate};
pub use credentials::cookies::PORTAL_COOKIE;
pub use credentials::operator_scope::OperatorScope;
pub use credentials::operator_tokens::{OperatorToken, OperatorTokens};
pub use errors::error_code::{ErrorEntry, error_reference};
pub use openapi::openapi_json;
pub use readiness::NamedCheck;
pub use records::audit_record::AuditJson;
pub use server::serve;
pub use settings::{HttpLimits, HttpSettings, RequestDurations, ScimSubject};
