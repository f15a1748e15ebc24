//! Sends webhooks with an HTTP client that cannot reach an address that the egress policy refuses.
//!
//! [`TlsCertificates`] implements `domain::ports::CertificateReader`, and [`GuardedSender`] `domain::ports::WebhookSender`.
//! The sender has no rule about addresses: it checks `domain::webhooks::EgressPolicy` before an attempt, after a name is resolved, and for the peer of each connected
//! socket before the first byte is written. Only the connector opens sockets, so no request can bypass these checks.

mod access_tokens;
mod alerting_stream;
mod answer;
mod channel;
mod client_certificate;
mod connect_error;
mod connector;
mod dialing;
mod dns;
mod guarded_sender;
mod interface_addresses;
mod on_runtime;
mod open_connections;
mod retry_after;
mod tls;

pub use client_certificate::TlsCertificates;
pub use dns::{NameServers, ResolveError, Resolver, SystemResolver};
pub use guarded_sender::{EgressSettings, GuardedSender};
pub use interface_addresses::InterfaceAddresses;
pub use on_runtime::OnRuntime;
pub use tls::{TlsSetupError, TrustedRoots, platform_client_config, read_platform_roots};
