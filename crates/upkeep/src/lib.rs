//! The engine that keeps an instance in order: it migrates the schema, deletes expired data, encrypts secrets again
//! after a rotation, erases owners, suspends absent users, publishes operational events, follows the catalogue of event
//! types, and watches the background tasks and the snapshots of the database.

mod absences;
mod announce;
mod catalogue;
mod erasures;
mod migration;
mod purge;
mod reseal;
mod snapshots;
mod tasks;

pub use absences::suspend_absent;
pub use announce::announce_steadily;
pub use catalogue::follow_catalogue;
pub use erasures::erase_steadily;
pub use migration::migrate_until_done;
pub use purge::purge_hourly;
pub use reseal::reseal_secrets;
pub use snapshots::watch_snapshots;
pub use tasks::Tasks;
