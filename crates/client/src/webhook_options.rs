use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Patch, WebhookSecret};

/// The headers, the authentication and the client certificate of the requests of a subscription: those of a new
/// subscription, or a change, which leaves what it does not name. Its JSON is that of the API.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WebhookOptions {
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    headers: Patch<BTreeMap<String, Option<WebhookSecret>>>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    auth: Patch<WebhookAuth>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    client_certificate: Patch<ClientCertificate>,
}

/// A certificate with which the service authenticates at a receiver, and its key, both in PEM.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ClientCertificate {
    chain: String,
    key: WebhookSecret,
}

/// How a receiver recognizes the service.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum WebhookAuth {
    /// By a token in the header `authorization`.
    Bearer {
        /// The token.
        token: WebhookSecret,
    },
    /// By a user name and a password in the header `authorization`.
    Basic {
        /// The user name.
        username: String,
        /// The password; may be empty.
        password: WebhookSecret,
    },
    /// By another header.
    Header {
        /// The name of the header.
        name: String,
        /// The value of the header.
        value: WebhookSecret,
    },
    /// By an access token, which the service requests by the client credentials grant (RFC 6749).
    #[serde(rename = "oauth2", rename_all = "camelCase")]
    OAuth2 {
        /// The token endpoint: a URL that webhooks may be sent to.
        token_url: String,
        /// The client.
        client_id: String,
        /// The secret of the client.
        client_secret: WebhookSecret,
        /// The requested scopes, separated by spaces.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
        /// The API that the token is for, at providers that require it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        audience: Option<String>,
    },
}

impl WebhookOptions {
    /// Sets a header.
    #[must_use]
    pub fn with_header(self, name: impl Into<String>, value: WebhookSecret) -> Self {
        self.naming(name.into(), Some(value))
    }

    /// Removes a header of a subscription.
    #[must_use]
    pub fn without_header(self, name: impl Into<String>) -> Self {
        self.naming(name.into(), None)
    }

    /// Removes all headers of a subscription.
    #[must_use]
    pub fn without_headers(self) -> Self {
        Self { headers: Patch::Reset, ..self }
    }

    /// Sets the authentication.
    #[must_use]
    pub fn authenticated_by(self, auth: WebhookAuth) -> Self {
        Self { auth: Patch::Set(auth), ..self }
    }

    /// Removes the authentication of a subscription.
    #[must_use]
    pub fn without_auth(self) -> Self {
        Self { auth: Patch::Reset, ..self }
    }

    /// Sets the certificate with which the service authenticates at the receiver (mTLS): a chain of certificates, the
    /// client's first, and its private key, both in PEM.
    #[must_use]
    pub fn with_client_certificate(self, chain: impl Into<String>, key: WebhookSecret) -> Self {
        Self { client_certificate: Patch::Set(ClientCertificate { chain: chain.into(), key }), ..self }
    }

    /// Removes the client certificate of a subscription.
    #[must_use]
    pub fn without_client_certificate(self) -> Self {
        Self { client_certificate: Patch::Reset, ..self }
    }

    fn naming(self, name: String, value: Option<WebhookSecret>) -> Self {
        let mut headers = if let Patch::Set(headers) = self.headers { headers } else { BTreeMap::new() };
        headers.insert(name, value);
        Self { headers: Patch::Set(headers), ..self }
    }
}

/// A header that a subscription adds to its requests. No answer has its value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionHeader {
    /// The name, in lower case.
    pub name: String,
    /// When its value was set.
    pub set_at: String,
}

/// The authentication of the requests of a subscription. No answer has its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionAuth {
    /// `bearer`, `basic`, `header` or `oauth2`.
    pub r#type: String,
    /// The name of the header, for `header`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was set.
    pub set_at: String,
}

/// The certificate with which the service authenticates at the receiver of a subscription. No answer has its key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionCertificate {
    /// The subject.
    pub subject: String,
    /// When it expires.
    pub expires_at: String,
    /// The SHA-256 of the certificate, in hexadecimal digits.
    pub fingerprint: String,
    /// When it was set.
    pub set_at: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(options: &WebhookOptions) -> String {
        serde_json::to_string(options).unwrap()
    }

    #[test]
    fn the_json_is_that_of_the_api_and_no_secret_prints() {
        let secret = || WebhookSecret::new("s3cret");
        let none = WebhookOptions::default;
        for (options, expected) in [
            (none(), "{}"),
            (none().with_header("x-a", secret()).without_header("x-b"), r#"{"headers":{"x-a":"s3cret","x-b":null}}"#),
            (none().without_headers().without_auth(), r#"{"headers":null,"auth":null}"#),
            (none().without_client_certificate(), r#"{"clientCertificate":null}"#),
            (
                none().with_client_certificate("pem", secret()),
                r#"{"clientCertificate":{"chain":"pem","key":"s3cret"}}"#,
            ),
            (
                none().authenticated_by(WebhookAuth::Bearer { token: secret() }),
                r#"{"auth":{"type":"bearer","token":"s3cret"}}"#,
            ),
            (
                none().authenticated_by(WebhookAuth::Basic { username: "u".into(), password: secret() }),
                r#"{"auth":{"type":"basic","username":"u","password":"s3cret"}}"#,
            ),
            (
                none().authenticated_by(WebhookAuth::Header { name: "x-key".into(), value: secret() }),
                r#"{"auth":{"type":"header","name":"x-key","value":"s3cret"}}"#,
            ),
            (
                none().authenticated_by(WebhookAuth::OAuth2 {
                    token_url: "https://id".into(),
                    client_id: "c".into(),
                    client_secret: secret(),
                    scope: Some("hooks".into()),
                    audience: None,
                }),
                r#"{"auth":{"type":"oauth2","tokenUrl":"https://id","clientId":"c","clientSecret":"s3cret","scope":"hooks"}}"#,
            ),
        ] {
            assert_eq!(json(&options), expected);
            assert_eq!(json(&serde_json::from_str(expected).unwrap()), expected);
            assert!(!format!("{options:?}").contains("s3cret"));
        }
        for wrong in [r#"{"header":{}}"#, r#"{"auth":{"type":"digest"}}"#, r#"{"auth":{"type":"bearer"}}"#] {
            assert!(serde_json::from_str::<WebhookOptions>(wrong).is_err(), "{wrong}");
        }
    }
}
