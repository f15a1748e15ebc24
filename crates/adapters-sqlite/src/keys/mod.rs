//! The port of keys: one file for each use case that needs more than one statement.

mod change_key;
mod create_key;
mod key_store;
mod list_keys;
mod report_leaks;
mod revoke_key;
mod revoke_user_keys;
#[cfg(test)]
mod statements_tests;
