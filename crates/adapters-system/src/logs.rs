use std::io::{self, IsTerminal};
use std::panic;

use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use crate::json_lines::JsonLines;
use crate::log_filter::{LogFilter, LogFormat};
use crate::log_lines::{LogLines, URGENT_MAX};
use crate::log_switch::LogSwitch;
use crate::short_requests::ShortRequests;

/// How logs look and which lines they have.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// Which lines are written.
    pub filter: LogFilter,
    /// The format; `None` means text on a terminal, and JSON elsewhere.
    pub format: Option<LogFormat>,
    /// Whether text on a terminal may have colours.
    pub colours: bool,
    /// Whether a request is one short line in text.
    pub short_requests: bool,
}

/// Starts to write logs to standard error, panics included. The returned lines write the last ones on drop, and the switch
/// chooses other lines.
///
/// # Errors
///
/// When the system starts no thread, or logs have been started before.
pub fn start_logs(settings: &LogSettings) -> io::Result<(LogLines, LogSwitch)> {
    let lines = LogLines::start(io::stderr(), log_dropped, URGENT_MAX)?;
    let maker = lines.maker();
    let terminal = io::stderr().is_terminal();
    let format = settings.format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json });
    let layer = match format {
        LogFormat::Text if settings.short_requests => {
            let layer = fmt::layer().event_format(ShortRequests::default());
            layer.with_writer(maker).with_ansi(terminal && settings.colours).boxed()
        }
        LogFormat::Text => fmt::layer().with_writer(maker).with_ansi(terminal && settings.colours).boxed(),
        LogFormat::Json => fmt::layer().event_format(JsonLines).with_writer(maker).boxed(),
    };
    let switch = LogSwitch::new(&settings.filter);
    let subscriber = tracing_subscriber::registry().with(switch.clone()).with(layer);
    // Not `init`: where any crate of the build turns its feature on, that also collects the lines of the `log` crate, and
    // the database driver writes the parameters of its statements there.
    tracing::subscriber::set_global_default(subscriber).map_err(io::Error::other)?;
    panic::set_hook(Box::new(log_panic));
    Ok((lines, switch))
}

fn log_dropped(dropped: u64) {
    tracing::warn!(dropped, "log lines were dropped, because standard error took none");
}

/// Logs a panic as one line, so that a program that collects JSON can read it.
fn log_panic(panic: &panic::PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string);
    tracing::error!(panic = panic.payload_as_str(), location, "panicked");
}
