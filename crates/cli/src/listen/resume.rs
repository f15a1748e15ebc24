use std::time::Duration;

use anyhow::Result;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::sleep;
use url::Url;

use crate::output::remark;

/// The number of failures in a row after which Gatepost pauses the subscription.
const FAILURES_TO_PAUSE: u32 = 5;
/// How long to wait before the target is tried again.
const PAUSE: Duration = Duration::from_secs(2);

/// The failures of the target since its last success.
#[derive(Default)]
pub(super) struct Trouble {
    failures_in_a_row: u32,
    is_unreachable: bool,
    is_reported: bool,
}

impl Trouble {
    /// Notes the status of an answer; `None` if there was no answer.
    pub(super) fn note(&mut self, status: Option<u16>) {
        if status.is_some_and(|status| (200..300).contains(&status)) {
            *self = Self::default();
            return;
        }
        self.failures_in_a_row += 1;
        self.is_unreachable |= status.is_none();
    }

    fn needs_help(&self) -> bool {
        self.is_unreachable || self.failures_in_a_row >= FAILURES_TO_PAUSE
    }

    /// Begins another round. Returns whether it is the first since the last success.
    fn begin_round(&mut self) -> bool {
        let is_first = !self.is_reported;
        *self = Self { is_reported: true, ..Self::default() };
        is_first
    }
}

/// Has failed webhooks sent again as soon as the target accepts connections. Otherwise they would wait for their
/// schedule, and for the end of the pause after five failures: too long while a developer restarts a service.
pub(super) async fn resume_when_back(
    trouble: &watch::Sender<Trouble>,
    target: &Url,
    resume: impl AsyncFn() -> Result<u32>,
) {
    let mut seen = trouble.subscribe();
    while seen.wait_for(Trouble::needs_help).await.is_ok() {
        let mut is_first = false;
        trouble.send_modify(|trouble| is_first = trouble.begin_round());
        if is_first {
            remark(&format!(
                "Gatepost pauses the webhooks that {target} fails to take; they are sent again when it does"
            ));
        }
        sleep(PAUSE).await;
        while !accepts(target).await {
            sleep(PAUSE).await;
        }
        match resume().await {
            Ok(webhooks) if is_first => {
                remark(&format!("{target} accepts connections: {webhooks} webhooks are sent again"));
            }
            Ok(_) => {}
            Err(error) => remark(&format!("cannot have webhooks sent again: {error:#}")),
        }
    }
}

async fn accepts(target: &Url) -> bool {
    let Some((host, port)) = target.host_str().zip(target.port_or_known_default()) else { return true };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    TcpStream::connect((host, port)).await.is_ok()
}
