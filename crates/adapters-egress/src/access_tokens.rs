use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use domain::webhooks::{ClientCredentials, basic_of_client};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::request::Builder;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde::Deserialize;
use tokio::time::Instant;
use url::form_urlencoded::Serializer;
use zeroize::Zeroizing;

/// The maximum number of clients whose tokens are kept. When it is reached, clients without a valid token are removed, or all if
/// there are none.
const CLIENTS_MAX: usize = 4_096;
/// The longest answer of a token endpoint, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1_024;
/// The lifetime of a token if the answer has no `expires_in`.
const LIFETIME_DEFAULT: Duration = Duration::from_mins(5);
/// The longest lifetime, whatever `expires_in` says.
const LIFETIME_MAX: Duration = Duration::from_hours(24);
/// A token is replaced this long before it expires, to allow for the time of the request.
const MARGIN: Duration = Duration::from_secs(30);

/// The access tokens of clients. If attempts of one client run concurrently, one of them requests the token.
#[derive(Default)]
pub(crate) struct AccessTokens(Mutex<HashMap<Arc<ClientCredentials>, Slot>>);

type Slot = Arc<tokio::sync::Mutex<Option<Token>>>;

/// A token that a request may carry.
#[derive(Clone)]
pub(crate) struct Token {
    /// The value of the header `authorization`.
    pub(crate) header: HeaderValue,
    until: Instant,
}

/// Why an endpoint gave no token. The message quotes no part of the answer, which may contain secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoToken {
    #[error("the token endpoint answered with status {0}")]
    Status(StatusCode),
    #[error("the answer of the token endpoint is not that of RFC 6749, or too long")]
    Answer,
    #[error("the token is not a bearer token")]
    Kind,
}

impl AccessTokens {
    /// A token of this client, and whether it was kept; `ask` requests a new one. A kept token equal to `refused` is not used.
    pub(crate) async fn get<Error>(
        &self,
        client: &Arc<ClientCredentials>,
        refused: Option<&Token>,
        ask: impl AsyncFnOnce() -> Result<Token, Error>,
    ) -> Result<(Token, bool), Error> {
        let slot = self.slot(client);
        let mut slot = slot.lock().await;
        let is_good = |token: &&Token| {
            Instant::now() < token.until && refused.is_none_or(|refused| refused.header != token.header)
        };
        if let Some(kept) = slot.as_ref().filter(is_good) {
            return Ok((kept.clone(), true));
        }
        *slot = None;
        let token = ask().await?;
        *slot = Some(token.clone());
        Ok((token, false))
    }

    fn slot(&self, client: &Arc<ClientCredentials>) -> Slot {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(client) {
            return Arc::clone(slot);
        }
        if slots.len() >= CLIENTS_MAX {
            let now = Instant::now();
            // A slot that is locked is in use.
            slots.retain(|_, slot| {
                slot.try_lock().map_or(true, |slot| slot.as_ref().is_some_and(|one| now < one.until))
            });
            if slots.len() >= CLIENTS_MAX {
                slots.clear();
            }
        }
        Arc::clone(slots.entry(Arc::clone(client)).or_default())
    }
}

/// The request for a token. The client authenticates with HTTP Basic, which endpoints must support (RFC 6749, section 2.3.1).
///
/// # Errors
///
/// If the request cannot be built.
pub(crate) fn token_request(client: &ClientCredentials, request: Builder) -> Result<Request<Full<Bytes>>, http::Error> {
    let header = basic_of_client(&client.client_id, client.expose_secret());
    let mut header = HeaderValue::from_str(&header)?;
    header.set_sensitive(true);
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    for (name, value) in [("scope", &client.scope), ("audience", &client.audience)] {
        if let Some(value) = value {
            form.append_pair(name, value);
        }
    }
    request
        .header(AUTHORIZATION, header)
        .header(ACCEPT, HeaderValue::from_static("application/json"))
        .header(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"))
        .body(Full::new(Bytes::from(form.finish())))
}

/// The answer of a token endpoint (RFC 6749, section 5.1). Some send the lifetime as a string.
#[derive(Deserialize)]
struct Answer {
    access_token: Zeroizing<String>,
    token_type: Option<String>,
    expires_in: Option<Seconds>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

/// The token in the answer to a request that was sent at `asked_at`.
///
/// # Errors
///
/// See [`NoToken`].
pub(crate) async fn read_token(response: Response<Incoming>, asked_at: Instant) -> Result<Token, NoToken> {
    if response.status() != StatusCode::OK {
        return Err(NoToken::Status(response.status()));
    }
    let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await.map_err(|_| NoToken::Answer)?;
    token_in(&body.to_bytes(), asked_at)
}

fn token_in(body: &[u8], asked_at: Instant) -> Result<Token, NoToken> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| NoToken::Answer)?;
    if answer.token_type.is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err(NoToken::Kind);
    }
    let is_token = !answer.access_token.is_empty() && answer.access_token.bytes().all(|byte| byte.is_ascii_graphic());
    let header = Zeroizing::new(format!("Bearer {}", *answer.access_token));
    let mut header = HeaderValue::from_str(&header).ok().filter(|_| is_token).ok_or(NoToken::Answer)?;
    header.set_sensitive(true);
    let seconds = answer.expires_in.and_then(|seconds| match seconds {
        Seconds::Number(number) => Some(number),
        Seconds::Text(text) => text.parse().ok(),
    });
    let lifetime = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(LIFETIME_DEFAULT);
    let until = asked_at + lifetime.min(LIFETIME_MAX).saturating_sub(MARGIN);
    Ok(Token { header, until })
}

#[cfg(test)]
mod tests {
    use domain::webhooks::TargetUrl;

    use super::*;

    fn client(number: usize) -> Arc<ClientCredentials> {
        let url = TargetUrl::from_stored("https://id.example/token").unwrap();
        Arc::new(ClientCredentials::new(url, (&format!("client {number}"), "s"), None, None).unwrap())
    }

    fn token(text: &str, seconds: u64) -> Token {
        let body = format!(r#"{{"access_token":"{text}","expires_in":{seconds}}}"#);
        token_in(body.as_bytes(), Instant::now()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_kept_until_shortly_before_its_end_or_until_it_is_refused() {
        let (tokens, alice, bob) = (AccessTokens::default(), client(1), client(2));
        let get = async |client: &Arc<ClientCredentials>, refused: Option<&Token>, next: &str| {
            let found = tokens.get(client, refused, async || Ok::<_, NoToken>(token(next, 3_600))).await.unwrap();
            (found.0.header.to_str().unwrap().to_owned(), found.1)
        };
        let shown = |text: &str, is_kept| (format!("Bearer {text}"), is_kept);
        assert_eq!(get(&alice, None, "a").await, shown("a", false));
        assert_eq!(get(&bob, None, "b").await, shown("b", false));
        assert_eq!(get(&client(1), None, "c").await, shown("a", true), "equal credentials");
        assert_eq!(get(&alice, Some(&token("a", 60)), "d").await, shown("d", false));
        assert_eq!(get(&alice, Some(&token("a", 60)), "e").await, shown("d", true), "another attempt got it already");
        tokio::time::sleep(Duration::from_secs(3_569)).await;
        assert_eq!(get(&alice, None, "f").await, shown("d", true));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(get(&alice, None, "g").await, shown("g", false));
        let refusal = tokens.get(&client(3), None, async || Err::<Token, _>(NoToken::Kind)).await;
        assert!(refusal.is_err());
        assert_eq!(get(&client(3), None, "h").await, shown("h", false), "a refusal is not kept");
    }

    #[tokio::test]
    async fn no_more_clients_are_kept_than_the_most() {
        let tokens = AccessTokens::default();
        for number in 0..2 * CLIENTS_MAX {
            let ask = async || Ok::<_, NoToken>(token("t", 3_600));
            tokens.get(&client(number), None, ask).await.unwrap();
            assert!(tokens.0.lock().unwrap().len() <= CLIENTS_MAX);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn reads_what_endpoints_send() {
        let now = Instant::now();
        let kept = |body: &str| token_in(body.as_bytes(), now).map(|token| token.until.duration_since(now).as_secs());
        assert_eq!(kept(r#"{"access_token":"a","token_type":"bearer","expires_in":90}"#).unwrap(), 60);
        assert_eq!(kept(r#"{"access_token":"a","token_type":"Bearer","expires_in":"90"}"#).unwrap(), 60);
        assert_eq!(kept(r#"{"access_token":"a","expires_in":10}"#).unwrap(), 0, "used once");
        assert_eq!(kept(r#"{"access_token":"a"}"#).unwrap(), 270);
        assert_eq!(kept(r#"{"access_token":"a","expires_in":-1,"scope":"x"}"#).unwrap(), 270);
        assert_eq!(kept(r#"{"access_token":"a","expires_in":1e30}"#).unwrap(), 270, "no time");
        assert_eq!(kept(r#"{"access_token":"a","expires_in":9999999}"#).unwrap(), 86_370);
        for wrong in
            ["", "{}", "[]", r#"{"access_token":""}"#, r#"{"access_token":"a b"}"#, r#"{"access_token":"a\r\nb"}"#]
        {
            assert!(matches!(kept(wrong), Err(NoToken::Answer)), "{wrong:?}");
        }
        assert!(matches!(kept(r#"{"access_token":"a","token_type":"mac"}"#), Err(NoToken::Kind)));
    }
}
