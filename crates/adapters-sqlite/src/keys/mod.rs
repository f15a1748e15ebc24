//! The port of keys. What is more than one statement has a file of its own.

mod create_key;
mod key_store;
mod list_keys;
mod record_uses;
mod report_leaks;
mod revoke_key;
mod rotate_key;
