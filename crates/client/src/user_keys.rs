use reqwest::Method;

use crate::api_keys::KeyList;
use crate::rest_client::{NO_BODY, segment};
use crate::{ApiKey, Client, Error};

/// The keys of any user, for support staff. These calls need an [`OperatorToken`](crate::OperatorToken) as credential.
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
}

fn path(user_id: &str) -> String {
    format!("/api/operator/users/{}/keys", segment(user_id))
}
