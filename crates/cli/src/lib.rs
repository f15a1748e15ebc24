//! The command-line client of a running Gatepost: `gatepost keys`, `webhooks`, `events`, `audit`,
//! `listen` and `token`.
//!
//! The binary reads the environment and the configuration, opens a [`Connection`] and calls [`run`]. One action of the
//! command line has one file. Every call to the service goes through the `gatepost-client` library.
//!
//! See decision 29.

mod audit;
mod command;
mod connection;
mod events;
mod keys;
mod listen;
pub mod output;
mod remote;
mod token;
mod web_address;
mod webhooks;
mod welcome;

pub use command::{Command, run};
pub use connection::{Connection, LocalServer, MissingCredential};
pub use remote::{InvalidValue, Remote};
pub use web_address::WebAddress;
pub use welcome::{DevServer, Welcome};
