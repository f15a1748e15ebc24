use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, FullKey};

/// What Gatepost says of a key that is good: RFC 7662, in the words of this library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveApiKey {
    /// The user whose key it is: the subject of their ID tokens.
    pub user_id: String,
    /// The identity provider that knows the user.
    pub issuer: String,
    /// The key's id.
    pub key_id: String,
    /// What its owner called it.
    pub label: String,
    /// What it may be used for; empty when no scope was given.
    pub scopes: Vec<String>,
    /// When it was created, in seconds since 1970-01-01.
    pub created_at_unix_seconds: i64,
    /// When it ends by itself, in the same seconds; `None` when never.
    pub expires_at_unix_seconds: Option<i64>,
}

/// The operator's question about a key: it needs an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Whether a key is good now and has every one of `required_scopes`: `None` when not. It counts as a use of the
    /// key.
    ///
    /// # Errors
    ///
    /// Code `rate_limited` when the key is good, but has spent its allowance. Otherwise see [`Error`].
    pub async fn introspect(&self, key: &FullKey, required_scopes: &[&str]) -> Result<Option<ActiveApiKey>, Error> {
        let question = Question { token: key.expose(), scopes: required_scopes };
        let answer: Answer = self.call(Method::POST, "/api/operator/introspect", Some(&question)).await?;
        if !answer.active {
            return Ok(None);
        }
        // Not the library's own text: that quotes the answer.
        let reason = "an active key without what the service documents";
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
