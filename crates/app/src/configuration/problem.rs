use std::fmt;

use cli::ProfileError;

use super::given::Origin;
use super::warning::Warning;

/// All problems of the configuration, so that one round of corrections is enough.
#[derive(Debug)]
pub(crate) struct InvalidConfiguration(pub(crate) Vec<Problem>);

impl From<Problem> for InvalidConfiguration {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl From<ProfileError> for InvalidConfiguration {
    fn from(error: ProfileError) -> Self {
        Problem::Invalid(error.to_string()).into()
    }
}

impl std::error::Error for InvalidConfiguration {}

impl fmt::Display for InvalidConfiguration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the configuration is not valid")?;
        self.0.iter().try_for_each(|problem| write!(formatter, "\n  - {problem}"))
    }
}

/// A problem of the configuration. Its text may be shown, because secrets in it are masked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A name or a value is not valid.
    #[error("{0}")]
    Invalid(String),
    /// A setting does not have the value that the command or another setting requires.
    #[error("{text}")]
    Unmet {
        /// The setting.
        name: &'static str,
        text: String,
    },
    /// A likely mistake, reported with a problem that it may have caused.
    #[error("{0}")]
    Suspicious(Warning),
}

impl Problem {
    /// The value is not `allowed`.
    pub(crate) fn refused(name: &str, shown: &str, origin: &Origin, allowed: &str) -> Self {
        Self::Invalid(format!("{name} is {shown:?} ({origin}), but must be {allowed}"))
    }

    /// The setting is not set.
    pub(crate) fn missing(name: &'static str, what: &str) -> Self {
        Self::Unmet { name, text: format!("{name} is missing: {what}") }
    }

    /// The value is valid, but not for this command, or not together with the other settings.
    pub(crate) fn unfit(name: &'static str, shown: &str, rule: &str) -> Self {
        Self::Unmet { name, text: format!("{name} is {shown:?}, but {rule}") }
    }
}
