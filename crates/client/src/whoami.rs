use reqwest::Method;
use serde::Deserialize;

use crate::rest_client::NO_BODY;
use crate::{Client, Error};

/// The caller, as the service identifies it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WhoAmI {
    /// The user's id: the subject of the user's ID tokens; `None` if the credential is an organization's.
    pub user_id: Option<String>,
    /// The organization for which the call is made; `None` if it is made for the user.
    pub organization_id: Option<String>,
    /// The credential of the call.
    pub credential: UsedCredential,
}

/// The credential of a call, as the service identifies it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum UsedCredential {
    /// An API key.
    ApiKey {
        /// The key's id.
        key_id: String,
        /// The label that its owner chose.
        label: String,
        /// The scopes it was created with; empty if none.
        #[serde(default)]
        scopes: Vec<String>,
    },
    /// An ID token.
    IdToken,
}

impl Client {
    /// Identifies the caller. The credential must be an API key or an ID token.
    ///
    /// # Errors
    ///
    /// Code `credential_missing` or `credential_invalid`. Otherwise see [`Error`].
    pub async fn whoami(&self) -> Result<WhoAmI, Error> {
        self.call(Method::GET, "/api/whoami", NO_BODY).await
    }
}
