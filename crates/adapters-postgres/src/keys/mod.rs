//! The port of keys. Each use case is one file.

mod change_key;
mod create_key;
mod find_keys;
mod key_store;
mod purge_keys;
mod report_leaks;
mod revoke_key;
mod revoke_user_keys;
mod rotate_key;
mod rows;
mod shared_lists;

pub(crate) use purge_keys::PurgeKeys;
pub(crate) use shared_lists::SharedLists;
