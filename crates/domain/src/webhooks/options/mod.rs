//! The options of a subscription: the headers that its requests carry, the authentication, the client certificate, the rate
//! and the order.

pub(super) mod authentication;
pub(super) mod client_certificate;
pub(super) mod client_credentials;
pub(super) mod header_name;
pub(super) mod header_value;
pub(super) mod on_exhausted;
pub(super) mod options_change;
pub(super) mod sealed_options;
