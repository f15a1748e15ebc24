use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, FullKey};

/// A valid key, as token introspection (RFC 7662) describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveApiKey {
    /// The owner of the key: the subject of the owner's ID tokens.
    pub user_id: String,
    /// The identity provider of the owner.
    pub issuer: String,
    /// The key's id.
    pub key_id: String,
    /// The label that its owner chose.
    pub label: String,
    /// The scopes it was created with; empty if none.
    pub scopes: Vec<String>,
    /// When it was created, in seconds since 1970-01-01.
    pub created_at_unix_seconds: i64,
    /// When it expires, in seconds since 1970-01-01; `None` if never.
    pub expires_at_unix_seconds: Option<i64>,
}

/// Token introspection. This call needs an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Checks whether a key is valid now and has all `required_scopes`; `None` if not. The call counts as a use of the
    /// key.
    ///
    /// # Errors
    ///
    /// Code `rate_limited` if the key is valid but over its rate limit. Otherwise see [`Error`].
    pub async fn introspect(&self, key: &FullKey, required_scopes: &[&str]) -> Result<Option<ActiveApiKey>, Error> {
        let question = Question { token: key.expose(), scopes: required_scopes };
        let answer: Answer = self.call(Method::POST, "/api/operator/introspect", Some(&question)).await?;
        if !answer.active {
            return Ok(None);
        }
        // The message of serde_json quotes the answer, so it is not part of the error.
        let reason = "an active key without the documented fields";
        let key: Result<ActiveAnswer, _> = serde_json::from_value(answer.rest.into());
        key.map(|key| Some(key.into())).map_err(|_| Error::UnexpectedAnswer { status: 200, reason: reason.to_owned() })
    }
}

#[derive(Serialize)]
struct Question<'a> {
    token: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    scopes: &'a [&'a str],
}

#[derive(Deserialize)]
struct Answer {
    active: bool,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct ActiveAnswer {
    sub: String,
    iss: String,
    client_id: String,
    label: String,
    iat: i64,
    exp: Option<i64>,
    #[serde(default)]
    scope: String,
}

impl From<ActiveAnswer> for ActiveApiKey {
    fn from(answer: ActiveAnswer) -> Self {
        Self {
            user_id: answer.sub,
            issuer: answer.iss,
            key_id: answer.client_id,
            label: answer.label,
            scopes: answer.scope.split_ascii_whitespace().map(str::to_owned).collect(),
            created_at_unix_seconds: answer.iat,
            expires_at_unix_seconds: answer.exp,
        }
    }
}
