//! What a reader does with an event.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use gatepost_client::PulledEvent;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use url::Url;

use crate::output::answer;

/// How long the target of an event may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// What a reader does with each event.
pub(super) enum Way {
    /// It prints the events.
    Print,
    /// It runs a command.
    Exec(Exec),
    /// It posts the event to a URL.
    Forward(Forward),
}

impl Way {
    /// Runs the command, or else posts to the URL, or else prints.
    ///
    /// # Errors
    ///
    /// When this machine's TLS configuration cannot be read.
    pub(super) fn new(command: Option<String>, target: Option<Url>) -> Result<Self> {
        Ok(match (command, target) {
            (Some(command), _) => Self::Exec(Exec(command)),
            (None, Some(target)) => Self::Forward(Forward::new(target)?),
            (None, None) => Self::Print,
        })
    }
}

/// Prints the events, each as one line, and flushes them.
///
/// # Errors
///
/// When standard output cannot be written.
pub(super) fn print(events: &[PulledEvent]) -> Result<()> {
    let lines: Vec<String> = events.iter().map(line).collect::<Result<_>>()?;
    Ok(answer(&lines.join("\n"))?)
}

/// The event in JSON without a line break. In JSON, line breaks are only between tokens.
fn line(event: &PulledEvent) -> Result<String> {
    Ok(serde_json::to_string(event)?.replace(['\n', '\r'], " "))
}

/// A command of the shell.
pub(super) struct Exec(String);

impl Exec {
    /// Runs the command with the event on its standard input.
    ///
    /// # Errors
    ///
    /// When it cannot be run, or fails.
    pub(super) async fn take(&self, event: &PulledEvent) -> Result<()> {
        let mut shell = Command::new("sh");
        let mut child = shell.arg("-c").arg(&self.0).stdin(Stdio::piped()).spawn().context("cannot run sh")?;
        if let Some(mut input) = child.stdin.take() {
            // A command that does not read its input may have ended before.
            let _ = input.write_all(format!("{}\n", line(event)?).as_bytes()).await;
        }
        let status = child.wait().await.context("cannot wait for the command")?;
        let PulledEvent { id, sequence, .. } = event;
        ensure!(
            status.success(),
            "the command failed for the event {id}, number {sequence} ({status}); it is not committed"
        );
        Ok(())
    }
}

/// A URL that takes events.
pub(super) struct Forward {
    http: reqwest::Client,
    target: Url,
}

impl Forward {
    /// Posts to `target` only: redirects are failures, and no proxy is used.
    fn new(target: Url) -> Result<Self> {
        let http = reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(DEADLINE).build();
        Ok(Self { http: http.context("cannot set up TLS to forward events")?, target })
    }

    /// Posts the event.
    ///
    /// # Errors
    ///
    /// When the answer is not 2xx.
    pub(super) async fn take(&self, event: &PulledEvent) -> Result<()> {
        let request = self.http.post(self.target.clone()).header(CONTENT_TYPE, "application/json");
        let answer = request.body(serde_json::to_vec(event)?).send().await.map_err(reqwest::Error::without_url);
        let (id, target) = (&event.id, &self.target);
        let status = answer.with_context(|| format!("{target} does not take the event {id}"))?.status();
        ensure!(status.is_success(), "{target} does not take the event {id}: status {}", status.as_u16());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> PulledEvent {
        let json =
            "{\"id\":\"evt_1\",\"type\":\"a\",\"timestamp\":\"t\",\"data\":{\n\"a\\n\":1.50\r\n},\"sequence\":7}";
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_event_is_one_line_with_its_own_digits() {
        let line = line(&event()).unwrap();
        assert_eq!(line, r#"{"id":"evt_1","type":"a","timestamp":"t","data":{ "a\n":1.50  },"sequence":7}"#);
    }

    #[tokio::test]
    async fn a_command_gets_the_event_and_may_leave_it_unread() {
        for good in ["grep -q '\"sequence\":7'", "true"] {
            Exec(good.to_owned()).take(&event()).await.unwrap();
        }
        let error = Exec("cat >/dev/null; exit 3".to_owned()).take(&event()).await.unwrap_err().to_string();
        assert!(error.contains("evt_1, number 7") && error.contains("exit status: 3"), "{error}");
    }
}
