use reqwest::Method;
use serde::Deserialize;

use crate::rest_client::NO_BODY;
use crate::{Client, Error};

/// Whom the service takes the caller for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WhoAmI {
    /// The user: the subject of their ID tokens.
    pub user_id: String,
    /// What the call was made with.
    pub credential: UsedCredential,
}

/// The credential of a call, as the service knows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum UsedCredential {
    /// An API key.
    ApiKey {
        /// The key's id.
        key_id: String,
        /// What its owner called it.
        label: String,
        /// What it may be used for; empty when no scope was given.
        #[serde(default)]
        scopes: Vec<String>,
    },
    /// An ID token.
    IdToken,
}

impl Client {
    /// Asks whose credential this is. Takes an API key or an ID token.
    ///
    /// # Errors
    ///
    /// Code `credential_missing` or `credential_invalid`. Otherwise see [`Error`].
    pub async fn whoami(&self) -> Result<WhoAmI, Error> {
        self.call(Method::GET, "/api/whoami", NO_BODY).await
    }
}
