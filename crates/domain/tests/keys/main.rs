//! The use cases of keys on the memory store, with a clock that the tests move and randomness from a seed.

mod create_key;
mod desk;
mod failing_store;
mod list_keys;
mod properties;
mod report_leaks;
mod revoke_key;
mod revoke_user_keys;
mod rotate_key;
