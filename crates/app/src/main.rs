//! The binary `gatepost`: configuration and wiring. Every rule is in another crate.

mod command_line;
mod commands;
mod configuration;
mod database;
mod instance;
mod metrics;
mod webhooks;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::Parser;

use command_line::CommandLine;
use configuration::InvalidConfiguration;

/// `EX_CONFIG` of BSD's sysexits.
const EXIT_CONFIGURATION: u8 = 78;
/// How long the last error may take to be written.
const REPORT_MAX: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    match commands::run(CommandLine::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            report(format!("gatepost: {error:#}"));
            ExitCode::from(if error.is::<InvalidConfiguration>() { EXIT_CONFIGURATION } else { 1 })
        }
    }
}

/// Writes the error, unless standard error takes nothing for a second: the process must end. If standard error is closed,
/// the error cannot be reported.
fn report(error: String) {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let _ = writeln!(io::stderr(), "{error}");
        let _ = done.send(());
    });
    let _ = is_done.recv_timeout(REPORT_MAX);
}

/// Whether the reader of standard output closed it, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
