//! Callers: the maker, the owner and the right of a call.
//!
//! See decision 116.

pub(crate) mod call;
pub(crate) mod calls;
pub(crate) mod credential;
pub(crate) mod operator;
pub(crate) mod owner;
pub(crate) mod session;
