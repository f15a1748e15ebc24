use std::fmt;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::Error;

/// Declares secrets: strings that cannot be printed and are wiped on drop.
macro_rules! secrets {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone)]
        pub struct $name(Zeroizing<String>);

        impl $name {
            /// Takes the secret.
            pub fn new(text: impl Into<String>) -> Self {
                Self(Zeroizing::new(text.into()))
            }

            /// The secret in clear.
            pub fn expose(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(stringify!($name))
            }
        }
    )*};
}

secrets! {
    /// An ID token of the identity provider. Key management requires one. It cannot be printed, and is wiped on drop.
    IdToken;
    /// A full API key, which is a secret. It cannot be printed, and is wiped on drop.
    #[derive(Deserialize)]
    #[serde(transparent)]
    FullKey;
    /// The operator token, with which the host application calls the service. It cannot be printed, and is wiped on
    /// drop.
    OperatorToken;
    /// The secret that signs webhooks, as a string: `whsec_…`, or one that the owner chose. It cannot be printed, and is
    /// wiped on drop. `webhooks::SigningSecret` parses it and verifies with it.
    #[derive(Deserialize, Serialize)]
    #[serde(transparent)]
    WebhookSecret;
    /// The URL of a portal link, which signs in the first browser that opens it. It cannot be printed, and is wiped on
    /// drop.
    #[derive(Deserialize)]
    #[serde(transparent)]
    PortalUrl;
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
