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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// What it may be used for; empty when no scope was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The id of the key that it was rotated into; `None` when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// What a new key is to be. A label alone will do: `"CI deploy".into()`.
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
    /// A key that its owner calls `label`: 1 to 100 characters. It never ends by itself, and has no scope.
    pub fn labelled(label: impl Into<String>) -> Self {
        Self { label: label.into(), expires_at: None, scopes: Vec::new() }
    }

    /// Ends at `expires_at`: RFC 3339, in the future.
    #[must_use]
    pub fn ending_at(self, expires_at: impl Into<String>) -> Self {
        Self { expires_at: Some(expires_at.into()), ..self }
    }

    /// May be used for these scopes, in the words of the service that asks for them; at most 32.
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
    /// The full key. It is in this answer and never again.
    pub key: FullKey,
    /// The new key's id.
    pub key_id: String,
    /// The user's keys, the new one included.
    pub keys: Vec<ApiKey>,
}

/// Key management: these calls need an [`IdToken`](crate::IdToken) as credential.
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

    /// Creates a key.
    ///
    /// # Errors
    ///
    /// Code `api_key_limit_reached` when the user has as many active keys as allowed. Otherwise see [`Error`].
    pub async fn create_api_key(&self, new: impl Into<NewApiKey>) -> Result<CreatedApiKey, Error> {
        self.call(Method::POST, PATH, Some(&new.into())).await
    }

    /// Puts a new key in the place of an old one, which stays good beside it for `overlap` (whole seconds, at most a
    /// week).
    ///
    /// # Errors
    ///
    /// Code `key_not_found`, `key_not_owned` or `key_not_rotatable`. Otherwise see [`Error`].
    pub async fn rotate_api_key(&self, key_id: &str, overlap: Duration) -> Result<CreatedApiKey, Error> {
        let path = format!("{PATH}/{}/rotate", segment(key_id));
        self.call(Method::POST, &path, Some(&RotateBody { overlap_seconds: overlap.as_secs() })).await
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
struct RotateBody {
    overlap_seconds: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RevokeBody<'a> {
    key_id: &'a str,
}

/// The specification names two forms of the revoke answer, and asks clients to accept both.
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
