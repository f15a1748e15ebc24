//! Who calls: credentials, and the extractors that check them.

pub(crate) mod caller;
pub(crate) mod caller_request;
pub(crate) mod credentials;
pub(crate) mod identified;
pub(crate) mod operator;
pub(crate) mod operator_token;
