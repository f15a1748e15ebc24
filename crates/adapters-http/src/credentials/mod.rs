//! Credentials: where requests carry them, which requests a browser may make with its cookie, and operator tokens.

pub(crate) mod cookies;
pub(crate) mod headers;
pub(crate) mod operator_scope;
pub(crate) mod operator_tokens;
pub(crate) mod presented;
pub(crate) mod same_origin;
