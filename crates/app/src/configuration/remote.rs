use cli::Remote;

use super::load::in_environment;
use super::secret::MASK;
use super::{Environment, InvalidConfiguration, Problem};

/// Reads the variables of the client, each from `NAME` or from the file that `NAME_FILE` names. They are no settings of
/// a server, so the configuration file has none of them.
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
    // A URL that is refused may have a password in it, so no value is shown.
    let refused =
        |allowed: String| Problem::Refused { name, shown: MASK.to_owned(), origin: given.origin.clone(), allowed };
    remote.set(name, &given.shown()).map_err(|error| refused(error.allowed.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_everything_that_is_wrong_and_shows_no_secret() {
        let wrong = [
            (Remote::URL, "https://user:swordfish@keys.example"),
            (Remote::ID_TOKEN, "sword fish"),
            (Remote::API_KEY, "svc_live_swordfish\n\n"),
            ("GATEPOST_OPERATOR_TOKEN_FILE", "/does/not/exist"),
        ];
        let problems = remote(&Environment::from(wrong)).unwrap_err().to_string();
        for name in Remote::VARIABLES {
            assert!(problems.contains(name), "{problems}");
        }
        assert!(!problems.contains("swordfish") && !problems.contains("sword fish"), "{problems}");
        assert!(remote(&Environment::from([(Remote::URL, ""), (Remote::ID_TOKEN, "")])).is_ok());
    }
}
