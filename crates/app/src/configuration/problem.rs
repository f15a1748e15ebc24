use std::fmt;
use std::path::PathBuf;

use super::given::Origin;

/// Why the configuration cannot be used: everything that is wrong with it, so that one round of corrections suffices.
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
        formatter.write_str("the configuration cannot be used")?;
        self.0.iter().try_for_each(|problem| write!(formatter, "\n  - {problem}"))
    }
}

/// One thing that is wrong with the configuration. Its text may be shown: a secret is masked before it gets here.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A value that cannot be.
    #[error("{name} is {shown:?} ({origin}), but must be {allowed}")]
    Refused {
        /// The setting.
        name: &'static str,
        /// The value, masked where it is a secret.
        shown: String,
        /// Where it was written.
        origin: Origin,
        /// What is allowed.
        allowed: String,
    },
    /// A name in the file that is no setting's. Its value is not shown: it could be a mistyped secret's.
    #[error("{name} ({origin}) is no setting{}", suggestion(*.table, .nearest.as_deref()))]
    Unknown {
        /// The name as it was written.
        name: String,
        /// Where it was written.
        origin: Origin,
        /// Whether it heads a table.
        table: bool,
        /// The setting that is written most alike.
        nearest: Option<String>,
    },
    /// `NAME` and `NAME_FILE` stand beside each other.
    #[error("{name} and {name}_FILE are both set ({origin}): keep one")]
    Twice {
        /// The setting.
        name: &'static str,
        /// Where both were written.
        origin: Origin,
    },
    /// The environment holds something that is no text.
    #[error("{name} (environment) is not UTF-8 text")]
    NotText {
        /// The variable.
        name: String,
    },
    /// The file that `NAME_FILE` names cannot be read.
    #[error("{name} names {path}, which cannot be read: {reason}")]
    UnreadableValue {
        /// `NAME_FILE`, as it was written.
        name: String,
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The configuration file cannot be read.
    #[error("the file {path} cannot be read: {reason}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// This command cannot do without the setting.
    #[error("{name} is missing: {what}")]
    Missing {
        /// The setting.
        name: &'static str,
        /// What it is, and what it may be.
        what: String,
    },
    /// The value is good as such, but not for this command.
    #[error("{name} is {shown:?}, but {rule}")]
    NotForThisCommand {
        /// The setting.
        name: &'static str,
        /// The value.
        shown: String,
        /// What the command needs, and what to do.
        rule: String,
    },
}

impl Problem {
    /// The setting that a command's need is about.
    pub(super) fn setting(&self) -> Option<&'static str> {
        match self {
            Self::Missing { name, .. } | Self::NotForThisCommand { name, .. } => Some(name),
            _ => None,
        }
    }
}

fn suggestion(table: bool, nearest: Option<&str>) -> String {
    match (nearest, table) {
        (Some(nearest), _) => format!("; did you mean {nearest}?"),
        (None, true) => "; settings have no tables, their names stand at the top level".to_owned(),
        (None, false) => "; `gatepost config` lists them".to_owned(),
    }
}
