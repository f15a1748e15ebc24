use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use adapters_system::ServiceManager;
use cli::Remote;

use super::Warning;
use super::settings::{settings, value_file_name};

/// The variables of the environment that Gatepost reads, as they were when the process started.
#[derive(Default)]
pub(crate) struct Environment {
    values: BTreeMap<String, OsString>,
    /// Names of other variables. Their values are not kept.
    others: Vec<String>,
}

impl Environment {
    /// The convention of <https://no-color.org>.
    const NO_COLOR: &str = "NO_COLOR";
    /// The convention of systemd, `sd_notify(3)`.
    const NOTIFY_SOCKET: &str = "NOTIFY_SOCKET";

    /// Reads the settings and the variables of [`Remote`], `NAME` and `NAME_FILE`, and no other values.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub(crate) fn of_process() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let names = settings().map(|setting| setting.name).chain(Remote::VARIABLES);
        let known: BTreeSet<String> = names.flat_map(|name| [name.to_owned(), value_file_name(name)]).collect();
        let is_known =
            |name: &String| known.contains(name) || [Self::NO_COLOR, Self::NOTIFY_SOCKET].contains(&name.as_str());
        let (values, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            variables.into_iter().partition(|(name, _)| is_known(name));
        Self { values, others: others.into_keys().collect() }
    }

    /// Whether the user asks programs for output without colours.
    pub(super) fn forbids_colours(&self) -> bool {
        self.get(Self::NO_COLOR).is_some_and(|value| !value.is_empty())
    }

    /// The service manager that started this process.
    pub(crate) fn service_manager(&self) -> ServiceManager {
        ServiceManager::at(self.get(Self::NOTIFY_SOCKET).cloned())
    }

    /// Names that look like misspelt names of settings.
    pub(super) fn warnings(&self) -> impl Iterator<Item = Warning> {
        self.others.iter().filter_map(|name| Warning::of_variable(name))
    }

    /// The value of a variable; `None` if it is not set.
    pub(super) fn get(&self, name: &str) -> Option<&OsString> {
        self.values.get(name)
    }
}
