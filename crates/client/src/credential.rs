use std::fmt;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use crate::Error;

/// An ID token of the identity provider. Key management requires one. It cannot be printed, and is wiped on drop.
#[derive(Clone)]
pub struct IdToken(Zeroizing<String>);

impl IdToken {
    /// Takes the token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(Zeroizing::new(token.into()))
    }

    /// The token itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IdToken")
    }
}

/// A full API key, which is a secret. It cannot be printed, and is wiped on drop.
#[derive(Clone)]
pub struct FullKey(Zeroizing<String>);

impl FullKey {
    /// Takes the key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(Zeroizing::new(key.into()))
    }

    /// The key itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FullKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FullKey")
    }
}

impl<'de> Deserialize<'de> for FullKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// The operator token, with which the host application calls the service. It cannot be printed, and is wiped on drop.
#[derive(Clone)]
pub struct OperatorToken(Zeroizing<String>);

impl OperatorToken {
    /// Takes the token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(Zeroizing::new(token.into()))
    }

    /// The token itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OperatorToken")
    }
}

/// The credential of a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Credential {
    /// Identifies a user. The only credential that manages keys.
    IdToken(IdToken),
    /// Identifies an API key and its owner.
    ApiKey(FullKey),
    /// Identifies the operator: the host application, which introspects any key and publishes events.
    OperatorToken(OperatorToken),
}

impl From<IdToken> for Credential {
    fn from(token: IdToken) -> Self {
        Self::IdToken(token)
    }
}

impl From<FullKey> for Credential {
    fn from(key: FullKey) -> Self {
        Self::ApiKey(key)
    }
}

impl From<OperatorToken> for Credential {
    fn from(token: OperatorToken) -> Self {
        Self::OperatorToken(token)
    }
}

impl Credential {
    pub(crate) fn header(&self) -> Result<(HeaderName, HeaderValue), Error> {
        let bearer = |token: &str| (AUTHORIZATION, Zeroizing::new(format!("Bearer {token}")));
        let (name, text) = match self {
            Self::IdToken(token) => bearer(token.expose()),
            Self::OperatorToken(token) => bearer(token.expose()),
            Self::ApiKey(key) => (HeaderName::from_static("x-api-key"), key.0.clone()),
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| Error::InvalidCredential)?;
        value.set_sensitive(true);
        Ok((name, value))
    }
}
