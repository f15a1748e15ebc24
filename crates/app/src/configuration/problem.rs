use std::fmt;
use std::path::PathBuf;

use cli::ProfileError;

use super::given::Origin;
use super::warning::Warning;

/// Everything that is wrong with the configuration, so that one round of corrections is enough.
#[derive(Debug)]
pub(crate) struct InvalidConfiguration(pub(crate) Vec<Problem>);

impl From<Problem> for InvalidConfiguration {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl std::error::Error for InvalidConfiguration {}

impl fmt::Display for InvalidConfiguration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the configuration is not valid")?;
        self.0.iter().try_for_each(|problem| write!(formatter, "\n  - {problem}"))
    }
}

/// One thing that is wrong with the configuration. Its text may be shown, because secrets in it are masked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A value that is not allowed.
    #[error("{name} is {shown:?} ({origin}), but must be {allowed}")]
    Refused {
        /// The setting.
        name: &'static str,
        /// The value, masked if it is a secret.
        shown: String,
        /// Where it was written.
        origin: Origin,
        /// What is allowed.
        allowed: String,
    },
    /// An unknown name in the file. Its value is not shown, because it may be a secret.
    #[error("unknown setting {name} ({origin}){}", suggestion(*.table, .nearest.as_deref()))]
    Unknown {
        /// The name as it was written.
        name: String,
        /// Where it was written.
        origin: Origin,
        /// Whether the name is that of a table.
        table: bool,
        /// The setting with the most similar name.
        nearest: Option<String>,
    },
    /// A likely mistake, beside a problem that it may have caused.
    #[error("{0}")]
    Suspicious(Warning),
    /// `NAME` and `NAME_FILE` are both set in one place.
    #[error("{name} and {name}_FILE are both set ({origin}): remove one of them")]
    Twice {
        /// The setting.
        name: &'static str,
        /// Where both are set.
        origin: Origin,
    },
    /// A variable of the environment is not UTF-8.
    #[error("{name} (environment) is not valid UTF-8")]
    NotText {
        /// The variable.
        name: String,
    },
    /// The file that `NAME_FILE` names cannot be read.
    #[error("{name} names {path}, which gatepost cannot read: {reason}")]
    UnreadableValue {
        /// `NAME_FILE`, as it was written.
        name: String,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        reason: String,
    },
    /// The configuration file cannot be read.
    #[error("cannot read the file {path}: {reason}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        reason: String,
    },
    /// The profile of `gatepost login` cannot be used.
    #[error(transparent)]
    UnusableProfile(ProfileError),
    /// The command needs the setting.
    #[error("{name} is missing: {what}")]
    Missing {
        /// The setting.
        name: &'static str,
        /// What the setting is, and its allowed values.
        what: String,
    },
    /// The value is of the right form, but of no use.
    #[error("{name} cannot be used: {reason}")]
    Unusable {
        /// The setting.
        name: &'static str,
        /// Why.
        reason: String,
    },
    /// The value is valid, but not for this command.
    #[error("{name} is {shown:?}, but {rule}")]
    NotForThisCommand {
        /// The setting.
        name: &'static str,
        /// The value.
        shown: String,
        /// What the command needs, and what to do about it.
        rule: String,
    },
}

impl Problem {
    /// The setting that a command needs.
    pub(super) fn setting(&self) -> Option<&'static str> {
        match self {
            Self::Missing { name, .. } | Self::Unusable { name, .. } | Self::NotForThisCommand { name, .. } => {
                Some(name)
            }
            _ => None,
        }
    }
}

fn suggestion(table: bool, nearest: Option<&str>) -> String {
    match (nearest, table) {
        (Some(nearest), _) => format!("; did you mean {nearest}?"),
        (None, true) => "; the file has no tables, only settings at the top level".to_owned(),
        (None, false) => "; `gatepost config` lists them".to_owned(),
    }
}
