use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::patch::Changes;
use crate::rest_client::{NO_BODY, member, query, segment};
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
    /// Pairs for the application; empty if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// How often it may be used, such as `100/s`; `None` if the limit of the service holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<String>,
    /// When it was disabled; `None` if it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<String>,
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
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<String>,
}

impl NewApiKey {
    /// A key with this label of 1 to 100 characters, without anything optional.
    pub fn labelled(label: impl Into<String>) -> Self {
        Self { label: label.into(), expires_at: None, scopes: Vec::new(), metadata: BTreeMap::new(), rate_limit: None }
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

    /// Adds a pair for the application, which each verification of the key returns.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// Sets how often the key may be used, such as `100/s`.
    #[must_use]
    pub fn with_rate_limit(self, rate_limit: impl Into<String>) -> Self {
        Self { rate_limit: Some(rate_limit.into()), ..self }
    }
}

impl<Label: Into<String>> From<Label> for NewApiKey {
    fn from(label: Label) -> Self {
        Self::labelled(label)
    }
}

/// Changes of a key. A field that is not set keeps its value.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ApiKeyChange(Changes);

impl ApiKeyChange {
    /// Gives the key this label.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self(self.0.setting("label", label.into()))
    }

    /// Sets a pair for the application, or removes the name with `None`.
    #[must_use]
    pub fn metadata(self, name: impl Into<String>, value: Option<String>) -> Self {
        Self(self.0.setting_metadata(name.into(), value))
    }

    /// Sets how often the key may be used, such as `100/s`. With `None` the limit of the service holds.
    #[must_use]
    pub fn rate_limit(self, rate_limit: Option<String>) -> Self {
        Self(self.0.setting("rateLimit", rate_limit))
    }

    /// Disables the key, or enables it.
    #[must_use]
    pub fn disabled(self, disabled: bool) -> Self {
        Self(self.0.setting("disabled", disabled))
    }

    /// Ends the key at this time (RFC 3339), which is not later than its present end.
    #[must_use]
    pub fn ending_at(self, expires_at: impl Into<String>) -> Self {
        Self(self.0.setting("expiresAt", expires_at.into()))
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

/// Key management: these calls need an [`IdToken`](crate::IdToken) as credential, or, for any owner, an
/// [`OperatorToken`](crate::OperatorToken) and [`Client::for_owner`].
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

    /// Changes a key and returns it. The service refuses a disabled key until it is enabled again.
    ///
    /// # Errors
    ///
    /// Code `key_not_found`, `key_not_owned` or `key_not_changeable`. Otherwise see [`Error`].
    pub async fn change_api_key(&self, key_id: &str, change: &ApiKeyChange) -> Result<ApiKey, Error> {
        self.call(Method::PATCH, &format!("{PATH}/{}", segment(key_id)), Some(change)).await
    }

    /// Creates a key that replaces an old one. The old key stays valid for `overlap` (whole seconds, at most a week).
    ///
    /// # Errors
    ///
    /// Code `key_not_found`, `key_not_owned` or `key_not_rotatable`. Otherwise see [`Error`].
    pub async fn rotate_api_key(&self, key_id: &str, overlap: Duration) -> Result<CreatedApiKey, Error> {
        let path = format!("{PATH}/{}/rotate", segment(key_id));
        self.call(Method::POST, &path, Some(&member("overlapSeconds", overlap.as_secs()))).await
    }

    /// Revokes one of the user's keys and returns the updated list. Revoking a key again succeeds without effect.
    ///
    /// # Errors
    ///
    /// Code `key_not_found` or `key_not_owned`. Otherwise see [`Error`].
    pub async fn revoke_api_key(&self, key_id: &str) -> Result<Vec<ApiKey>, Error> {
        let list: KeyList = if self.host_of().is_some() {
            self.call(Method::DELETE, &format!("{PATH}/{}", segment(key_id)), NO_BODY).await?
        } else {
            self.call(Method::DELETE, PATH, Some(&member("keyId", key_id))).await?
        };
        Ok(list.into_keys())
    }

    /// Revokes all keys of an owner, or with `created_before` (RFC 3339) only keys that are older. Returns how many keys
    /// this call has revoked. Repeat a call that has failed.
    ///
    /// Only the host makes this call: with an [`OperatorToken`](crate::OperatorToken), after [`Client::for_owner`].
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn revoke_all_api_keys(&self, created_before: Option<&str>) -> Result<u64, Error> {
        let path = format!("{PATH}{}", query(&[("createdBefore", created_before)]));
        let answer: Revoked = self.call(Method::DELETE, &path, NO_BODY).await?;
        Ok(answer.revoked_count)
    }

    /// Revokes up to 1,000 leaked keys of any owner. Returns the id of each key in the same order, and `None` for a
    /// string that is not a key. Reporting a key again succeeds without effect.
    ///
    /// This call needs an [`OperatorToken`](crate::OperatorToken) as credential.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn report_leaks(&self, found: &[FullKey]) -> Result<Vec<Option<String>>, Error> {
        let tokens: Vec<&str> = found.iter().map(FullKey::expose).collect();
        let answer: LeakAnswer =
            self.call(Method::POST, "/api/operator/leaks", Some(&member("tokens", tokens))).await?;
        Ok(answer.key_ids)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Revoked {
    revoked_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeakAnswer {
    key_ids: Vec<Option<String>>,
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
