use cli::Remote;

use super::database_url::without_password;
use super::load::in_environment;
use super::secret::MASK;
use super::{Environment, InvalidConfiguration, Problem};

/// Reads the variables of the client, each from `NAME` or from the file that `NAME_FILE` names. They do not configure a
/// server, so the configuration file cannot contain them.
///
/// # Errors
///
/// Every variable that cannot be used.
pub(crate) fn remote(environment: &Environment) -> Result<Remote, InvalidConfiguration> {
    let mut remote = Remote::default();
    let taken = Remote::VARIABLES.map(|name| take(name, environment, &mut remote));
    let problems: Vec<Problem> = taken.into_iter().filter_map(Result::err).collect();
    if problems.is_empty() { Ok(remote) } else { Err(InvalidConfiguration(problems)) }
}

fn take(name: &'static str, environment: &Environment, remote: &mut Remote) -> Result<(), Problem> {
    let Some(given) = in_environment(environment, name)? else {
        return Ok(());
    };
    // A refused URL may contain a password, and the other variables are secrets.
    let shown = if name == Remote::URL { without_password(&given.shown()) } else { MASK.to_owned() };
    let refused = |allowed: String| Problem::Refused { name, shown, origin: given.origin.clone(), allowed };
    remote.set(name, &given.shown()).map_err(|error| refused(error.allowed.to_owned()))
}
