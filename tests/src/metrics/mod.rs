//! The metrics of the running binary, on both databases.

mod exposition;
mod figures;
mod listener;
mod names;
mod system_state;
