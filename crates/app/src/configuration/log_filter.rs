use std::str::FromStr;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Which log lines are written: the text of an `EnvFilter` that is known to parse.
#[derive(Clone, Debug)]
pub(crate) struct LogFilter(String);

impl LogFilter {
    /// What [`LogFilter::parse`] takes.
    pub(crate) const ALLOWED: &str =
        "error, warn, info, debug, trace or off, and target=level for parts, separated by commas";

    /// Reads a filter. A word alone must be a level: `EnvFilter` takes a mistyped one for the name of a part, and
    /// would then silence everything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let plausible =
            text.split(',').all(|directive| directive.contains('=') || LevelFilter::from_str(directive.trim()).is_ok());
        (plausible && !text.trim().is_empty() && EnvFilter::try_new(text).is_ok()).then(|| Self(text.to_owned()))
    }

    /// The filter's text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The filter itself. The server's own lines about its workers say nothing to an operator, unless they are asked
    /// for by name: then that directive, being the later one, counts.
    pub(crate) fn to_env_filter(&self) -> EnvFilter {
        EnvFilter::new(format!("actix_server=warn,{}", self.0))
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object in each line.
    Json,
}

impl LogFormat {
    /// What [`LogFormat::parse`] takes.
    pub(crate) const ALLOWED: &str = "text or json";

    /// Reads a format's name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Text, Self::Json].into_iter().find(|format| format.name() == text)
    }

    /// The format's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}
