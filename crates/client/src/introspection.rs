use std::collections::BTreeMap;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, FullKey, Owner};

/// A valid key, as token introspection (RFC 7662) describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveApiKey {
    /// The user or the organization that owns the key.
    pub owner: Owner,
    /// The member of the organization that created the key, by the `sub`; `None` if no member did.
    pub created_by: Option<String>,
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
    /// Pairs that the application has attached to it.
    pub metadata: BTreeMap<String, String>,
}

/// Token introspection. This call needs an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Checks whether a key is valid now and has all `required_scopes`; otherwise `None`. The call counts as a use of
    /// the key.
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
        let key = serde_json::from_value(answer.rest.into()).ok().and_then(ActiveAnswer::into_key);
        let reason = "an active key without the documented fields";
        key.map(Some).ok_or_else(|| Error::UnexpectedAnswer { status: 200, reason: reason.to_owned() })
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
    sub: Option<String>,
    org_id: Option<String>,
    created_by: Option<String>,
    iss: String,
    client_id: String,
    label: String,
    iat: i64,
    exp: Option<i64>,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

impl ActiveAnswer {
    /// The key; `None` unless exactly one of a user and an organization owns it.
    fn into_key(self) -> Option<ActiveApiKey> {
        let owner = match (self.sub, self.org_id) {
            (Some(id), None) => Owner::User(id),
            (None, Some(id)) => Owner::Organization(id),
            _ => return None,
        };
        Some(ActiveApiKey {
            owner,
            created_by: self.created_by,
            issuer: self.iss,
            key_id: self.client_id,
            label: self.label,
            scopes: self.scope.split_ascii_whitespace().map(str::to_owned).collect(),
            created_at_unix_seconds: self.iat,
            expires_at_unix_seconds: self.exp,
            metadata: self.metadata,
        })
    }
}
