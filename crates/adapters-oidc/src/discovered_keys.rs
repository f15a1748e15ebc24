use std::time::Duration;

use async_trait::async_trait;
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tokio::sync::OnceCell;
use url::Url;

use crate::issuer::Issuer;
use crate::key_cache::{FetchError, KeySource};
use crate::key_set::KeySet;
use crate::strict_json::read_object;

/// The largest document that is read.
const DOCUMENT_SIZE_BYTES_MAX: usize = 1024 * 1024;
/// Fetches are minutes apart, so a connection that is kept for longer goes stale.
const KEEP_CONNECTION: Duration = Duration::from_secs(30);

/// The keys of an issuer, found by `OpenID` Connect discovery. Each fetch reads both documents again, so that a
/// provider may move its keys.
pub(crate) struct DiscoveredKeys {
    issuer: Issuer,
    /// Created at the first fetch: it reads the system's certificates, which would delay the start.
    client: OnceCell<Client>,
}

impl DiscoveredKeys {
    pub(crate) fn new(issuer: Issuer) -> Self {
        Self { issuer, client: OnceCell::new() }
    }

    async fn get(&self, url: &Url) -> Result<Vec<u8>, FetchError> {
        let client = self.client.get_or_try_init(async || new_client()).await?;
        // The message of reqwest repeats the URL, which the error below names.
        let unreachable =
            |source: reqwest::Error| FetchError::Unreachable { url: url.clone(), source: source.without_url() };
        let mut response = client.get(url.clone()).send().await.map_err(unreachable)?;
        if response.status() != StatusCode::OK {
            return Err(FetchError::Status { url: url.clone(), status: response.status().as_u16() });
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if body.len() + chunk.len() > DOCUMENT_SIZE_BYTES_MAX {
                return Err(FetchError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

#[async_trait]
impl KeySource for DiscoveredKeys {
    async fn fetch(&self) -> Result<KeySet, FetchError> {
        let document = self.get(self.issuer.discovery()).await?;
        let keys_at = read_keys_url(&document, &self.issuer)?;
        KeySet::parse(&self.get(&keys_at).await?).map_err(FetchError::Malformed)
    }
}

/// No proxy and no redirect: the documents decide which tokens are trusted, so they must come from the configured URL.
fn new_client() -> Result<Client, FetchError> {
    Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .pool_idle_timeout(KEEP_CONNECTION)
        .user_agent(concat!("gatepost/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(FetchError::NoClient)
}

fn read_keys_url(document: &[u8], issuer: &Issuer) -> Result<Url, FetchError> {
    let malformed = FetchError::Malformed;
    let document = read_object(document)
        .ok_or_else(|| malformed("the discovery document is not one JSON object without repeated names"))?;
    let found = document.get("issuer").and_then(Value::as_str);
    let found = found.ok_or_else(|| malformed("the discovery document has no issuer"))?;
    // OpenID Connect Discovery 1.0 section 4.3: the two must be identical.
    if found != issuer.as_str() {
        return Err(FetchError::OtherIssuer { configured: issuer.as_str().to_owned(), found: found.to_owned() });
    }
    let keys_at = document.get("jwks_uri").and_then(Value::as_str).and_then(|text| Url::parse(text).ok());
    let keys_at = keys_at.ok_or_else(|| malformed("the discovery document has no jwks_uri"))?;
    if issuer.may_publish_keys_at(&keys_at) { Ok(keys_at) } else { Err(malformed("jwks_uri is not https")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use crate::test_keys::{TestKey, key_set};

    /// The result of a fetch whose key set URL answers like this.
    async fn fetch(answer: ResponseTemplate) -> Result<KeySet, FetchError> {
        let provider = MockServer::start().await;
        let document = json!({"issuer": provider.uri(), "jwks_uri": format!("{}/keys", provider.uri())});
        let document = ResponseTemplate::new(200).set_body_json(document);
        Mock::given(path("/.well-known/openid-configuration")).respond_with(document).mount(&provider).await;
        let keys = ResponseTemplate::new(200).set_body_string(key_set(&[TestKey::ed25519(1).jwk("a")]));
        Mock::given(path("/moved")).respond_with(keys).expect(0).mount(&provider).await;
        Mock::given(path("/keys")).respond_with(answer).expect(1).mount(&provider).await;
        DiscoveredKeys::new(Issuer::parse(&provider.uri()).unwrap()).fetch().await
    }

    fn padded(size_bytes: usize) -> ResponseTemplate {
        let set = key_set(&[TestKey::ed25519(1).jwk("a")]);
        ResponseTemplate::new(200).set_body_string(format!("{set}{}", " ".repeat(size_bytes - set.len())))
    }

    #[tokio::test]
    async fn only_a_plain_answer_of_bearable_size_counts() {
        assert_eq!(fetch(padded(DOCUMENT_SIZE_BYTES_MAX)).await.ok().unwrap().len(), 1);
        assert!(matches!(fetch(padded(DOCUMENT_SIZE_BYTES_MAX + 1)).await, Err(FetchError::TooLarge)));
        let moved = ResponseTemplate::new(302).insert_header("location", "/moved");
        assert!(matches!(fetch(moved).await, Err(FetchError::Status { status: 302, .. })));
        assert!(matches!(fetch(ResponseTemplate::new(500)).await, Err(FetchError::Status { status: 500, .. })));
        assert!(matches!(fetch(ResponseTemplate::new(204)).await, Err(FetchError::Status { status: 204, .. })));
        for wrong in ["", "<html>", "[]", "{}", r#"{"keys":{}}"#, r#"{"keys":[],"keys":[]}"#] {
            let answer = ResponseTemplate::new(200).set_body_string(wrong);
            assert!(matches!(fetch(answer).await, Err(FetchError::Malformed(_))), "{wrong}");
        }
        let many = vec![TestKey::ed25519(1).jwk("a"); 101];
        let many = ResponseTemplate::new(200).set_body_string(key_set(&many));
        assert!(matches!(fetch(many).await, Err(FetchError::Malformed(_))));
    }

    #[tokio::test]
    async fn a_provider_that_is_not_there_is_unreachable() {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let source = DiscoveredKeys::new(Issuer::parse(&format!("http://{closed}")).unwrap());
        let error = source.fetch().await.err().unwrap();
        assert!(error.to_string().contains(&format!("http://{closed}/.well-known/openid-configuration")), "{error}");
        let causes = std::iter::successors(std::error::Error::source(&error), |&cause| cause.source());
        assert!(causes.last().unwrap().to_string().contains("refused"), "the cause is in the chain: {error:?}");
    }

    #[test]
    fn an_issuer_mismatch_names_both_issuers() {
        let issuer = Issuer::parse("https://id.example/a").unwrap();
        let document = json!({"issuer": "https://id.example/a/", "jwks_uri": "https://keys.example/x"}).to_string();
        let error = read_keys_url(document.as_bytes(), &issuer).unwrap_err().to_string();
        assert!(error.contains(r#""https://id.example/a""#) && error.contains(r#""https://id.example/a/""#), "{error}");
    }

    #[test]
    fn the_document_must_be_the_issuers_and_its_keys_safe() {
        let issuer = Issuer::parse("https://id.example/a").unwrap();
        let read = |document: Value| read_keys_url(document.to_string().as_bytes(), &issuer);
        let good = json!({"issuer": "https://id.example/a", "jwks_uri": "https://keys.example/x", "more": [1]});
        assert_eq!(read(good).unwrap().as_str(), "https://keys.example/x");
        for wrong in [
            json!({"issuer": "https://id.example/a/", "jwks_uri": "https://keys.example/x"}),
            json!({"issuer": "https://id.example", "jwks_uri": "https://keys.example/x"}),
            json!({"issuer": ["https://id.example/a"], "jwks_uri": "https://keys.example/x"}),
            json!({"jwks_uri": "https://keys.example/x"}),
            json!({"issuer": "https://id.example/a"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "/x"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "http://keys.example/x"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "http://127.0.0.1/x"}),
            json!({"issuer": "https://id.example/a", "jwks_uri": "file:///etc/passwd"}),
            json!([]),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
        assert!(read_keys_url(b"<html>", &issuer).is_err());
    }
}
