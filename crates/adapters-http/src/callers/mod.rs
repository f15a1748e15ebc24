//! Callers: credentials, and the extractors that verify them.

pub(crate) mod caller;
pub(crate) mod caller_request;
pub(crate) mod id_token;
pub(crate) mod identified;
pub(crate) mod operator;
pub(crate) mod session;
pub(crate) mod session_owner;
pub(crate) mod webhook_caller;
