use reqwest::Method;
use serde::Deserialize;

use crate::rest_client::NO_BODY;
use crate::{Client, Error};

/// How a command line signs a person in at the identity provider of the service: the authorization code flow with PKCE,
/// and a redirect to this machine (RFC 8252).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CommandLineClient {
    /// The identity provider, as its ID tokens have it in `iss`.
    pub issuer: String,
    /// The client id. The client is public: it has no secret.
    pub client_id: String,
}

impl Client {
    /// Reports how a command line signs in. Needs no credential.
    ///
    /// # Errors
    ///
    /// Code `command_line_sign_in_off` if the service has no client for command lines. Otherwise see [`Error`].
    pub async fn find_command_line_client(&self) -> Result<CommandLineClient, Error> {
        self.call(Method::GET, "/api/command-line-client", NO_BODY).await
    }
}
