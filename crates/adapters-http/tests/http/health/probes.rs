//! Liveness and readiness.

use std::sync::Arc;
use std::time::Duration;

use adapters_http::NamedCheck;
use insta::assert_snapshot;

use crate::doubles::FixedCheck;
use crate::server::Setup;
use crate::transcript::{Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn ready_when_all_checks_pass() {
    let mut transcript = Transcript::default();
    let checks: Vec<NamedCheck> =
        vec![("database", Arc::new(FixedCheck::Works)), ("identity-provider", Arc::new(FixedCheck::Works))];
    let server = Setup { checks, ..Setup::default() }.start();
    for line in
        ["GET /livez", "GET /readyz", "GET /readyz?verbose", "GET /readyz?a=1&verbose=true", "GET /healthz?verbose"]
    {
        transcript.send(&server, request(line)).await;
    }
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn not_ready_when_a_check_fails_or_does_not_answer_but_alive() {
    let mut transcript = Transcript::default();
    let mut setup = Setup {
        checks: vec![
            ("schema", Arc::new(FixedCheck::Works)),
            ("database", Arc::new(FixedCheck::Fails)),
            ("identity-provider", Arc::new(FixedCheck::NeverAnswers)),
        ],
        ..Setup::default()
    };
    setup.settings.limits.readiness_deadline = Duration::from_millis(50);
    let server = setup.start();
    let lines = [
        "GET /livez",
        "GET /readyz",
        "GET /readyz?verbose",
        "GET /healthz",
        "GET /readyz?for=verify&verbose",
        "GET /readyz?for=writing",
    ];
    transcript.send_each(&server, lines.map(request)).await;
    assert_snapshot!(transcript.text());
}
