use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, segment};
use crate::{Client, Error, FullKey};

const PATH: &str = "/api/api-keys";

/// The record of an API key, as the service writes it. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApiKey {
    /// The id with which other calls name the key.
    pub id: String,
    /// The label that its owner chose.
    pub label: String,
    /// The preview: the start of the full key and an ellipsis.
    pub prefix: String,
    /// When it was created.
    pub created_at: String,
    /// When it was last used; `None` if never.
    pub last_used_at: Option<String>,
    /// When it was revoked; `None` while it is not.
    pub revoked_at: Option<String>,
    /// When it expires; `None` if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The scopes it was created with; empty if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The id of the key that replaced it in a rotation; `None` if it was not rotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// A key to create. A label is enough: `"CI deploy".into()`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewApiKey {
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
}

impl NewApiKey {
    /// A key with this label of 1 to 100 characters, which never expires and has no scope.
    pub fn labelled(label: impl Into<String>) -> Self {
        Self { label: label.into(), expires_at: None, scopes: Vec::new() }
    }

    /// Sets the expiry time: RFC 3339, in the future.
    #[must_use]
    pub fn ending_at(self, expires_at: impl Into<String>) -> Self {
        Self { expires_at: Some(expires_at.into()), ..self }
    }

    /// Sets the scopes, at most 32. The services that require scopes define their names.
    #[must_use]
    pub fn with_scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { scopes: scopes.into_iter().map(Into::into).collect(), ..self }
    }
}

impl<Label: Into<String>> From<Label> for NewApiKey {
    fn from(label: Label) -> Self {
        Self::labelled(label)
    }
}

/// A new key, with its secret.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreatedApiKey {
    /// The full key. Only this answer contains it.
    pub key: FullKey,
    /// The new key's id.
    pub key_id: String,
    /// The user's keys, the new one included.
    pub keys: Vec<ApiKey>,
}

/// Key management: these calls need an [`IdToken`](crate::IdToken) as credential.
///
/// A call that the service refuses returns [`Error::Refused`], with the code in [`Error::code`].
impl Client {
    /// The user's keys, newest first: every active key, and the 100 keys that expired or were revoked last.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_api_keys(&self) -> Result<Vec<ApiKey>, Error> {
        let list: KeyList = self.call(Method::GET, PATH, NO_BODY).await?;
        Ok(list.into_keys())
    }

    /// Creates a key.
    ///
    /// # Errors
    ///
    /// Code `api_key_limit_reached` if the user has the maximum number of active keys. Otherwise see [`Error`].
    pub async fn create_api_key(&self, new: impl Into<NewApiKey>) -> Result<CreatedApiKey, Error> {
        self.call(Method::POST, PATH, Some(&new.into())).await
    }

    /// Creates a key that replaces an old one. The old key stays valid for `overlap` (whole seconds, at most a week).
    ///
    /// # Errors
    ///
    /// Code `key_not_found`, `key_not_owned` or `key_not_rotatable`. Otherwise see [`Error`].
    pub async fn rotate_api_key(&self, key_id: &str, overlap: Duration) -> Result<CreatedApiKey, Error> {
        let path = format!("{PATH}/{}/rotate", segment(key_id));
        self.call(Method::POST, &path, Some(&RotateBody { overlap_seconds: overlap.as_secs() })).await
    }

    /// Revokes one of the user's keys and returns the updated list. Revoking a key again changes nothing and succeeds.
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
struct RotateBody {
    overlap_seconds: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RevokeBody<'a> {
    key_id: &'a str,
}

/// The specification allows two forms of the answer, and requires clients to accept both. See decision 3.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum KeyList {
    Object { keys: Vec<ApiKey> },
    Array(Vec<ApiKey>),
}

impl KeyList {
    pub(crate) fn into_keys(self) -> Vec<ApiKey> {
        match self {
            Self::Object { keys } | Self::Array(keys) => keys,
        }
    }
}
