use anyhow::Result;
use clap::Subcommand;

use crate::connection::Connection;
use crate::{events, keys, listen, token, webhooks};

/// The commands that call a running Gatepost.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// `gatepost token`
    Token(token::Arguments),
    /// `gatepost keys`
    Keys(keys::Arguments),
    /// `gatepost webhooks`
    Webhooks(webhooks::Arguments),
    /// `gatepost events`
    Events(events::Arguments),
    /// `gatepost listen`
    Listen(listen::Arguments),
}

/// Runs one command to its end.
///
/// # Errors
///
/// [`MissingCredential`](crate::MissingCredential) when the command needs a credential that is not set. Any other
/// error is a call that failed, for a person to read.
pub async fn run(command: Command, connection: &Connection) -> Result<()> {
    match command {
        Command::Token(arguments) => token::run(&arguments, connection).await,
        Command::Keys(arguments) => keys::run(arguments, connection).await,
        Command::Webhooks(arguments) => webhooks::run(arguments, connection).await,
        Command::Events(arguments) => events::run(arguments, connection).await,
        Command::Listen(arguments) => listen::run(arguments, connection).await,
    }
}
