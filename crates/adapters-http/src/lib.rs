//! The REST API on actix-web: one file per endpoint, one error mapping, OpenAPI.
//!
//! Handlers are thin and alike: extract, call one use case, map. A request passes through one middleware
//! (`boundary`), which gives it an id, a deadline and a log line, and turns every error into a problem document.

mod access_log;
mod api;
mod attempt_record;
mod attempt_stream;
mod body;
mod boundary;
mod caller;
mod caller_request;
mod connection;
mod credentials;
mod cross_origin;
mod cursor;
mod delivery_record;
mod endpoints;
mod error;
mod error_code;
mod error_reference;
mod event_body;
mod event_json;
mod event_record;
mod exchange;
mod fields;
mod identified;
mod key_record;
mod open_streams;
mod openapi;
mod operator;
mod operator_token;
mod peer_address;
mod problem;
mod query;
mod readiness;
mod refusals;
mod request_id;
mod response_headers;
mod server;
mod settings;
mod subscription_fields;
mod subscription_record;

pub use api::Api;
pub use error_reference::{ErrorEntry, error_reference};
pub use openapi::openapi_json;
pub use operator_token::OperatorToken;
pub use server::serve;
pub use settings::{HttpLimits, HttpSettings};
