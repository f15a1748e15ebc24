//! One attempt from the caller's side.

use std::sync::Arc;
use std::time::Duration;

use adapters_egress::{EgressSettings, GuardedSender, InterfaceAddresses, Resolver, TrustedRoots};
use domain::memory::SeededEntropy;
use domain::ports::{Attempt, WebhookSender as _};
use domain::webhooks::{
    Answer, AttemptOutcome, EgressPolicy, EgressPolicySettings, FailureReason, HeaderName, HeaderValue, Payload,
    RequestHeaders, SigningSecret, TargetUrl,
};
use domain::{EventId, Timestamp};
use rustls::pki_types::CertificateDer;
use tokio::time::Instant;

use crate::scripted_resolver::{Lookup, ScriptedResolver};

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
pub(crate) const EVENT: EventId = EventId::from_bytes([7; 16]);
pub(crate) const BODY: &[u8] = br#"{"type":"a.b","timestamp":"2026-11-21T01:42:03.120Z","data":{"n":1.10}}"#;

/// Long enough for everything that ends without a deadline.
pub(crate) const PATIENT: Duration = Duration::from_secs(20);
/// The deadline for attempts that never end without one.
pub(crate) const IMPATIENT: Duration = Duration::from_secs(2);

/// The time that a timer takes on this machine, also while the thread of the test is blocked.
pub(crate) async fn elapsed_after(timer: Duration) -> Duration {
    let wait = move || {
        let started = Instant::now();
        std::thread::sleep(timer);
        started.elapsed()
    };
    tokio::task::spawn_blocking(wait).await.unwrap()
}

pub(crate) fn now() -> Timestamp {
    Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").unwrap()
}

/// The settings of the sender that a test changes.
pub(crate) struct Sending {
    pub(crate) allowed_networks: &'static [&'static str],
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) roots: Vec<CertificateDer<'static>>,
    pub(crate) deadline: Duration,
    pub(crate) connections_max: usize,
    pub(crate) attempts_per_host_max: usize,
}

impl Default for Sending {
    fn default() -> Self {
        Self {
            allowed_networks: &["127.0.0.0/8"],
            resolver: ScriptedResolver::new(&[Lookup::Addresses(&["127.0.0.1"])]),
            roots: Vec::new(),
            deadline: PATIENT,
            connections_max: 100,
            attempts_per_host_max: 32,
        }
    }
}

impl Sending {
    pub(crate) fn impatient() -> Self {
        Self { deadline: IMPATIENT, ..Self::default() }
    }

    pub(crate) fn sender(self) -> GuardedSender {
        let policy = EgressPolicy::new(EgressPolicySettings {
            allow_http: true,
            allowed_networks: self.allowed_networks.iter().map(|network| network.parse().unwrap()).collect(),
            own_addresses: Arc::new(InterfaceAddresses::read().unwrap()),
        });
        let roots = if self.roots.is_empty() { TrustedRoots::Platform } else { TrustedRoots::Only(self.roots) };
        GuardedSender::new(EgressSettings {
            resolver: self.resolver,
            roots,
            deadline: self.deadline,
            connections_max: self.connections_max,
            attempts_per_host_max: self.attempts_per_host_max,
            ..EgressSettings::new(policy, Arc::new(SeededEntropy::new(1)))
        })
        .unwrap()
    }

    pub(crate) async fn send(self, url: &str) -> AttemptOutcome {
        send(&self.sender(), url).await
    }
}

pub(crate) async fn send(sender: &GuardedSender, url: &str) -> AttemptOutcome {
    sender.send(attempt(url, &[SECRET])).await
}

/// An attempt at an unchecked URL, as a store may contain it.
pub(crate) fn attempt(url: &str, secrets: &[&str]) -> Attempt {
    Attempt {
        url: TargetUrl::from_stored(url).unwrap(),
        event_id: EVENT,
        payload: Payload::from_bytes(BODY),
        signers: secrets.iter().map(|secret| SigningSecret::parse(secret).unwrap().into()).collect(),
        headers: RequestHeaders::default(),
        sequence: None,
        at: now(),
        trace: None,
    }
}

/// The same with two headers of the subscription.
pub(crate) fn attempt_with_headers(url: &str) -> Attempt {
    let header = |name, value| (HeaderName::from_stored(name).unwrap(), HeaderValue::parse(value).unwrap());
    let headers = vec![header("x-tenant", "tenant 42"), header("authorization", "Bearer t0ken")];
    Attempt { headers: RequestHeaders::new(headers), ..attempt(url, &[SECRET]) }
}

pub(crate) fn failed(reason: FailureReason) -> AttemptOutcome {
    AttemptOutcome::Failed { reason, answer: None }
}

pub(crate) fn answered(outcome: AttemptOutcome) -> Answer {
    match outcome {
        AttemptOutcome::Answered(answer) => answer,
        other => panic!("no answer: {other:?}"),
    }
}
