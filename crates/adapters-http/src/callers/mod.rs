//! Callers: who makes a call, for whom, and whether they may.
//!
//! See decision 116.

pub(crate) mod call;
pub(crate) mod calls;
pub(crate) mod credential;
pub(crate) mod operator;
pub(crate) mod owner;
pub(crate) mod session;
