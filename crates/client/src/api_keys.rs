use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, FullKey};

const PATH: &str = "/api/api-keys";
const NO_BODY: Option<&()> = None;

/// The record of an API key. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApiKey {
    /// Names the key when it is revoked.
    pub id: String,
    /// What its owner called it.
    pub label: String,
    /// The preview: the start of the full key and an ellipsis.
    pub prefix: String,
    /// When it was created.
    pub created_at: String,
    /// When it was last used; `None` when never.
    pub last_used_at: Option<String>,
    /// When it was revoked; `None` while it is not.
    pub revoked_at: Option<String>,
    /// When it stops to be good by itself; `None` when never.
    pub expires_at: Option<String>,
}

/// A new key, with its secret.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreatedApiKey {
    /// The full key. It is in this answer and never again.
    pub key: FullKey,
    /// The new key's id.
    pub key_id: String,
    /// The user's keys, the new one included.
    pub keys: Vec<ApiKey>,
}

/// Key management: all three calls need an [`IdToken`](crate::IdToken) as credential.
///
/// Each fails with [`Error::Refused`] where the service refuses; its codes are in [`Error::code`].
impl Client {
    /// The user's keys, newest first: every active one, and the 100 that ended last.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_api_keys(&self) -> Result<Vec<ApiKey>, Error> {
        let list: KeyList = self.call(Method::GET, PATH, NO_BODY).await?;
        Ok(list.into_keys())
    }

    /// Creates a key that ends at `expires_at` (RFC 3339, in the future), or never.
    ///
    /// # Errors
    ///
    /// Code `api_key_limit_reached` when the user has as many active keys as allowed. Otherwise see [`Error`].
    pub async fn create_api_key(&self, label: &str, expires_at: Option<&str>) -> Result<CreatedApiKey, Error> {
        self.call(Method::POST, PATH, Some(&CreateBody { label, expires_at })).await
    }

    /// Revokes a key of the user's and answers with the updated list. Revoking again changes nothing and succeeds.
    ///
    /// # Errors
    ///
    /// Code `key_not_found` or `key_not_owned`. Otherwise see [`Error`].
    pub async fn revoke_api_key(&self, key_id: &str) -> Result<Vec<ApiKey>, Error> {
        let list: KeyList = self.call(Method::DELETE, PATH, Some(&RevokeBody { key_id })).await?;
        Ok(list.into_keys())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CreateBody<'a> {
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RevokeBody<'a> {
    key_id: &'a str,
}

/// The specification names two forms of the revoke answer, and asks clients to accept both.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeyList {
    Object { keys: Vec<ApiKey> },
    Array(Vec<ApiKey>),
}

impl KeyList {
    fn into_keys(self) -> Vec<ApiKey> {
        match self {
            Self::Object { keys } | Self::Array(keys) => keys,
        }
    }
}
