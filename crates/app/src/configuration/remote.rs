use super::given::Given;
use super::load::in_environment;
use super::secret::MASK;
use super::{Environment, InvalidConfiguration, Problem, Secret, WebAddress};

/// Where a running Gatepost is, and what its API is called with: for the commands that are its clients. These are no
/// settings of a server's, so they stand in the environment alone.
#[derive(Debug)]
pub(crate) struct Remote {
    /// `GATEPOST_URL`
    pub(crate) url: Option<WebAddress>,
    /// `GATEPOST_ID_TOKEN`
    pub(crate) id_token: Option<Secret>,
    /// `GATEPOST_API_KEY`
    pub(crate) api_key: Option<Secret>,
    /// `GATEPOST_OPERATOR_TOKEN`
    pub(crate) operator_token: Option<Secret>,
}

impl Remote {
    pub(crate) const URL: &str = "GATEPOST_URL";
    pub(crate) const ID_TOKEN: &str = "GATEPOST_ID_TOKEN";
    pub(crate) const API_KEY: &str = "GATEPOST_API_KEY";
    pub(crate) const OPERATOR_TOKEN: &str = "GATEPOST_OPERATOR_TOKEN";
    pub(super) const NAMES: [&str; 4] = [Self::URL, Self::ID_TOKEN, Self::API_KEY, Self::OPERATOR_TOKEN];

    /// Reads them, each from `NAME` or from the file that `NAME_FILE` names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once.
    pub(crate) fn load(environment: &Environment) -> Result<Self, InvalidConfiguration> {
        let mut problems = Vec::new();
        let remote = Self {
            url: keep(url(environment), &mut problems),
            id_token: keep(token(environment, Self::ID_TOKEN), &mut problems),
            api_key: keep(token(environment, Self::API_KEY), &mut problems),
            operator_token: keep(token(environment, Self::OPERATOR_TOKEN), &mut problems),
        };
        if problems.is_empty() { Ok(remote) } else { Err(InvalidConfiguration(problems)) }
    }
}

fn keep<T>(read: Result<Option<T>, Problem>, problems: &mut Vec<Problem>) -> Option<T> {
    read.unwrap_or_else(|problem| {
        problems.push(problem);
        None
    })
}

fn url(environment: &Environment) -> Result<Option<WebAddress>, Problem> {
    let Some(given) = in_environment(environment, Remote::URL)? else {
        return Ok(None);
    };
    given.optional(WebAddress::parse).map_err(|_| refused(Remote::URL, &given, WebAddress::ALLOWED))
}

fn token(environment: &Environment, name: &'static str) -> Result<Option<Secret>, Problem> {
    let Some(given) = in_environment(environment, name)? else {
        return Ok(None);
    };
    let visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic()).then(|| Secret::new(text));
    given.optional(visible).map_err(|_| refused(name, &given, "visible ASCII characters alone"))
}

/// A URL that is refused may have a password in it, so nothing is shown.
fn refused(name: &'static str, given: &Given, allowed: &str) -> Problem {
    Problem::Refused { name, shown: MASK.to_owned(), origin: given.origin.clone(), allowed: allowed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_shows_no_secret() {
        let nothing = Remote::load(&Environment::default()).unwrap();
        assert!(nothing.url.is_none() && nothing.id_token.is_none() && nothing.operator_token.is_none());
        let empty = Remote::load(&Environment::from([(Remote::URL, ""), (Remote::ID_TOKEN, "")])).unwrap();
        assert!(empty.url.is_none() && empty.id_token.is_none());

        let all = [
            (Remote::URL, "https://keys.example/"),
            (Remote::ID_TOKEN, "a.b.c"),
            (Remote::API_KEY, "svc_live_1"),
            (Remote::OPERATOR_TOKEN, "op"),
        ];
        let all = Remote::load(&Environment::from(all)).unwrap();
        assert_eq!(all.url.as_ref().unwrap().as_str(), "https://keys.example");
        assert_eq!(all.id_token.as_ref().unwrap().expose(), "a.b.c");
        assert_eq!(all.api_key.as_ref().unwrap().expose(), "svc_live_1");
        assert_eq!(all.operator_token.as_ref().unwrap().expose(), "op");
        let printed = format!("{all:?}");
        assert!(!printed.contains("a.b.c") && !printed.contains("svc_live_1"));
    }

    #[test]
    fn names_everything_that_is_wrong() {
        let wrong = [
            (Remote::URL, "https://user:swordfish@keys.example"),
            (Remote::ID_TOKEN, "sword fish"),
            (Remote::API_KEY, "svc_live_swordfish\n\n"),
            ("GATEPOST_OPERATOR_TOKEN_FILE", "/does/not/exist"),
        ];
        let problems = Remote::load(&Environment::from(wrong)).unwrap_err().to_string();
        for name in Remote::NAMES {
            assert!(problems.contains(name), "{problems}");
        }
        assert!(!problems.contains("swordfish") && !problems.contains("sword fish"), "{problems}");
    }
}
