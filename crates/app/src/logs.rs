use std::io::{self, IsTerminal};
use std::panic;

use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use crate::configuration::{Configuration, LogFormat};

/// Starts writing logs to standard error, in the configured form, panics included.
pub(crate) fn start_logs(configuration: &Configuration) {
    let terminal = io::stderr().is_terminal();
    let format = configuration.log_format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json });
    let lines = match format {
        LogFormat::Text => fmt::layer().with_writer(io::stderr).with_ansi(terminal).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(io::stderr).boxed(),
    };
    tracing_subscriber::registry().with(configuration.log.to_env_filter()).with(lines).init();
    panic::set_hook(Box::new(log_panic));
}

/// A panic is one line like every other, so that whoever collects JSON can read it.
fn log_panic(panic: &panic::PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string);
    tracing::error!(panic = panic.payload_as_str(), location, "panicked");
}
