use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, StatusCode, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use crate::{Credential, Error, Owner, Problem};

/// The limit of a call, from the first byte sent to the last byte received. The service gives up earlier.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Larger than any answer: a list of 10,000 keys, the highest limit that can be configured, takes about 3 MB.
const BODY_SIZE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The calls of the host. Most are for one owner.
const HOST: &str = "/api/operator/";

/// The body of a call without a body.
pub(crate) const NO_BODY: Option<&()> = None;

/// A client of one Gatepost service, cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    credential: Option<Credential>,
    owner: Option<Owner>,
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
            .build()
            .map_err(Error::NoAnswer)?;
        Ok(Self { http, base_url: url.as_str().trim_end_matches('/').to_owned(), credential: None, owner: None })
    }

    /// A client that calls with this credential, an [`IdToken`](crate::IdToken), a [`FullKey`](crate::FullKey) or an
    /// [`OperatorToken`](crate::OperatorToken), and shares the connections of this one.
    #[must_use]
    pub fn with_credential(&self, credential: impl Into<Credential>) -> Self {
        Self { credential: Some(credential.into()), ..self.clone() }
    }

    /// A client that calls for this owner, and shares the connections of this one. With an
    /// [`OperatorToken`](crate::OperatorToken) as credential the owner is any user or organization, and the scopes of
    /// the token limit the calls. Otherwise the owner is an organization to which the user belongs. Calls that are not
    /// an owner's stay as they are.
    #[must_use]
    pub fn for_owner(&self, owner: Owner) -> Self {
        Self { owner: Some(owner), ..self.clone() }
    }

    /// The owner for which the host makes the call.
    pub(crate) fn host_of(&self) -> Option<&Owner> {
        self.owner.as_ref().filter(|_| matches!(self.credential, Some(Credential::OperatorToken(_))))
    }

    /// The path of the owner's call at `path`, made for the owner of this client.
    fn path_for_owner<'a>(&self, path: &'a str) -> Cow<'a, str> {
        match &self.owner {
            Some(owner) if self.host_of().is_some() => path_for_host(owner, path),
            Some(owner) => path_for_member(owner, path),
            None => path.into(),
        }
    }

    /// Calls `path` and reads the answer's JSON.
    pub(crate) async fn call<Answer: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Answer, Error> {
        self.call_with_wait(Duration::ZERO, method, path, body).await
    }

    /// The same for a call that the service may answer only after this wait.
    pub(crate) async fn call_with_wait<Answer: DeserializeOwned>(
        &self,
        wait: Duration,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Answer, Error> {
        let request = self.request(method, path)?.timeout(CALL_TIMEOUT + wait);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        read_answer(&answered(request).await?)
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, Error> {
        let path = self.path_for_owner(path);
        if has_lost_id(&path) {
            return Err(Error::InvalidId);
        }
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        let Some(credential) = &self.credential else { return Ok(request) };
        let (name, value) = credential.header()?;
        Ok(request.header(name, value))
    }
}

/// Where the host makes the owner's call at `path`.
pub(crate) fn path_for_host<'a>(owner: &Owner, path: &'a str) -> Cow<'a, str> {
    if path.starts_with(HOST) {
        return path.into();
    }
    let (kind, id) = match owner {
        Owner::User(id) => ("users", id),
        Owner::Organization(id) => ("organizations", id),
    };
    let of_key = path.strip_prefix("/api/api-keys").map(|rest| format!("/keys{rest}"));
    let rest = of_key.or_else(|| Some(path.strip_prefix("/api/webhooks").or(path.strip_prefix("/api"))?.to_owned()));
    format!("{HOST}{kind}/{}{}", segment(id), rest.unwrap_or_default()).into()
}

/// The path at which a member makes the call at `path`. The service refuses a member that calls for another user.
fn path_for_member<'a>(owner: &Owner, path: &'a str) -> Cow<'a, str> {
    match owner {
        Owner::User(_) => path_for_host(owner, path),
        Owner::Organization(_) if path.starts_with(HOST) => path.into(),
        Owner::Organization(id) => {
            let separator = if path.contains('?') { '&' } else { '?' };
            format!("{path}{separator}organization={}", segment(id)).into()
        }
    }
}

/// Whether a segment of the path is empty, or one that URLs resolve: `/users/../audit` is `/audit`.
fn has_lost_id(path: &str) -> bool {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    path.split('/').skip(1).any(|segment| matches!(segment, "" | "." | ".."))
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

/// A body with one member.
pub(crate) fn member<Value>(name: &'static str, value: Value) -> BTreeMap<&'static str, Value> {
    BTreeMap::from([(name, value)])
}

/// The answer of a call that succeeded.
struct Answered {
    status: StatusCode,
    /// It may contain a full key, so its memory is wiped on drop.
    body: Zeroizing<Vec<u8>>,
}

/// Makes the call. One function for the answers of all types.
async fn answered(request: RequestBuilder) -> Result<Answered, Error> {
    let mut response = request.send().await.map_err(Error::NoAnswer)?;
    let status = response.status();
    let mut body = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(Error::NoAnswer)? {
        if body.len() + chunk.len() > BODY_SIZE_BYTES_MAX {
            return Err(unexpected(status, format!("the body has more than {BODY_SIZE_BYTES_MAX} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    if status.is_client_error() || status.is_server_error() {
        return Err(Error::Refused(Box::new(Problem::of(status, response.headers(), &body))));
    }
    if status.is_redirection() {
        return Err(unexpected(status, "a redirect, which the client does not follow with a credential".to_owned()));
    }
    Ok(Answered { status, body })
}

fn read_answer<Answer: DeserializeOwned>(Answered { status, body }: &Answered) -> Result<Answer, Error> {
    // An empty answer is read as `()`, which is `null` in JSON.
    let body = if *status == StatusCode::NO_CONTENT { b"null" } else { body.as_slice() };
    serde_json::from_slice(body).map_err(|error| {
        // The message of serde_json quotes the body, so it is not part of the error.
        let place = format!("line {} column {}", error.line(), error.column());
        unexpected(*status, format!("the body is not the JSON that the service documents ({place})"))
    })
}

fn unexpected(status: StatusCode, reason: String) -> Error {
    Error::UnexpectedAnswer { status: status.as_u16(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_leads_elsewhere_is_found() {
        for id in ["", ".", ".."] {
            for owner in [Owner::User(id.to_owned()), Owner::Organization(id.to_owned())] {
                assert!(has_lost_id(&path_for_host(&owner, "/api/audit?since=../x")), "{id:?}");
            }
            assert!(has_lost_id(&format!("/api/api-keys/{}", segment(id))), "{id:?}");
        }
        for path in
            ["/api/audit", "/api/audit?target=..", "/api/operator/users/.a/keys", "/api/operator/users/.../keys"]
        {
            assert!(!has_lost_id(path), "{path}");
        }
    }

    #[test]
    fn a_call_is_made_for_an_owner_at_one_place() {
        let (user, organization) = (Owner::User("auth0|a/b".to_owned()), Owner::Organization("a&b".to_owned()));
        for (path, for_user, for_organization, for_member) in [
            (
                "/api/api-keys",
                "users/auth0%7Ca%2Fb/keys",
                "organizations/a%26b/keys",
                "/api/api-keys?organization=a%26b",
            ),
            (
                "/api/webhooks/deliveries?state=failed",
                "users/auth0%7Ca%2Fb/deliveries?state=failed",
                "organizations/a%26b/deliveries?state=failed",
                "/api/webhooks/deliveries?state=failed&organization=a%26b",
            ),
            ("/api/audit", "users/auth0%7Ca%2Fb/audit", "organizations/a%26b/audit", "/api/audit?organization=a%26b"),
        ] {
            assert_eq!(path_for_host(&user, path), format!("{HOST}{for_user}"));
            assert_eq!(path_for_member(&user, path), format!("{HOST}{for_user}"), "which the service refuses");
            assert_eq!(path_for_host(&organization, path), format!("{HOST}{for_organization}"));
            assert_eq!(path_for_member(&organization, path), for_member);
        }
        let of_the_host = "/api/operator/events";
        for path in [path_for_host(&user, of_the_host), path_for_member(&organization, of_the_host)] {
            assert_eq!(path, of_the_host);
        }
    }
}
