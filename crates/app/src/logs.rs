use std::io::{self, IsTerminal};
use std::panic;

use adapters_system::{JsonLines, LogLines};
use anyhow::{Context, Result};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use crate::configuration::{Configuration, LogFormat};

/// Starts writing logs to standard error, in the configured form, panics included. What is returned writes the last
/// lines when it is dropped.
///
/// # Errors
///
/// When no thread can be had for it.
pub(crate) fn start_logs(configuration: &Configuration) -> Result<LogLines> {
    let lines = LogLines::start(io::stderr()).context("the log's thread cannot be started")?;
    let maker = lines.maker();
    let terminal = io::stderr().is_terminal();
    let format = configuration.log_format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json });
    let layer = match format {
        LogFormat::Text => fmt::layer().with_writer(maker).with_ansi(terminal).boxed(),
        LogFormat::Json => fmt::layer().event_format(JsonLines).with_writer(maker).boxed(),
    };
    tracing_subscriber::registry().with(configuration.log.to_env_filter()).with(layer).init();
    panic::set_hook(Box::new(log_panic));
    Ok(lines)
}

/// A panic is one line like every other, so that whoever collects JSON can read it.
fn log_panic(panic: &panic::PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string);
    tracing::error!(panic = panic.payload_as_str(), location, "panicked");
}
