//! `gatepost pull`: a reader of a subscription that is pulled.

mod handling;

use std::time::Duration;

use adapters_system::stop_on_signal;
use anyhow::{Error, Result};
use clap::{Args, value_parser};
use gatepost_client::{PulledEvent, Receive, Received};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::listen::forward_target;
use crate::output::remark;
use crate::owner::Member;
use crate::times::past;
use handling::{Way, print};

/// The arguments of `gatepost pull`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT)]
pub struct Arguments {
    /// The id of a subscription whose events are pulled, as `gatepost webhooks list` shows it
    subscription_id: String,
    /// The consumer, whose place in the log Gatepost keeps; a new one begins with the oldest event
    #[arg(long, value_name = "NAME", default_value = "default")]
    consumer: String,
    /// Move the consumer first: to start (the oldest event), to end, to a time, or to a duration before now
    #[arg(long, value_name = "TO", value_parser = place)]
    seek: Option<String>,
    /// Run this command by the shell for each event, with the event in JSON on standard input; if it fails, stop before this event
    #[arg(long, value_name = "COMMAND", conflicts_with = "forward_to")]
    exec: Option<String>,
    /// Post each event in JSON to this URL, or HOST:PORT, until the answer is 2xx
    #[arg(long, value_name = "URL", value_parser = forward_target)]
    forward_to: Option<Url>,
    /// The most events of a call, up to 500
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = value_parser!(u32).range(1..=500))]
    limit: u32,
    /// How many seconds the events are leased to this reader, up to 3600
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..=3600))]
    lease_seconds: u64,
    /// End when there are no more events, instead of waiting for them
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    member: Member,
}

const EXAMPLES: &str = "\
Examples:
  gatepost pull sub_01h455vb4pex5vsknk084sn02q --once --user alice
  gatepost pull sub_01h455vb4pex5vsknk084sn02q --once --user alice \\
    --consumer billing --exec 'jq -r .type'
  gatepost pull sub_01h455vb4pex5vsknk084sn02q --once --user alice \\
    --consumer billing --seek start
  gatepost pull sub_01h455vb4pex5vsknk084sn02q --forward-to \\
    http://127.0.0.1:9000/hook --user alice";

const ENVIRONMENT: &str = "\
Without --exec and --forward-to, it prints each event as one line of JSON. It commits events that are
printed, whose command ended with 0, or whose answer was 2xx; events that are not committed come again.
`gatepost webhooks create --pull` makes the subscription.

Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL       the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_API_KEY   an API key of the user who owns the subscription
  GATEPOST_ID_TOKEN  an ID token of that user, used if no API key is set

Operators cannot pull events for an owner.";

/// How long one call waits for events.
const WAIT: Duration = Duration::from_secs(30);
/// How long to wait before a call is repeated because another reader has the events.
const LEASED_PAUSE: Duration = Duration::from_secs(1);
/// The shortest and the longest pause before something that failed is tried again.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// Handles events until SIGTERM or SIGINT, or with `--once` until there are no more.
///
/// # Errors
///
/// When a call is refused, a command fails, or standard output is closed.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let way = Way::new(arguments.exec.clone(), arguments.forward_to.clone())?;
    if !arguments.once {
        let Arguments { subscription_id, consumer, .. } = &arguments;
        remark(&format!("the consumer {consumer} of {subscription_id} waits for events; Ctrl-C stops it"));
    }
    let mut reader = Reader { arguments, connection, way, stop, pause: Duration::ZERO };
    reader.seek().await?;
    while reader.read().await? {}
    Ok(())
}

/// The argument is a place in the log: `start`, `end` or a time.
fn place(text: &str) -> Result<String, String> {
    match text {
        "start" | "end" => Ok(text.to_owned()),
        _ => past(text).map_err(|error| format!("{error}, or start or end")),
    }
}

/// A reader of one consumer.
struct Reader<'a> {
    arguments: Arguments,
    connection: &'a Connection,
    way: Way,
    stop: CancellationToken,
    /// The pause after the last attempt to forward an event; zero if it succeeded.
    pause: Duration,
}

impl Reader<'_> {
    /// Moves the consumer, if the command line says so. Another reader loses its lease.
    async fn seek(&self) -> Result<()> {
        let Arguments { subscription_id, consumer, seek, member, .. } = &self.arguments;
        let Some(to) = seek else { return Ok(()) };
        self.patiently(async || {
            let client = self.connection.reader(member).await?;
            self.connection.heard(client.seek_consumer(subscription_id, consumer, to).await)
        })
        .await
    }

    /// Receives, handles and commits events once. Returns whether to continue.
    async fn read(&mut self) -> Result<bool> {
        let Some(received) = self.stop.run_until_cancelled(self.receive()).await else { return Ok(false) };
        let Received { events, lease, .. } = received?;
        let Some(lease) = lease else { return Ok(!self.arguments.once) };
        let (done, outcome) = self.handle(&events).await;
        let last = events[..done].last().map(|last| last.id.as_str());
        // Ends the lease, so that other readers get the uncommitted events at once.
        let committed = self.commit(&lease, last).await;
        outcome.and(committed).map(|()| !self.stop.is_cancelled())
    }

    /// The next events. Waits while another reader has them.
    async fn receive(&self) -> Result<Received> {
        let Arguments { subscription_id, consumer, limit, lease_seconds, once, member, .. } = &self.arguments;
        let wait = if *once { Duration::ZERO } else { WAIT };
        let wish = Receive { limit: Some(*limit), wait, lease: Some(Duration::from_secs(*lease_seconds)) };
        let mut is_reported = false;
        loop {
            let received = self.patiently(async || {
                // Made again each time: an ID token may expire.
                let client = self.connection.reader(member).await?;
                self.connection.heard(client.receive_events(subscription_id, consumer, wish).await)
            });
            match received.await {
                Err(error) if code_of(&error) == Some("consumer_leased") => {
                    if !is_reported {
                        remark(&format!(
                            "another reader has events of the consumer {consumer}: waiting until its lease ends"
                        ));
                    }
                    is_reported = true;
                    sleep(LEASED_PAUSE).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// Commits the events up to this id, or none. A lost lease is not an error: the events are received again.
    async fn commit(&self, lease: &str, through: Option<&str>) -> Result<()> {
        let Arguments { subscription_id, consumer, lease_seconds, member, .. } = &self.arguments;
        let committed = self.patiently(async || {
            let client = self.connection.reader(member).await?;
            self.connection.heard(client.commit_events(subscription_id, consumer, lease, through).await)
        });
        match committed.await {
            Err(error) if code_of(&error) == Some("lease_lost") => {
                remark(&format!(
                    "the lease was lost: events that are not committed are received again; if one event takes longer than \
                     {lease_seconds} s, raise --lease-seconds"
                ));
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Repeats a call while Gatepost cannot answer it, except with `--once`.
    async fn patiently<Answer>(&self, call: impl AsyncFn() -> Result<Answer>) -> Result<Answer> {
        let mut pause = Duration::ZERO;
        loop {
            match call().await {
                Err(error) if !self.arguments.once && Failure::of(&error) == Failure::Unavailable => {
                    pause = longer(pause);
                    remark(&format!("{error:#}; trying again in {} s", pause.as_secs()));
                    if self.stop.run_until_cancelled(sleep(pause)).await.is_none() {
                        return Err(error);
                    }
                }
                outcome => return outcome,
            }
        }
    }

    /// Handles the events in their order. Returns how many succeeded, and the error that ends the command.
    ///
    /// Ends early when half of the lease is over, so that what succeeded is committed in time.
    async fn handle(&mut self, events: &[PulledEvent]) -> (usize, Result<()>) {
        let (began, lease) = (Instant::now(), Duration::from_secs(self.arguments.lease_seconds));
        let mut done = 0;
        while let Some(event) = events.get(done) {
            let is_late = began.elapsed() >= if done == 0 { lease } else { lease / 2 };
            if is_late || self.stop.is_cancelled() {
                break;
            }
            let taken = match &self.way {
                Way::Print => match print(events) {
                    Ok(()) => return (events.len(), Ok(())),
                    Err(error) => return (0, Err(error)),
                },
                Way::Exec(command) => match command.take(event).await {
                    // Ctrl-C goes to the command too.
                    Err(_) if self.stop.is_cancelled() => return (done, Ok(())),
                    Err(error) => return (done, Err(error)),
                    Ok(()) => Ok(()),
                },
                Way::Forward(target) => target.take(event).await,
            };
            match taken {
                Ok(()) => (done, self.pause) = (done + 1, Duration::ZERO),
                Err(error) => {
                    self.pause = longer(self.pause);
                    remark(&format!("{error:#}; trying again in {} s", self.pause.as_secs()));
                    self.stop.run_until_cancelled(sleep(self.pause)).await;
                }
            }
        }
        (done, Ok(()))
    }
}

/// The pause after this one: 1, 2, 4 seconds and so on, at most 30.
fn longer(pause: Duration) -> Duration {
    let (min, max) = PAUSES;
    (pause * 2).clamp(min, max)
}

/// The code of an error of the service.
fn code_of(error: &Error) -> Option<&str> {
    error.downcast_ref::<gatepost_client::Error>().and_then(gatepost_client::Error::code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute() {
        let pauses = std::iter::successors(Some(longer(Duration::ZERO)), |pause| Some(longer(*pause)));
        assert_eq!(pauses.map(|pause| pause.as_secs()).take(7).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 30, 30]);
    }
}
