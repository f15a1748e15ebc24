//! The guarded client with real sockets: hostile targets, and receivers that answer in every way.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

mod access_tokens;
mod answers;
mod canary;
mod certificates;
mod client_certificates;
mod connections;
mod exchange;
mod faults;
mod hostile_answers;
mod hostile_urls;
mod http2;
mod look_ups;
mod name_server;
mod receiver;
mod scripted_resolver;
mod signatures;
mod tls;
mod uri_agreement;
