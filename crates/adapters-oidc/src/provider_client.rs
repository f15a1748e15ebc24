use std::error::Error;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode};
use rustls::ClientConfig;
use tokio::sync::OnceCell;
use url::Url;
use zeroize::Zeroizing;

use crate::key_cache::FetchError;

/// The largest document that is read.
pub(crate) const DOCUMENT_SIZE_BYTES_MAX: usize = 1024 * 1024;
/// Fetches are minutes apart, so a connection that is kept for longer goes stale.
const KEEP_CONNECTION: Duration = Duration::from_secs(30);

/// Sets TLS up for a client of HTTP/1.1.
pub type ClientTls = fn() -> Result<ClientConfig, Box<dyn Error + Send + Sync>>;

/// The HTTP client for the identity provider: without proxies and redirects, and with limits.
#[derive(Default)]
pub(crate) struct ProviderClient {
    /// Created at the first call: it needs the system's certificates, for which the start does not wait.
    client: OnceCell<Client>,
    /// `None` reads the system's certificates.
    tls: Option<ClientTls>,
}

/// An answer, whatever its status.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Zeroizing<Vec<u8>>,
}

impl ProviderClient {
    /// A client with this TLS. `None` reads the system's certificates.
    pub(crate) fn new(tls: Option<ClientTls>) -> Self {
        Self { client: OnceCell::new(), tls }
    }

    /// The document at this URL. Only status 200 counts.
    pub(crate) async fn get(&self, url: &Url) -> Result<Zeroizing<Vec<u8>>, FetchError> {
        let answer = send(self.client().await?.get(url.clone()), url).await?;
        match answer.status {
            StatusCode::OK => Ok(answer.body),
            status => Err(FetchError::Status { url: url.clone(), status: status.as_u16() }),
        }
    }

    /// The answer to this form, with this value of the header `authorization`.
    pub(crate) async fn post(
        &self,
        url: &Url,
        form: Zeroizing<String>,
        authorization: Option<Zeroizing<String>>,
    ) -> Result<Answer, FetchError> {
        let request = self.client().await?.post(url.clone()).header(ACCEPT, "application/json");
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body((*form).clone());
        let request = match authorization {
            Some(value) => request.header(AUTHORIZATION, value.as_str()),
            None => request,
        };
        send(request, url).await
    }

    async fn client(&self) -> Result<&Client, FetchError> {
        self.client.get_or_try_init(async || new_client(self.tls)).await
    }
}

async fn send(request: RequestBuilder, url: &Url) -> Result<Answer, FetchError> {
    // The message of reqwest repeats the URL, which the error below names.
    let unreachable =
        |source: reqwest::Error| FetchError::Unreachable { url: url.clone(), source: source.without_url() };
    let mut response = request.send().await.map_err(unreachable)?;
    let mut body = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > DOCUMENT_SIZE_BYTES_MAX {
            return Err(FetchError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status: response.status(), body })
}

/// No proxy and no redirect: the documents decide which tokens are trusted, so they must come from the configured URL.
fn new_client(tls: Option<ClientTls>) -> Result<Client, FetchError> {
    let builder = match tls {
        Some(tls) => Client::builder().tls_backend_preconfigured(tls().map_err(FetchError::NoTls)?),
        None => Client::builder(),
    };
    builder
        .no_proxy()
        .redirect(Policy::none())
        .pool_idle_timeout(KEEP_CONNECTION)
        .user_agent(concat!("gatepost/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(FetchError::NoClient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_given_tls_is_used() {
        let client = ProviderClient::new(Some(|| Err("no certificates".into())));
        let failure = client.get(&Url::parse("https://provider.example").unwrap()).await.unwrap_err();
        assert!(matches!(failure, FetchError::NoTls(reason) if reason.to_string() == "no certificates"));
    }
}
