//! The promises of this adapter only about webhooks: exactness over many instances, no loss with a connection, claims
//! of ended processes, hints, partitions by days, and plans that do not depend on the number of waiting deliveries.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod claimers;
mod damage;
#[path = "../postgres/databases/mod.rs"]
mod databases;
mod locks;
mod periods;
mod pgbouncer;
mod rows_read;
mod secrets;
mod sharing;
mod snapshots;
mod table_order;
mod world;
