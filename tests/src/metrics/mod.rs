//! The metrics of the running binary, on both databases.

pub(crate) mod exposition;
pub(crate) mod figures;
mod listener;
mod names;
mod promtool;
mod surroundings;
mod system_state;
