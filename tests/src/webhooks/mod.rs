//! Webhooks from the outside, on both databases: subscribing, publishing, receiving.

mod changes;
mod client_certificates;
pub(crate) mod host;
pub(crate) mod killed_process;
mod neighbours;
mod operational_events;
mod orders;
pub(crate) mod pulls;
mod rates;
pub(crate) mod receiver;
mod receivers_page;
mod secrets;
mod signatures;
pub(crate) mod three_calls;
mod tls_receiver;
mod zoo;
