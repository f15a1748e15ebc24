use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, segment};
use crate::{Client, Error};

const PATH: &str = "/api/sessions";

/// A session of a browser, as the service writes it. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Session {
    /// The id with which other calls name the session. It is not a secret.
    pub id: String,
    /// Whether this session makes the call. Never with an ID token or an operator token.
    #[serde(default)]
    pub current: bool,
    /// `user`, `operator` or `visitor`.
    pub role: String,
    /// The rights of the session to the things of the user.
    pub capabilities: Vec<String>,
    /// When the user signed in.
    pub created_at: String,
    /// When it was last used.
    pub seen_at: String,
    /// When it ends if it is not used again.
    pub idle_expires_at: String,
    /// When it ends, however much it is used.
    pub expires_at: String,
    /// The `User-Agent` of the browser that signed in; `None` if it sent none.
    pub user_agent: Option<String>,
    /// The address from which the user signed in; `None` if it is not known.
    pub address: Option<String>,
}

/// The sessions of a user. These calls need an [`IdToken`](crate::IdToken) as credential.
impl Client {
    /// The user's sessions, newest first.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_sessions(&self) -> Result<Vec<Session>, Error> {
        let list: SessionList = self.call(Method::GET, PATH, NO_BODY).await?;
        Ok(list.sessions)
    }

    /// Ends one session of the user, and returns the remaining ones.
    ///
    /// # Errors
    ///
    /// Code `session_not_found`. Otherwise see [`Error`].
    pub async fn end_session(&self, id: &str) -> Result<Vec<Session>, Error> {
        let list: SessionList = self.call(Method::DELETE, &format!("{PATH}/{}", segment(id)), NO_BODY).await?;
        Ok(list.sessions)
    }

    /// Ends all sessions of the user.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn end_sessions(&self) -> Result<(), Error> {
        let _: SessionList = self.call(Method::DELETE, PATH, NO_BODY).await?;
        Ok(())
    }
}

#[derive(Deserialize)]
pub(crate) struct SessionList {
    pub(crate) sessions: Vec<Session>,
}
