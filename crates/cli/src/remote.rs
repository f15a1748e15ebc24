use gatepost_client::webhooks::SigningSecret;
use gatepost_client::{FullKey, IdToken, OperatorToken, WebhookSecret};

use crate::web_address::WebAddress;

/// Where a running Gatepost is, and the credentials to call it with. Both come from environment variables, which the
/// binary reads.
#[derive(Debug, Default)]
pub struct Remote {
    pub(crate) url: Option<WebAddress>,
    pub(crate) id_token: Option<IdToken>,
    pub(crate) api_key: Option<FullKey>,
    pub(crate) operator_token: Option<OperatorToken>,
    pub(crate) webhook_secret: Option<WebhookSecret>,
}

/// A variable has a value that it cannot have. The value may be a secret, so it is not part of the error.
#[derive(Debug, thiserror::Error)]
#[error("must be {allowed}")]
pub struct InvalidValue {
    /// The allowed values, to follow "must be".
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
    /// The variable with the signing secret of `gatepost listen`.
    pub const WEBHOOK_SECRET: &str = "GATEPOST_WEBHOOK_SECRET";
    /// Every variable that [`Remote::set`] accepts.
    pub const VARIABLES: [&str; 5] =
        [Self::URL, Self::ID_TOKEN, Self::API_KEY, Self::OPERATOR_TOKEN, Self::WEBHOOK_SECRET];

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
            Self::WEBHOOK_SECRET => self.webhook_secret = Some(webhook_secret(value)?),
            _ => {}
        }
        Ok(())
    }

    /// Whether a URL or a credential is set.
    pub fn is_set(&self) -> bool {
        self.place_and_credentials().next().is_some()
    }

    /// The same place and credentials, with this signing secret of `gatepost listen`.
    #[must_use]
    pub fn listening_as(self, other: Self) -> Self {
        Self { webhook_secret: other.webhook_secret.or(self.webhook_secret), ..self }
    }

    /// The variables that are set, except the signing secret of `gatepost listen`, with their values.
    pub(crate) fn place_and_credentials(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { url, id_token, api_key, operator_token, .. } = self;
        let values = [
            (Self::URL, url.as_ref().map(WebAddress::as_str)),
            (Self::ID_TOKEN, id_token.as_ref().map(IdToken::expose)),
            (Self::API_KEY, api_key.as_ref().map(FullKey::expose)),
            (Self::OPERATOR_TOKEN, operator_token.as_ref().map(OperatorToken::expose)),
        ];
        values.into_iter().filter_map(|(variable, value)| Some((variable, value?)))
    }
}

fn base_url(value: &str) -> Result<WebAddress, InvalidValue> {
    WebAddress::parse(value).ok_or(InvalidValue { allowed: WebAddress::ALLOWED })
}

fn webhook_secret(value: &str) -> Result<WebhookSecret, InvalidValue> {
    let allowed = "whsec_ and the base64 of 24 to 64 bytes, or 1 to 256 other characters";
    SigningSecret::parse(value).map_err(|_| InvalidValue { allowed })?;
    Ok(WebhookSecret::new(value))
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
            (Remote::WEBHOOK_SECRET, "swordfish"),
        ] {
            remote.set(variable, value).unwrap();
            remote.set(variable, "").unwrap();
        }
        assert_eq!(remote.url.as_ref().map(WebAddress::as_str), Some("https://keys.example"));
        assert_eq!(remote.id_token.as_ref().unwrap().expose(), "a.b.c");
        assert_eq!(remote.api_key.as_ref().unwrap().expose(), "svc_live_1");
        assert_eq!(remote.operator_token.as_ref().unwrap().expose(), "op");
        assert_eq!(remote.webhook_secret.as_ref().unwrap().expose(), "swordfish");
        let printed = format!("{remote:?}");
        for secret in ["a.b.c", "svc_live_1", "op\"", "swordfish"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }

    #[test]
    fn refuses_values_that_cannot_be_sent() {
        for (variable, value) in [
            (Remote::URL, "https://user:swordfish@keys.example"),
            (Remote::URL, "keys.example"),
            (Remote::ID_TOKEN, "sword fish"),
            (Remote::API_KEY, "svc_live_swordfish\n\n"),
            (Remote::WEBHOOK_SECRET, "whsec_swordfish"),
        ] {
            let error = Remote::default().set(variable, value).unwrap_err().to_string();
            assert!(error.starts_with("must be ") && !error.contains("fish"), "{error}");
        }
    }
}
