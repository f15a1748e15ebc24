//! Tests the verifier's promises over the reference store, with paused time and a store that counts, waits and fails.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod cached;
mod change_feed;
mod confirmation;
mod database_down;
mod flood;
mod last_used;
mod look_ups;
mod members;
mod random_histories;
mod rate_limits;
mod revoked_here;
mod session_link;
mod sessions;
mod shards;
mod stale;
mod suspended;
mod usage;
mod world;
