//! Credentials: where requests carry them, and the operator token.

pub(crate) mod headers;
pub(crate) mod operator_token;
pub(crate) mod presented;
