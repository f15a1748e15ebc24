use std::collections::BTreeMap;
use std::ffi::OsString;

use cli::Remote;

use super::settings::{settings, value_file_name};

/// The variables of the environment that mean something to us, as they were when the process started.
#[derive(Default)]
pub(crate) struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// Reads the settings and the variables of [`Remote`], `NAME` and `NAME_FILE`, and no others.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub(crate) fn of_process() -> Self {
        let names = settings().map(|setting| setting.name).chain(Remote::VARIABLES);
        let names = names.flat_map(|name| [name.to_owned(), value_file_name(name)]);
        Self(names.filter_map(|name| std::env::var_os(&name).map(|value| (name, value))).collect())
    }

    /// What the variable holds; `None` when it is not set.
    pub(super) fn get(&self, name: &str) -> Option<&OsString> {
        self.0.get(name)
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect())
    }
}
