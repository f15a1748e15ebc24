use std::fmt::Write;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Method, Response, StatusCode, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use crate::{Credential, Error, Problem};

/// The limit of a call, from the first byte sent to the last byte received. The service gives up earlier.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Larger than any answer: a list of 10,000 keys, the highest limit that can be configured, takes about 3 MB.
const BODY_SIZE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The body of a call without a body.
pub(crate) const NO_BODY: Option<&()> = None;

/// A client of one Gatepost service, cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    credential: Option<Credential>,
}

impl Client {
    /// A client of the service at `base_url`, such as `https://keys.example.com`, without a credential yet.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBaseUrl`]; or [`Error::NoAnswer`] when this machine's TLS configuration cannot be read.
    pub fn new(base_url: &str) -> Result<Self, Error> {
        let url = Url::parse(base_url).map_err(|_| Error::InvalidBaseUrl)?;
        let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !matches!(url.scheme(), "http" | "https") || !plain || url.fragment().is_some() {
            return Err(Error::InvalidBaseUrl);
        }
        let http = reqwest::Client::builder()
            .user_agent(concat!("gatepost-client/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            .build()
            .map_err(Error::NoAnswer)?;
        Ok(Self { http, base_url: url.as_str().trim_end_matches('/').to_owned(), credential: None })
    }

    /// A client that calls with this credential, an [`IdToken`](crate::IdToken), a [`FullKey`](crate::FullKey) or an
    /// [`OperatorToken`](crate::OperatorToken), and shares the connections of this one.
    #[must_use]
    pub fn with_credential(&self, credential: impl Into<Credential>) -> Self {
        Self { credential: Some(credential.into()), ..self.clone() }
    }

    /// Calls `path` and reads the answer's JSON.
    pub(crate) async fn call<Answer: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Answer, Error> {
        let mut request = self.http.request(method, format!("{}{path}", self.base_url));
        if let Some(credential) = &self.credential {
            let (name, value) = credential.header()?;
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(Error::NoAnswer)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = whole_body(response).await?;
        read_answer(status, &headers, &body)
    }
}

/// Percent-encodes a string for one segment of a path, or for one value of a query.
pub(crate) fn segment(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut segment, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(segment, "%{byte:02X}");
        }
        segment
    })
}

/// The query of a URL with its `?`; empty when no parameter has a value.
pub(crate) fn query(parameters: &[(&str, Option<&str>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| value.map(|value| format!("{name}={}", segment(value))));
    let given: Vec<String> = given.collect();
    if given.is_empty() { String::new() } else { format!("?{}", given.join("&")) }
}

/// The body. It may contain a full key, so its memory is wiped on drop.
async fn whole_body(mut response: Response) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut body = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(Error::NoAnswer)? {
        if body.len() + chunk.len() > BODY_SIZE_BYTES_MAX {
            let reason = format!("the body has more than {BODY_SIZE_BYTES_MAX} bytes");
            return Err(unexpected(response.status(), reason));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn read_answer<Answer: DeserializeOwned>(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Answer, Error> {
    if status.is_client_error() || status.is_server_error() {
        return Err(Error::Refused(Box::new(Problem::of(status, headers, body))));
    }
    if status.is_redirection() {
        return Err(unexpected(status, "a redirect, which the client does not follow with a credential".to_owned()));
    }
    // An empty answer is read as `()`, whose JSON is `null`.
    let body = if status == StatusCode::NO_CONTENT { b"null" } else { body };
    serde_json::from_slice(body).map_err(|error| {
        // The message of serde_json quotes the body, so it is not part of the error.
        let place = format!("line {} column {}", error.line(), error.column());
        unexpected(status, format!("the body is not the JSON that the service documents ({place})"))
    })
}

fn unexpected(status: StatusCode, reason: String) -> Error {
    Error::UnexpectedAnswer { status: status.as_u16(), reason }
}
