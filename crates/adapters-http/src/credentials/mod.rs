//! Credentials: where requests carry them, and the operator token.

pub(crate) mod headers;
pub(crate) mod operator_scope;
pub(crate) mod operator_tokens;
pub(crate) mod presented;
