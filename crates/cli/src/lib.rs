//! The command-line client of a running Gatepost: `gatepost keys`, `webhooks`, `events`, `event-types`, `sessions`, `audit`,
//! `log-filter`, `listen`, `pull` and `token`.
//!
//! The binary reads the environment and the configuration, opens a [`Connection`] and calls [`run`]. One action of the
//! command line has one file. Every call to the service goes through the `gatepost-client` library.
//!
//! See decision 29.

mod audit;
mod command;
pub mod complete;
mod connection;
mod consent;
mod event_types;
mod events;
mod failure;
mod help;
mod hidden_input;
mod json_argument;
mod keys;
mod listen;
mod listing;
mod log_filter;
pub mod login;
pub mod logout;
mod open;
mod open_key;
pub mod output;
mod overview;
mod owner;
mod owners;
mod portal_link;
mod profiles;
mod pull;
mod remote;
mod sessions;
mod table;
mod times;
mod token;
mod web_address;
mod webhooks;
mod welcome;

pub use command::{Command, run};
pub use connection::{Connection, LocalServer, MissingCredential};
pub use failure::Failure;
pub use help::fitted;
pub use open_key::{has_keyboard, open_at_key};
pub use profiles::{ProfileError, ProfileName, Profiles};
pub use remote::{InvalidValue, Remote};
pub use table::table;
pub use web_address::WebAddress;
pub use welcome::Welcome;
