use std::str::FromStr;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Which log lines are written: the directives of an `EnvFilter` that parses.
#[derive(Clone, Debug)]
pub struct LogFilter(String);

impl LogFilter {
    /// The values that [`LogFilter::parse`] accepts.
    pub const ALLOWED: &str = "error, warn, info, debug, trace or off, and target=level for parts, separated by commas";

    /// Parses a filter. A single word must be a level: `EnvFilter` reads a misspelt level as the name of a part, and
    /// then writes no other lines.
    pub fn parse(text: &str) -> Option<Self> {
        let plausible =
            text.split(',').all(|directive| directive.contains('=') || LevelFilter::from_str(directive.trim()).is_ok());
        (plausible && !text.trim().is_empty() && EnvFilter::try_new(text).is_ok()).then(|| Self(text.to_owned()))
    }

    /// The filter as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The filter for the log library. It hides the lines of `actix_server` about its workers, unless the operator
    /// names that target: the later directive counts.
    pub(crate) fn to_env_filter(&self) -> EnvFilter {
        EnvFilter::new(format!("actix_server=warn,{}", self.0))
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

/// The format of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object in each line.
    Json,
}
