use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::api_keys::KeyList;
use crate::rest_client::{NO_BODY, query, segment};
use crate::{ApiKey, Client, Error, FullKey};

/// The keys of any user, for support staff and secret scanners. These calls need an
/// [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// The keys of a user, newest first, as the user sees them; empty for an unknown user.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_user_api_keys(&self, user_id: &str) -> Result<Vec<ApiKey>, Error> {
        let list: KeyList = self.call(Method::GET, &path(user_id), NO_BODY).await?;
        Ok(list.into_keys())
    }

    /// Revokes a key of a user and returns the user's updated list. Revoking a key again changes nothing and succeeds.
    ///
    /// # Errors
    ///
    /// Code `key_not_found` or `key_not_owned`. Otherwise see [`Error`].
    pub async fn revoke_user_api_key(&self, user_id: &str, key_id: &str) -> Result<Vec<ApiKey>, Error> {
        let path = format!("{}/{}", path(user_id), segment(key_id));
        let list: KeyList = self.call(Method::DELETE, &path, NO_BODY).await?;
        Ok(list.into_keys())
    }

    /// Revokes all keys of a user, or with `created_before` (RFC 3339) only keys that are older. Returns how many keys
    /// this call has revoked. Repeat a call that has failed.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn revoke_user_api_keys(&self, user_id: &str, created_before: Option<&str>) -> Result<u64, Error> {
        let path = format!("{}{}", path(user_id), query(&[("createdBefore", created_before)]));
        let answer: Revoked = self.call(Method::DELETE, &path, NO_BODY).await?;
        Ok(answer.revoked_count)
    }

    /// Revokes up to 1,000 leaked keys of any user. Returns the id of each key in the same order, and `None` for a
    /// string that is not a key. Reporting a key again changes nothing and succeeds.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn report_leaks(&self, found: &[FullKey]) -> Result<Vec<Option<String>>, Error> {
        let report = Report { tokens: found.iter().map(FullKey::expose).collect() };
        let answer: Answer = self.call(Method::POST, "/api/operator/leaks", Some(&report)).await?;
        Ok(answer.key_ids)
    }
}

fn path(user_id: &str) -> String {
    format!("/api/operator/users/{}/keys", segment(user_id))
}

#[derive(Serialize)]
struct Report<'a> {
    tokens: Vec<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Revoked {
    revoked_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    key_ids: Vec<Option<String>>,
}
