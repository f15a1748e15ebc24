use std::sync::Arc;

use async_trait::async_trait;

use crate::discovery::{Discovery, KnownEndpoints};
use crate::issuer::Issuer;
use crate::key_cache::{FetchError, KeySource};
use crate::key_set::KeySet;
use crate::provider_client::ProviderClient;

/// The keys of an issuer, found by `OpenID` Connect discovery. Each fetch reads both documents again, so that a
/// provider may move its keys and its endpoints.
pub(crate) struct DiscoveredKeys {
    issuer: Issuer,
    client: Arc<ProviderClient>,
    endpoints: KnownEndpoints,
}

impl DiscoveredKeys {
    /// Each fetch also sets the `endpoints`.
    pub(crate) fn new(issuer: Issuer, client: Arc<ProviderClient>, endpoints: KnownEndpoints) -> Self {
        Self { issuer, client, endpoints }
    }
}

#[async_trait]
impl KeySource for DiscoveredKeys {
    async fn fetch(&self) -> Result<KeySet, FetchError> {
        let document = self.client.get(self.issuer.discovery()).await?;
        let Discovery { keys_at, endpoints } = Discovery::parse(&document, &self.issuer)?;
        self.endpoints.set(endpoints);
        KeySet::parse(&self.client.get(&keys_at).await?).map_err(FetchError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use crate::provider_client::DOCUMENT_SIZE_BYTES_MAX;
    use crate::test_keys::{TestKey, key_set};

    fn source(issuer: &str) -> DiscoveredKeys {
        DiscoveredKeys::new(Issuer::parse(issuer).unwrap(), Arc::default(), KnownEndpoints::default())
    }

    /// The result of a fetch from a key set URL with this answer.
    async fn fetch(answer: ResponseTemplate) -> Result<KeySet, FetchError> {
        let provider = MockServer::start().await;
        let document = json!({"issuer": provider.uri(), "jwks_uri": format!("{}/keys", provider.uri())});
        let document = ResponseTemplate::new(200).set_body_json(document);
        Mock::given(path("/.well-known/openid-configuration")).respond_with(document).mount(&provider).await;
        let keys = ResponseTemplate::new(200).set_body_string(key_set(&[TestKey::ed25519(1).jwk("a")]));
        Mock::given(path("/moved")).respond_with(keys).expect(0).mount(&provider).await;
        Mock::given(path("/keys")).respond_with(answer).expect(1).mount(&provider).await;
        source(&provider.uri()).fetch().await
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
        // The system gives port 1 to no test.
        let error = source("http://127.0.0.1:1").fetch().await.err().unwrap();
        assert!(error.to_string().contains("http://127.0.0.1:1/.well-known/openid-configuration"), "{error}");
        let causes = std::iter::successors(std::error::Error::source(&error), |&cause| cause.source());
        assert!(causes.last().unwrap().to_string().contains("refused"), "the cause is in the chain: {error:?}");
    }
}
