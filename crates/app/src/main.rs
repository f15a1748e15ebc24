//! The binary `gatepost`: configuration, wiring, commands. It holds no rule of its own.

mod command_line;
mod commands;
mod configuration;
mod database;
mod instance;
mod logs;
mod purge;
mod tasks;
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
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(io::stderr(), "gatepost: {error:#}");
            ExitCode::from(if error.is::<InvalidConfiguration>() { EXIT_CONFIGURATION } else { 1 })
        }
    }
}

/// Whether somebody stopped reading our answer, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
