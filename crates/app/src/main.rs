//! The binary `gatepost`: configuration and wiring. Every rule is in another crate.

mod command_line;
mod commands;
mod configuration;
mod database;
mod instance;
mod webhooks;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use command_line::CommandLine;
use configuration::InvalidConfiguration;

/// `EX_CONFIG` of BSD's sysexits.
const EXIT_CONFIGURATION: u8 = 78;

fn main() -> ExitCode {
    match commands::run(CommandLine::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // The error cannot be reported if standard error is closed.
            let _ = writeln!(io::stderr(), "gatepost: {error:#}");
            ExitCode::from(if error.is::<InvalidConfiguration>() { EXIT_CONFIGURATION } else { 1 })
        }
    }
}

/// Whether the reader of standard output closed it, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
