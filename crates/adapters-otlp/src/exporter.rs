use std::sync::Arc;
use std::time::Duration;

use domain::Span;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::collector::{CollectorHeader, CollectorUrl};
use crate::queue::SpanQueue;
use crate::request;

/// The most spans in one request.
const BATCH_MAX: usize = 512;
/// How long a span waits for others.
const GATHERED_FOR: Duration = Duration::from_secs(1);
/// How long one request may take.
const REQUEST_MAX: Duration = Duration::from_secs(10);
/// The first wait before a batch is sent again. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest of these waits.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// On shutdown: how long the last request may take.
const LAST_REQUEST_MAX: Duration = Duration::from_secs(1);

/// The destination and the sender of spans.
pub struct ExporterSettings {
    /// The collector.
    pub url: CollectorUrl,
    /// Sent with each request.
    pub headers: Vec<CollectorHeader>,
    /// The name of this service.
    pub service_name: String,
    /// The version of this program.
    pub version: &'static str,
}

/// The client cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ClientSetupError {
    /// TLS cannot be set up.
    #[error("cannot set up the client for traces")]
    Client(#[from] reqwest::Error),
    /// No URL for traces can be made of the collector's.
    #[error("the URL of the collector of traces is not usable")]
    Url,
}

/// Sends spans to a collector.
pub struct SpanExporter {
    client: Client,
    url: Url,
    headers: HeaderMap,
    service_name: String,
    version: &'static str,
    queue: Arc<SpanQueue>,
    queued: Receiver<Span>,
    /// Whether the last request failed.
    is_failing: bool,
}

/// The result of a request.
enum Sent {
    Taken,
    /// The collector is away, or asks to come back.
    Later(String),
    /// The collector will never take it.
    Refused(String),
}

impl SpanExporter {
    /// An exporter that sends the spans of the returned queue. It sends none before [`SpanExporter::run`].
    ///
    /// # Errors
    ///
    /// See [`ClientSetupError`].
    pub fn new(settings: ExporterSettings) -> Result<(Arc<SpanQueue>, Self), ClientSetupError> {
        let client = Client::builder().no_proxy().redirect(Policy::none()).timeout(REQUEST_MAX).build()?;
        let ExporterSettings { url, headers, service_name, version } = settings;
        let url = url.of_traces().ok_or(ClientSetupError::Url)?;
        let headers = headers.into_iter().map(|header| (header.name, header.value)).collect();
        let (queue, queued) = SpanQueue::new();
        let exporter = Self { client, url, headers, service_name, version, queue, queued, is_failing: false };
        Ok((Arc::clone(&exporter.queue), exporter))
    }

    /// Sends until `stop` is cancelled, and then makes one request for the remaining spans. While the collector is
    /// away, a batch waits for it, and a full queue drops later spans.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while !stop.is_cancelled() {
            stop.run_until_cancelled(self.gather(&mut batch)).await;
            stop.run_until_cancelled(self.send_until_settled(&mut batch)).await;
        }
        self.send_the_rest(batch).await;
    }

    /// Waits for spans, and a moment longer for more of them.
    async fn gather(&mut self, batch: &mut Vec<Span>) {
        self.queued.recv_many(batch, BATCH_MAX).await;
        let until = Instant::now() + GATHERED_FOR;
        while batch.len() < BATCH_MAX {
            let room = BATCH_MAX - batch.len();
            if !matches!(timeout_at(until, self.queued.recv_many(batch, room)).await, Ok(1..)) {
                break;
            }
        }
    }

    /// Sends the batch, again and again while the collector is away. Clears the batch when that is over.
    async fn send_until_settled(&mut self, batch: &mut Vec<Span>) {
        let mut wait = FIRST_WAIT;
        while !batch.is_empty() {
            match self.send(batch).await {
                Sent::Later(error) => {
                    self.note_failure(&error);
                    sleep(wait).await;
                    wait = WAIT_MAX.min(wait * 2);
                }
                settled => self.settle(settled, batch),
            }
        }
    }

    fn settle(&mut self, sent: Sent, batch: &mut Vec<Span>) {
        match sent {
            Sent::Taken => {
                if std::mem::take(&mut self.is_failing) {
                    tracing::info!("the collector takes traces again");
                }
                self.queue.count_exported(batch.len());
            }
            Sent::Later(error) | Sent::Refused(error) => {
                self.note_failure(&error);
                self.queue.count_dropped(batch.len());
            }
        }
        batch.clear();
    }

    /// Logs the first of several failures.
    fn note_failure(&mut self, error: &str) {
        if !std::mem::replace(&mut self.is_failing, true) {
            tracing::warn!(error, "the collector does not take traces");
        }
    }

    /// On shutdown: one request for the remaining spans.
    async fn send_the_rest(mut self, mut batch: Vec<Span>) {
        while let Ok(span) = self.queued.try_recv() {
            batch.push(span);
        }
        if !batch.is_empty() {
            let sent = timeout(LAST_REQUEST_MAX, self.send(&batch)).await;
            let sent = sent.unwrap_or_else(|_| Sent::Later("the shutdown was faster".to_owned()));
            self.settle(sent, &mut batch);
        }
    }

    async fn send(&self, batch: &[Span]) -> Sent {
        let body = request::body(&self.service_name, self.version, batch);
        let request = self.client.post(self.url.clone()).headers(self.headers.clone());
        match request.header(CONTENT_TYPE, "application/x-protobuf").body(body).send().await {
            Ok(answer) => verdict(answer.status()),
            // The message of reqwest repeats the URL.
            Err(error) => Sent::Later(chain(&error.without_url())),
        }
    }
}

/// By the specification of OTLP over HTTP, these four statuses ask to send again, and all other failures are final.
fn verdict(status: StatusCode) -> Sent {
    let failure = || format!("status {}", status.as_u16());
    match status.as_u16() {
        200..=299 => Sent::Taken,
        429 | 502 | 503 | 504 => Sent::Later(failure()),
        _ => Sent::Refused(failure()),
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let errors = std::iter::successors(Some(error), |error| error.source());
    errors.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
