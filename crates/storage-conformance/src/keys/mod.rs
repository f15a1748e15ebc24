//! The promises of the ports of keys and of [`domain::ports::ChangeFeed`].

pub mod cancellation;
pub mod change_feed;
pub mod change_key;
pub mod create_key;
pub mod duplicates;
pub mod durability;
pub mod find_key;
pub mod key_usage;
pub mod list_expiring;
pub mod list_keys;
pub mod owners;
pub mod purge_keys;
pub mod record_uses;
pub mod report_leaks;
pub mod revoke_key;
pub mod revoke_user_keys;
pub mod rotate_key;
pub mod rotate_key_races;
pub mod round_trip;
pub(crate) mod sample;
mod shared_suite;
mod suite;

pub use shared_suite::SHARED_PROMISES;
pub use suite::PROMISES;
