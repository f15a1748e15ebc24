//! The promises of the storage ports on Postgres, and the promises of this adapter only. One program: cargo links each for
//! seconds.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod audit_plans;
mod callers_who_leave;
mod change_feed;
mod conflicts_behind_pgbouncer;
mod count_plans;
mod databases;
mod failover;
mod key_plans;
mod operator_plans;
mod pgbouncer;
mod sessions;
mod store;
