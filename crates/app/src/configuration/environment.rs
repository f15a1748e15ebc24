use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use adapters_system::ServiceManager;
use cli::{ProfileName, Profiles};

use super::warning::KNOWN;
use super::{InvalidConfiguration, Problem, Warning};

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
    /// The profile of `gatepost login` that the client uses.
    pub(super) const PROFILE: &str = "GATEPOST_PROFILE";
    /// The home of configuration files, by the XDG Base Directory Specification, and its default, which is in `HOME`.
    const CONFIG_HOME: &str = "XDG_CONFIG_HOME";
    const HOME: &str = "HOME";
    const OTHERS: [&str; 5] = [Self::NO_COLOR, Self::NOTIFY_SOCKET, Self::PROFILE, Self::CONFIG_HOME, Self::HOME];

    /// Reads the settings and the variables of [`Remote`](cli::Remote), `NAME` and `NAME_FILE`, and no other values.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub(crate) fn of_process() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let is_known = |name: &String| KNOWN.contains(name) || Self::OTHERS.contains(&name.as_str());
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

    /// The profile that `GATEPOST_PROFILE` names; `None` if it is not set or empty.
    ///
    /// # Errors
    ///
    /// When the value is not the name of a profile.
    pub(crate) fn profile(&self) -> Result<Option<ProfileName>, InvalidConfiguration> {
        let Some(value) = self.get(Self::PROFILE).filter(|value| !value.is_empty()) else { return Ok(None) };
        let name = value.to_str().unwrap_or_default();
        Ok(Some(ProfileName::parse(name)?))
    }

    /// The profiles of the user. A relative `XDG_CONFIG_HOME` does not count, as its specification says.
    ///
    /// # Errors
    ///
    /// When neither `XDG_CONFIG_HOME` nor `HOME` is set.
    pub(crate) fn profiles(&self) -> Result<Profiles, InvalidConfiguration> {
        let folder = |name| self.get(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let config = folder(Self::CONFIG_HOME).or_else(|| Some(folder(Self::HOME)?.join(".config")));
        let what = "profiles are in the folder that it names, or else in .config in the folder that HOME names";
        Ok(Profiles::of_user(&config.ok_or_else(|| Problem::missing(Self::CONFIG_HOME, what))?))
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
