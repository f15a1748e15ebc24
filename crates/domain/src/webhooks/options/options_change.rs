use std::collections::BTreeMap;
use std::sync::Arc;

use super::authentication::{AuthKind, Authentication};
use super::client_certificate::ClientCertificate;
use super::client_credentials::ClientCredentials;
use super::header_name::HeaderName;
use super::header_value::HeaderValue;
use super::on_exhausted::OnExhausted;
use crate::Patch;
use crate::webhooks::{DeliveryRate, TargetUrl};

/// The options do not fit together, or do not fit the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOptions {
    /// There are too many headers.
    #[error("must have at most {} names", OptionsChange::HEADERS_MAX)]
    TooMany,
    /// The headers are too long together.
    #[error("must have at most {} bytes in all names and values together", OptionsChange::BYTES_MAX)]
    TooLong,
    /// The authentication sets one of the headers.
    #[error("must not have the header that auth sets")]
    SameAsAuth,
    /// The subscription has no order, which only its creation can give it.
    #[error("is for subscriptions that were created with ordering: subscription")]
    NotOrdered,
    /// The URL has no TLS, so that no receiver would see the client certificate.
    #[error("requires a URL with https")]
    WithoutTls,
    /// The events of the subscription are pulled: it makes no requests, to which this field would apply.
    #[error("cannot be set, because the events of the subscription are pulled")]
    Pulled {
        /// The field, as the API has it.
        field: &'static str,
    },
}

/// A change of the options, in the way of a merge patch (RFC 7396): what it does not have stays. A new subscription, and a
/// test of a URL, have the change of no options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionsChange {
    /// Whether all headers go first.
    pub replaces_headers: bool,
    /// The new values; `None` removes the header.
    pub headers: BTreeMap<HeaderName, Option<HeaderValue>>,
    /// The authentication.
    pub auth: Patch<Authentication>,
    /// The most deliveries in a second.
    pub max_per_second: Patch<DeliveryRate>,
    /// The rule of the order; `None` for no change.
    pub on_exhausted: Option<OnExhausted>,
    /// The client certificate.
    pub certificate: Patch<ClientCertificate>,
}

impl OptionsChange {
    /// The most headers of a subscription.
    pub const HEADERS_MAX: usize = 16;
    /// The most bytes of their names and values together, without the authentication.
    pub const BYTES_MAX: usize = 8_192;

    /// The headers of a request to `url` without any before.
    ///
    /// # Errors
    ///
    /// See [`InvalidOptions`].
    ///
    /// # Panics
    ///
    /// Never: the text of a client, which [`Authentication::oauth2`] writes, can be read back.
    pub fn request_headers(&self, url: &TargetUrl) -> Result<RequestHeaders, InvalidOptions> {
        let values = self.headers.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        let headers: Vec<_> = values.collect();
        let auth = self.auth.set();
        let lengths = headers.iter().map(|(name, value)| (name, value.expose().len()));
        check(lengths, auth.map(|auth| &auth.name))?;
        check_target(self.certificate.set().is_some(), url)?;
        let headers = RequestHeaders {
            certificate: self.certificate.set().cloned().map(Arc::new),
            ..RequestHeaders::new(headers)
        };
        Ok(match auth {
            Some(auth) => headers.with_auth(auth.clone()).expect("an authentication reads back its own value"),
            None => headers,
        })
    }
}

/// The headers that a subscription adds to its requests, each name once, and the client certificate of their connections.
#[derive(Clone, Debug, Default)]
pub struct RequestHeaders {
    /// `None` without any.
    headers: Option<Arc<[(HeaderName, HeaderValue)]>>,
    client: Option<Arc<ClientCredentials>>,
    certificate: Option<Arc<ClientCertificate>>,
}

impl RequestHeaders {
    /// These headers.
    pub fn new(headers: Vec<(HeaderName, HeaderValue)>) -> Self {
        Self { headers: (!headers.is_empty()).then(|| Arc::from(headers)), ..Self::default() }
    }

    /// These headers, and what the authentication adds; `None` if its value is damaged.
    pub fn with_auth(self, auth: Authentication) -> Option<Self> {
        let Authentication { kind, name, value } = auth;
        if kind == AuthKind::OAuth2 {
            let client = ClientCredentials::of_text(value.expose())?;
            return Some(Self { client: Some(Arc::new(client)), ..self });
        }
        let headers = Self::new(self.iter().cloned().chain([(name, value)]).collect());
        Some(Self { certificate: self.certificate, ..headers })
    }

    /// These headers, on connections with this client certificate.
    #[must_use]
    pub fn with_certificate(self, certificate: ClientCertificate) -> Self {
        Self { certificate: Some(Arc::new(certificate)), ..self }
    }

    /// The headers, sorted by name; that of the authentication is last.
    pub fn iter(&self) -> impl Iterator<Item = &(HeaderName, HeaderValue)> {
        self.headers.iter().flat_map(|headers| headers.iter())
    }

    /// The client with which the sender requests an access token; `None` if the requests have none.
    pub fn client(&self) -> Option<&Arc<ClientCredentials>> {
        self.client.as_ref()
    }

    /// The certificate with which the service authenticates when it connects; `None` if it has none.
    pub fn certificate(&self) -> Option<&ClientCertificate> {
        self.certificate.as_deref()
    }
}

/// Refuses a client certificate for a URL without TLS, where no receiver would see it.
pub(in crate::webhooks) fn check_target(has_certificate: bool, url: &TargetUrl) -> Result<(), InvalidOptions> {
    if has_certificate && url.url().scheme() != "https" { Err(InvalidOptions::WithoutTls) } else { Ok(()) }
}

/// Checks headers, of which it gets the names and the lengths of the values, beside the header of the authentication.
pub(super) fn check<'a>(
    headers: impl Iterator<Item = (&'a HeaderName, usize)>,
    auth: Option<&HeaderName>,
) -> Result<(), InvalidOptions> {
    let (mut count, mut bytes) = (0, 0);
    for (name, length) in headers {
        if auth.is_some_and(|auth| auth.is_alike(name)) {
            return Err(InvalidOptions::SameAsAuth);
        }
        count += 1;
        bytes += name.as_str().len() + length;
    }
    match (count, bytes) {
        (..=OptionsChange::HEADERS_MAX, ..=OptionsChange::BYTES_MAX) => Ok(()),
        (..=OptionsChange::HEADERS_MAX, _) => Err(InvalidOptions::TooLong),
        _ => Err(InvalidOptions::TooMany),
    }
}
