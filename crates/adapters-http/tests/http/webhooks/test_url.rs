//! Tests of URLs without a subscription.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::memory::ManualClock;
use domain::ports::{Attempt, WebhookSender};
use domain::webhooks::{Answer, AnswerHeaders, AttemptOutcome, FailureReason, OurFault};
use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, Request, Transcript, request};

/// A sender that notes attempts. Each takes 20 ms and ends as the path of its URL says.
pub(crate) struct TestedUrls {
    clock: Arc<ManualClock>,
    attempts: Mutex<Vec<Attempt>>,
}

impl TestedUrls {
    pub(crate) fn new(clock: Arc<ManualClock>) -> Self {
        Self { clock, attempts: Mutex::default() }
    }

    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        self.attempts.lock().unwrap().clone()
    }
}

#[async_trait]
impl WebhookSender for TestedUrls {
    async fn send(&self, attempt: Attempt) -> AttemptOutcome {
        self.clock.advance(Duration::from_millis(20));
        let path = attempt.url.url().path().to_owned();
        self.attempts.lock().unwrap().push(attempt);
        let answered = |status, excerpt: &[u8]| {
            AttemptOutcome::Answered(Answer {
                status,
                retry_after: None,
                headers: AnswerHeaders::default(),
                excerpt: excerpt.to_vec(),
            })
        };
        match path.as_str() {
            "/accepts" => answered(204, b""),
            "/fails" => answered(500, b"on \xFFfire"),
            "/is-late" => AttemptOutcome::Failed { reason: FailureReason::Timeout, answer: None },
            _ => AttemptOutcome::NotCharged(OurFault::ConnectionLimit),
        }
    }
}

fn test(body: &str) -> Request {
    request("POST /api/webhooks/test").header(ALICE).json(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_url_is_tested_before_anything_is_subscribed() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let paths = ["accepts", "fails", "is-late", "where-we-are-busy"];
    transcript.send_each(&server, paths.map(|path| test(&format!(r#"{{"url":"https://example.com/{path}"}}"#)))).await;
    let wrong = [
        "{}",
        r#"{"url":"http://example.com/","secret":""}"#,
        r#"{"url":"https://127.0.0.1/"}"#,
        r#"{"url":"https://169.254.169.254/latest/meta-data"}"#,
    ];
    transcript.send_each(&server, wrong.map(test)).await;
    assert_snapshot!(transcript.text());
    assert_eq!(server.tested.attempts().len(), 4, "what is refused is not sent");
    for list in ["deliveries", "subscriptions"] {
        let stored = request(&format!("GET /api/webhooks/{list}")).header(ALICE).send(&server).await;
        assert_eq!(stored.body, format!(r#"{{"{list}":[]}}"#), "nothing is stored");
    }
}

fn secret_of(attempt: &Attempt) -> &str {
    attempt.signers[0].secret().unwrap().expose()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_is_signed_with_the_secret_in_the_form() {
    let server = Server::start();
    let body = r#"{"url":"https://example.com/accepts","secret":"my own secret"}"#;
    let sent = test(body).send(&server).await;
    let [attempt] = server.tested.attempts().try_into().expect("one attempt");
    assert_eq!((attempt.signers.len(), secret_of(&attempt)), (1, "my own secret"));
    assert!(sent.body.contains(&attempt.event_id.to_string()), "the answer has the webhook-id: {}", sent.body);
    let payload = std::str::from_utf8(attempt.payload.bytes()).unwrap();
    assert_eq!(payload, r#"{"type":"webhook.test","timestamp":"2026-11-21T01:42:03.120Z","data":{}}"#);
    for _ in 0..2 {
        test(r#"{"url":"https://example.com/accepts"}"#).send(&server).await;
    }
    let made: Vec<String> = server.tested.attempts()[1..].iter().map(|one| secret_of(one).to_owned()).collect();
    assert!(made[0].starts_with("whsec_") && made[0] != made[1], "a secret for each test");
}
