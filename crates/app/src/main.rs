//! The binary `gatepost`: configuration and wiring. Every rule is in another crate.

mod announcements;
mod background;
mod command_line;
mod commands;
mod configuration;
mod database;
mod instance;
mod metrics;
mod parts;
mod reload;
mod run;
mod traces;
mod webhooks;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cli::{Failure, MissingCredential, ProfileError};

use command_line::CommandLine;
use configuration::InvalidConfiguration;

/// How long the last error may take to be written.
const REPORT_MAX: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Also for errors of the arguments, so the arguments are not parsed for this.
    let json = arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json");
    let command_line = match CommandLine::parse_from_process(arguments) {
        Err(error) if json && error.use_stderr() => {
            let usage = Failure::Usage;
            let text = error.render().to_string();
            report(usage.in_json(&anyhow::Error::msg(text.trim_end().to_owned())));
            return ExitCode::from(usage.exit_code());
        }
        parsed => parsed.unwrap_or_else(|error| error.exit()),
    };
    match command_line.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = if is_of_configuration(&error) { Failure::Configuration } else { Failure::of(&error) };
            report(if json { failure.in_json(&error) } else { format!("gatepost: {error:#}") });
            ExitCode::from(failure.exit_code())
        }
    }
}

fn is_of_configuration(error: &anyhow::Error) -> bool {
    error.is::<InvalidConfiguration>() || error.is::<ProfileError>() || error.is::<MissingCredential>()
}

/// Writes the error, unless standard error is stuck for a second: the process must end. If standard error is closed,
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
