use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, HttpResponseBuilder};
use anyhow::{Context, Result};
use reqwest::redirect::Policy;
use tokio::sync::watch;
use url::Url;

use super::resume::{Trouble, resume_when_back};

/// How long the target may take. Less than Gatepost waits (`WEBHOOK_TIMEOUT_SECONDS`, 15 by default), so that `listen`
/// can show the reason.
const DEADLINE: Duration = Duration::from_secs(14);
/// How many bytes of the target's answer are returned: more than Gatepost reads.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Headers that belong to a connection, not to the message.
const OF_THE_CONNECTION: [&str; 10] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Forwards webhooks to a target.
pub(super) struct Forward {
    http: reqwest::Client,
    target: Url,
    trouble: watch::Sender<Trouble>,
}

impl Forward {
    /// Forwards to `target` only: redirects are returned to Gatepost, and no proxy is used.
    ///
    /// # Errors
    ///
    /// When this machine's TLS configuration cannot be read.
    pub(super) fn new(target: Url) -> Result<Self> {
        let http = reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(DEADLINE).build();
        let trouble = watch::Sender::default();
        Ok(Self { http: http.context("cannot set up TLS to forward webhooks")?, target, trouble })
    }

    /// Runs while webhooks arrive. See [`resume_when_back`].
    pub(super) async fn resume_when_back(&self, resume: impl AsyncFn() -> Result<u32>) {
        resume_when_back(&self.trouble, &self.target, resume).await;
    }

    /// Sends the same headers and the same bytes, and returns the answer of the target.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub(super) async fn pass_on(&self, headers: &HeaderMap, body: Bytes) -> Result<HttpResponse, reqwest::Error> {
        let outcome = self.send(headers, body).await;
        self.trouble.send_modify(|trouble| {
            trouble.note(outcome.as_ref().ok().map(|response| response.status().as_u16()));
        });
        outcome
    }

    async fn send(&self, headers: &HeaderMap, body: Bytes) -> Result<HttpResponse, reqwest::Error> {
        let mut request = self.http.post(self.target.clone()).body(body);
        for (name, value) in headers.iter().filter(|(name, _)| is_of_the_message(name.as_str())) {
            request = request.header(name.as_str(), value.as_bytes());
        }
        let mut answer = request.send().await.map_err(reqwest::Error::without_url)?;
        let status = StatusCode::from_u16(answer.status().as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
        let mut response = HttpResponseBuilder::new(status);
        for (name, value) in answer.headers().iter().filter(|(name, _)| is_of_the_message(name.as_str())) {
            response.append_header((name.as_str(), value.as_bytes()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(reqwest::Error::without_url)? {
            body.extend_from_slice(&chunk);
            if body.len() >= ANSWER_BYTES_MAX {
                break;
            }
        }
        Ok(response.body(body))
    }
}

fn is_of_the_message(name: &str) -> bool {
    !OF_THE_CONNECTION.contains(&name)
}
