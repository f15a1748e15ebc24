use domain::OwnerId;
use url::Url;

use crate::loopback::is_on_loopback;

/// The identifier of the identity provider, exactly as configured: `iss` must equal it byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct Issuer {
    text: String,
    discovery: Url,
    on_loopback: bool,
}

/// Why a string cannot be an issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIssuer {
    /// It is not an absolute http or https URL, or is too long to be stored.
    #[error("not an https URL")]
    NotAnUrl,
    /// It has a query, a fragment or a user name. `OpenID` Connect Discovery 1.0 (section 2) forbids the first two, and
    /// an identifier must not contain a password.
    #[error("must not have a query, a fragment or a user name")]
    TooMuch,
    /// An attacker on the network could replace the keys of the provider.
    #[error("must be https unless its host is loopback")]
    NotHttps,
}

impl Issuer {
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidIssuer> {
        if text.len() > OwnerId::ISSUER_LENGTH_MAX || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(InvalidIssuer::NotAnUrl);
        }
        let url = Url::parse(text).map_err(|_| InvalidIssuer::NotAnUrl)?;
        let on_loopback = is_on_loopback(&url);
        match url.scheme() {
            "https" => {}
            "http" if on_loopback => {}
            "http" => return Err(InvalidIssuer::NotHttps),
            _ => return Err(InvalidIssuer::NotAnUrl),
        }
        if text.contains(['?', '#']) || !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidIssuer::TooMuch);
        }
        // OpenID Connect Discovery 1.0, section 4.1: a slash at the end is removed before the path is appended.
        let discovery = format!("{}/.well-known/openid-configuration", text.strip_suffix('/').unwrap_or(text));
        let discovery = Url::parse(&discovery).map_err(|_| InvalidIssuer::NotAnUrl)?;
        Ok(Self { text: text.to_owned(), discovery, on_loopback })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The URL of the discovery document.
    pub(crate) fn discovery(&self) -> &Url {
        &self.discovery
    }

    /// Whether the issuer may have its keys or an endpoint at this URL: https, or http if both are on this machine. So a
    /// remote issuer cannot make the verifier call a service on loopback.
    pub(crate) fn may_have_endpoint(&self, url: &Url) -> bool {
        url.scheme() == "https" || (url.scheme() == "http" && self.on_loopback && is_on_loopback(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_discovery_document() {
        let table = [
            ("https://id.example", "https://id.example/.well-known/openid-configuration"),
            ("https://id.example/", "https://id.example/.well-known/openid-configuration"),
            ("https://id.example/realms/a", "https://id.example/realms/a/.well-known/openid-configuration"),
            ("https://id.example/realms/a/", "https://id.example/realms/a/.well-known/openid-configuration"),
            ("http://localhost:8080/dev/oidc", "http://localhost:8080/dev/oidc/.well-known/openid-configuration"),
            ("http://[::1]:1", "http://[::1]:1/.well-known/openid-configuration"),
        ];
        for (issuer, discovery) in table {
            let issuer = Issuer::parse(issuer).unwrap();
            assert_eq!(issuer.discovery().as_str(), discovery);
        }
    }

    #[test]
    fn refuses_what_is_not_safe() {
        let table = [
            ("", InvalidIssuer::NotAnUrl),
            ("id.example", InvalidIssuer::NotAnUrl),
            ("ftp://id.example", InvalidIssuer::NotAnUrl),
            ("organization:https://id.example", InvalidIssuer::NotAnUrl),
            (" https://id.example", InvalidIssuer::NotAnUrl),
            ("https://id.example\n", InvalidIssuer::NotAnUrl),
            ("http://id.example", InvalidIssuer::NotHttps),
            ("http://localhost.example", InvalidIssuer::NotHttps),
            ("https://id.example?a", InvalidIssuer::TooMuch),
            ("https://id.example?", InvalidIssuer::TooMuch),
            ("https://id.example/#a", InvalidIssuer::TooMuch),
            ("https://me@id.example", InvalidIssuer::TooMuch),
            ("https://me:secret@id.example", InvalidIssuer::TooMuch),
        ];
        for (issuer, why) in table {
            assert_eq!(Issuer::parse(issuer).err(), Some(why), "{issuer}");
        }
        assert!(Issuer::parse(&format!("https://id.example/{}", "a".repeat(512))).is_err());
    }

    #[test]
    fn a_remote_issuer_publishes_no_keys_on_loopback() {
        let remote = Issuer::parse("https://id.example").unwrap();
        let local = Issuer::parse("http://127.0.0.1:1").unwrap();
        let keys = |text: &str| Url::parse(text).unwrap();
        assert!(remote.may_have_endpoint(&keys("https://keys.example/jwks")));
        assert!(!remote.may_have_endpoint(&keys("http://127.0.0.1/jwks")));
        assert!(!remote.may_have_endpoint(&keys("http://id.example/jwks")));
        assert!(!remote.may_have_endpoint(&keys("file:///etc/passwd")));
        assert!(local.may_have_endpoint(&keys("http://localhost:2/jwks")));
        assert!(!local.may_have_endpoint(&keys("http://id.example/jwks")));
    }
}
