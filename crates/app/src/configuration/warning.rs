use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cli::Remote;

use super::given::Origin;
use super::settings::{settings, value_file_name};

/// The variable with which TLS libraries, ours too, find certificate authorities. It is almost `TLS_CERT_FILE`.
const CERTIFICATE_AUTHORITIES: &str = "SSL_CERT_FILE";

/// The variables for the settings and for [`Remote`], `NAME` and `NAME_FILE`.
pub(super) static KNOWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let names = settings().iter().map(|setting| setting.name).chain(Remote::VARIABLES);
    names.flat_map(|name| [name.to_owned(), value_file_name(name)]).collect()
});

/// A likely mistake in the configuration, which does not stop the start.
#[derive(Debug)]
pub(crate) enum Warning {
    /// A variable of the environment that is almost a setting.
    Misspelt {
        /// The name of the variable. Its value is not kept: it may be a secret.
        name: String,
        /// The most similar known name.
        nearest: Option<String>,
    },
    /// A file with values that every user of the machine can change.
    WritableByAll(PathBuf),
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misspelt { name, nearest: Some(nearest) } => {
                write!(formatter, "unknown variable {name} in the environment; did you mean {nearest}?")
            }
            Self::Misspelt { name, nearest: None } => write!(formatter, "unknown variable {name} in the environment"),
            Self::WritableByAll(path) => {
                let path = path.display();
                write!(
                    formatter,
                    "every user of this machine can write {path}, which holds configuration: chmod o-w {path}"
                )
            }
        }
    }
}

impl Warning {
    /// Whether a variable that is not known looks like a misspelt one. Names that start with `GATEPOST_` are always
    /// reported; other names only within two changes of a known name, or as the beginning of one.
    pub(super) fn of_variable(name: &str) -> Option<Self> {
        if name == CERTIFICATE_AUTHORITIES {
            return None;
        }
        let ours = name.strip_prefix("GATEPOST_");
        let nearest = ours.and_then(nearest).or_else(|| nearest(name));
        let is_ours = ours.is_some() || nearest.is_some();
        is_ours.then(|| Self::Misspelt { name: name.to_owned(), nearest })
    }

    /// Whether every user of the machine can change the file that a value came from.
    pub(super) fn of_origin(origin: &Origin) -> Option<Self> {
        origin.file().and_then(of_file)
    }

    /// The correction.
    pub(crate) fn cure(&self) -> String {
        match self {
            Self::Misspelt { name, .. } => format!("correct the name, or `unset {name}`"),
            Self::WritableByAll(path) => format!("correct the rights of the file: `chmod o-w '{}'`", path.display()),
        }
    }
}

fn of_file(path: &Path) -> Option<Warning> {
    let metadata = fs::metadata(path).ok()?;
    let is_open = metadata.is_file() && metadata.permissions().mode() & 0o002 != 0;
    is_open.then(|| Warning::WritableByAll(path.to_owned()))
}

/// The known name within two changes of `name`, or within one change of a short name.
fn nearest(name: &str) -> Option<String> {
    let close = KNOWN.iter().filter_map(|known| Some((few_changes(known, name)?, known)));
    close.min().map(|(_, known)| known.clone())
}

/// By how many changes the names differ; `None` if that is too many for a mistake.
fn few_changes(known: &str, name: &str) -> Option<usize> {
    let (begins, max) = (begins(known, name), if known.len() < 10 { usize::from(known.len() > 5) } else { 2 });
    // Similar names have similar lengths and almost the same letters, which are quick to compare: a container can have
    // hundreds of variables.
    if !begins && (known.len().abs_diff(name.chars().count()) > max || unmatched_letters(known, name) > max) {
        return None;
    }
    let changes = strsim::osa_distance(known, name);
    (begins || changes <= max).then_some(changes)
}

/// The letters of one name that the other does not have. The names differ by at least this number of changes.
fn unmatched_letters(one: &str, other: &str) -> usize {
    let mut surplus = [0_isize; 64];
    let place = |letter: char| letter as usize % 64;
    one.chars().for_each(|letter| surplus[place(letter)] += 1);
    other.chars().for_each(|letter| surplus[place(letter)] -= 1);
    let more: isize = surplus.iter().filter(|count| **count > 0).sum();
    let fewer: isize = surplus.iter().filter(|count| **count < 0).sum();
    more.max(-fewer).unsigned_abs()
}

/// Whether `name` is the beginning of a known name, up to an underscore. Single words and short names, such as
/// `WEBHOOK` or `API_KEY`, belong to other programs.
fn begins(known: &str, name: &str) -> bool {
    name.len() > 8 && name.contains('_') && known.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmatched_letters_are_at_most_the_changes() {
        let changed = [("LISTEN", "LISTNE", 0), ("LISTEN", "LISTÉN", 1), ("LOG", "LOGS", 1), ("LOG", "ÄÖÜÜ", 4)];
        for (one, other, unmatched) in changed {
            assert_eq!(unmatched_letters(one, other), unmatched, "{one} {other}");
        }
        for (one, other) in KNOWN.iter().zip(KNOWN.iter().skip(1)) {
            assert!(unmatched_letters(one, other) <= strsim::osa_distance(one, other), "{one} {other}");
        }
    }
}
