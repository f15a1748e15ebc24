//! The use cases over the memory store, with a clock that is moved by hand and randomness from a seed.

mod create_key;
mod desk;
mod list_keys;
mod properties;
mod purge_keys;
mod report_leaks;
mod revoke_key;
mod rotate_key;
