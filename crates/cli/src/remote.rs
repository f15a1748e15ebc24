use gatepost_client::{FullKey, IdToken, OperatorToken};

/// Where a running Gatepost is, and the credentials to call it with. Both come from environment variables, which the
/// binary reads.
#[derive(Debug, Default)]
pub struct Remote {
    pub(crate) url: Option<String>,
    pub(crate) id_token: Option<IdToken>,
    pub(crate) api_key: Option<FullKey>,
    pub(crate) operator_token: Option<OperatorToken>,
}

/// A variable has a value that it cannot have. The value may be a secret, so it is not part of the error.
#[derive(Debug, thiserror::Error)]
#[error("must be {allowed}")]
pub struct InvalidValue {
    /// What the variable may be, to follow "must be".
    pub allowed: &'static str,
}

impl Remote {
    /// The variable with the base URL of the service.
    pub const URL: &str = "GATEPOST_URL";
    /// The variable with an ID token.
    pub const ID_TOKEN: &str = "GATEPOST_ID_TOKEN";
    /// The variable with an API key.
    pub const API_KEY: &str = "GATEPOST_API_KEY";
    /// The variable with the operator token.
    pub const OPERATOR_TOKEN: &str = "GATEPOST_OPERATOR_TOKEN";
    /// Every variable that [`Remote::set`] accepts.
    pub const VARIABLES: [&str; 4] = [Self::URL, Self::ID_TOKEN, Self::API_KEY, Self::OPERATOR_TOKEN];

    /// Takes the value of one of [`Remote::VARIABLES`]. An empty value counts as not set, and so does any other name.
    ///
    /// # Errors
    ///
    /// When the variable cannot have this value.
    pub fn set(&mut self, variable: &str, value: &str) -> Result<(), InvalidValue> {
        if value.is_empty() {
            return Ok(());
        }
        match variable {
            Self::URL => self.url = Some(base_url(value)?),
            Self::ID_TOKEN => self.id_token = Some(IdToken::new(credential(value)?)),
            Self::API_KEY => self.api_key = Some(FullKey::new(credential(value)?)),
            Self::OPERATOR_TOKEN => self.operator_token = Some(OperatorToken::new(credential(value)?)),
            _ => {}
        }
        Ok(())
    }
}

/// The client library knows which URLs it can call.
fn base_url(value: &str) -> Result<String, InvalidValue> {
    let allowed = "an http or https URL without user, query and fragment";
    gatepost_client::Client::new(value).map_err(|_| InvalidValue { allowed })?;
    Ok(value.trim_end_matches('/').to_owned())
}

fn credential(value: &str) -> Result<&str, InvalidValue> {
    let fits_a_header = value.bytes().all(|byte| byte.is_ascii_graphic());
    if fits_a_header { Ok(value) } else { Err(InvalidValue { allowed: "visible ASCII characters only" }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_every_variable_and_prints_no_secret() {
        let mut remote = Remote::default();
        for (variable, value) in [
            (Remote::URL, "https://keys.example/"),
            (Remote::ID_TOKEN, "a.b.c"),
            (Remote::API_KEY, "svc_live_1"),
            (Remote::OPERATOR_TOKEN, "op"),
        ] {
            remote.set(variable, value).unwrap();
            remote.set(variable, "").unwrap();
        }
        assert_eq!(remote.url.as_deref(), Some("https://keys.example"));
        assert_eq!(remote.id_token.as_ref().unwrap().expose(), "a.b.c");
        assert_eq!(remote.api_key.as_ref().unwrap().expose(), "svc_live_1");
        assert_eq!(remote.operator_token.as_ref().unwrap().expose(), "op");
        let printed = format!("{remote:?}");
        assert!(!printed.contains("a.b.c") && !printed.contains("svc_live_1"));
    }

    #[test]
    fn refuses_values_that_cannot_be_sent() {
        for (variable, value) in [
            (Remote::URL, "https://user:swordfish@keys.example"),
            (Remote::URL, "keys.example"),
            (Remote::ID_TOKEN, "sword fish"),
            (Remote::API_KEY, "svc_live_swordfish\n\n"),
        ] {
            let error = Remote::default().set(variable, value).unwrap_err().to_string();
            assert!(error.starts_with("must be ") && !error.contains("fish"), "{error}");
        }
    }
}
