//! Finds the problems of an instance and its surroundings, and says what solves each.
//!
//! Each check looks at one subject through the ports that the service itself uses, or asks the operating system. A
//! check changes only data that the service changes too: the readiness check proves by a write that the database takes
//! writes.

mod exposure;
mod finding;
mod health;
mod identity;
mod listeners;
mod machine;
mod reach;
mod server;
mod store;
mod tls;

pub use exposure::{check_allowed_networks, check_public_url};
pub use finding::{Finding, Report};
pub use health::{Unhealthy, health};
pub use identity::check_identity;
pub use listeners::{check_listener, foreign_instance, is_served};
pub use machine::{check_disk, check_open_files, check_secret_file, check_writable, free_bytes};
pub use reach::check_reach;
pub use server::{DatabaseServer, check_server, ended_in_queue, ended_uncounted, stopped_server};
pub use store::{check_sealing_keys, check_store};
