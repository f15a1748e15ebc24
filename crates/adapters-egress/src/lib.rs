//! Sends webhooks by an HTTP client that reaches no address which the egress policy refuses.
//!
//! [`GuardedSender`] implements `domain::ports::WebhookSender`. It holds nothing of its own about which
//! address is good: it asks `domain::webhooks::EgressPolicy` before an attempt, when a name was resolved, and about
//! the peer of each connected socket before a byte is written. There is no other way out: the connector is the only
//! code here that opens a socket.

mod answer;
mod connect_error;
mod connection;
mod connector;
mod dialing;
mod guarded_sender;
mod interface_addresses;
mod resolver;
mod retry_after;
mod tls;

pub use guarded_sender::{EgressSettings, GuardedSender};
pub use interface_addresses::InterfaceAddresses;
pub use resolver::{ResolveError, Resolver, SystemResolver};
pub use tls::{TlsSetupError, TrustedRoots};
