use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::TraceContext;
use domain::ports::{Attempt, WebhookSender};
use domain::webhooks::{Answer, AnswerHeaders, AttemptOutcome};
use tokio::time::{Instant, sleep};

/// The reaction of a receiver to a webhook.
#[derive(Clone, Debug)]
pub(crate) enum Reaction {
    /// Ends with this outcome after a while.
    After(Duration, AttemptOutcome),
    /// The sender breaks its promise and never ends.
    Never,
    /// The sender panics.
    Panic,
}

pub(crate) fn answer(status: u16) -> AttemptOutcome {
    AttemptOutcome::Answered(bare(status))
}

/// An answer that is only a status.
pub(crate) fn bare(status: u16) -> Answer {
    Answer { status, retry_after: None, headers: AnswerHeaders::default(), excerpt: Vec::new() }
}

/// Answers 200 after 10 ms.
pub(crate) fn well() -> Reaction {
    Reaction::After(Duration::from_millis(10), answer(200))
}

/// Answers 200 after this time.
pub(crate) fn takes(duration: Duration) -> impl Fn(&Attempt) -> Reaction + Send + Sync + 'static {
    move |_| Reaction::After(duration, answer(200))
}

/// An attempt as the receivers saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) url: String,
    pub(crate) at: Instant,
    pub(crate) secrets: Vec<String>,
    pub(crate) trace: Option<TraceContext>,
    pub(crate) sequence: Option<u64>,
}

/// All receivers, which keep count.
pub(crate) struct Receivers {
    react: Box<dyn Fn(&Attempt) -> Reaction + Send + Sync>,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    seen: Vec<Seen>,
    in_flight: BTreeMap<String, usize>,
    most: BTreeMap<String, usize>,
}

impl Receivers {
    pub(crate) fn new(react: impl Fn(&Attempt) -> Reaction + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { react: Box::new(react), log: Mutex::default() })
    }

    /// The attempts at this URL, in order.
    pub(crate) fn seen(&self, url: &str) -> Vec<Seen> {
        self.log.lock().unwrap().seen.iter().filter(|seen| seen.url == url).cloned().collect()
    }

    /// Attempts in all.
    pub(crate) fn count(&self) -> usize {
        self.log.lock().unwrap().seen.len()
    }

    /// The most attempts that were under way at a time to this URL, to this host, or to `all`.
    pub(crate) fn most(&self, place: &str) -> usize {
        self.log.lock().unwrap().most.get(place).copied().unwrap_or(0)
    }

    pub(crate) fn in_flight(&self, place: &str) -> usize {
        self.log.lock().unwrap().in_flight.get(place).copied().unwrap_or(0)
    }
}

struct InFlight<'a>(&'a Receivers, [String; 3]);

impl<'a> InFlight<'a> {
    fn begin(receivers: &'a Receivers, attempt: &Attempt) -> Self {
        let url = attempt.url.as_str().to_owned();
        let secrets = attempt.signers.iter().map(|signer| signer.secret().unwrap().expose().to_owned()).collect();
        let places = [url.clone(), attempt.url.url().host_str().unwrap().to_owned(), "all".to_owned()];
        let mut log = receivers.log.lock().unwrap();
        log.seen.push(Seen { url, at: Instant::now(), secrets, trace: attempt.trace, sequence: attempt.sequence });
        for place in &places {
            let count = log.in_flight.entry(place.clone()).or_default();
            *count += 1;
            let count = *count;
            let most = log.most.entry(place.clone()).or_default();
            *most = count.max(*most);
        }
        Self(receivers, places)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let mut log = self.0.log.lock().unwrap();
        for place in &self.1 {
            *log.in_flight.get_mut(place).unwrap() -= 1;
        }
    }
}

#[async_trait]
impl WebhookSender for Receivers {
    async fn send(&self, attempt: Attempt) -> AttemptOutcome {
        let _in_flight = InFlight::begin(self, &attempt);
        match (self.react)(&attempt) {
            Reaction::After(duration, outcome) => {
                sleep(duration).await;
                outcome
            }
            Reaction::Never => pending().await,
            Reaction::Panic => std::panic::resume_unwind(Box::new("without a word on standard error")),
        }
    }
}
