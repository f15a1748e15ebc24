//! The REST API on actix-web: one file per endpoint, one error mapping, OpenAPI.
//!
//! Handlers are thin and alike: extract, call one use case, map. A request passes through one middleware
//! (`boundary`), which gives it an id, a deadline and a log line, and turns every error into a problem document.

mod access_log;
mod api;
mod body;
mod boundary;
mod caller;
mod connection;
mod credentials;
mod cross_origin;
mod endpoints;
mod error;
mod error_code;
mod exchange;
mod fields;
mod identified;
mod key_record;
mod openapi;
mod operator;
mod operator_token;
mod peer_address;
mod problem;
mod readiness;
mod request_id;
mod response_headers;
mod server;
mod settings;

pub use api::Api;
pub use error_code::{ErrorEntry, error_reference};
pub use openapi::openapi_json;
pub use operator_token::OperatorToken;
pub use server::serve;
pub use settings::{HttpLimits, HttpSettings};
