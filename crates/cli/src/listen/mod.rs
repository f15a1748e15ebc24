//! A receiver of webhooks for whoever develops one.

mod arrival;
mod forward;
mod receiver;

use std::net::{Ipv4Addr, TcpListener};

use adapters_system::stop_on_signal;
use anyhow::{Context, Result};
use clap::Args;
use gatepost_client::NewSubscription;
use gatepost_client::webhooks::SigningSecret;
use tokio::sync::mpsc::{self, Receiver as Arrivals};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::connection::{Connection, user_argument};
use crate::output::remark;
use arrival::Arrival;
use forward::Forward;
use receiver::Receiver;

/// Receive the webhooks of a user on this machine: verify and show each, and forward it to what you develop
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT)]
pub struct Arguments {
    /// Where to forward each webhook, byte for byte. Gatepost gets the answer
    #[arg(long, value_name = "URL", value_parser = forward_target)]
    forward_to: Option<Url>,
    /// Which events: types, or patterns such as invoice.*
    #[arg(long, value_name = "PATTERN", num_args = 1.., default_value = "*")]
    events: Vec<String>,
    /// Whose webhooks: a user of the running `gatepost dev`
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Show each webhook as one line of JSON, with its payload
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost listen --user alice
  gatepost listen --user alice --forward-to http://127.0.0.1:9000/hook
  gatepost listen --user alice --events 'invoice.*' order.created --json";

const ENVIRONMENT: &str = "\
It works where Gatepost can and may reach this machine, as `gatepost dev` does: it subscribes a URL
of 127.0.0.1, and deletes that subscription when it ends (Ctrl-C).

Environment (each also as NAME_FILE, a file that holds the value):
  GATEPOST_URL       where Gatepost runs; without it, where this configuration would run it
  GATEPOST_API_KEY   the user whose webhooks they are
  GATEPOST_ID_TOKEN  the same, where no API key is set";

/// What our subscriptions are called, so that one that was left behind is known by it.
const DESCRIPTION: &str = "gatepost listen";
/// Webhooks that were received and are not shown yet; more wait with their answer.
const ARRIVALS_MAX: usize = 256;

/// Receives until a signal says stop, then deletes the subscription.
///
/// # Errors
///
/// When the subscription cannot be made or deleted, or nobody reads what is shown.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let forward = arguments.forward_to.clone().map(Forward::new).transpose()?;
    // Webhooks that come before we know the secret wait in the listener's queue.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot listen on this machine")?;
    let url = format!("http://{}/", listener.local_addr().context("the listener has no address")?);
    let (subscription_id, secret) = subscribe(&arguments, connection, &url).await?;
    let (sender, arrivals) = mpsc::channel(ARRIVALS_MAX);
    let received = receive(Receiver::new(secret, forward, sender), listener, arrivals, &arguments, &url, stop).await;
    received.and(unsubscribe(&arguments, connection, &subscription_id).await)
}

/// Answers the id of the subscription, and its secret.
async fn subscribe(arguments: &Arguments, connection: &Connection, url: &str) -> Result<(String, SigningSecret)> {
    let consumer = connection.consumer(arguments.user.as_deref()).await?;
    let new = NewSubscription::new(url, &arguments.events).described_as(DESCRIPTION);
    let created = connection.heard(consumer.create_subscription(&new).await);
    let created = created.with_context(|| format!("cannot subscribe {url}, a URL of this machine"))?;
    let secret = created.secret.context("the service answered without a secret")?;
    Ok((created.subscription.id, SigningSecret::parse(secret.expose()).context("the service's secret is none")?))
}

/// Shows what arrives until `stop`, or until nobody reads it.
async fn receive(
    receiver: Receiver,
    listener: TcpListener,
    mut arrivals: Arrivals<Arrival>,
    arguments: &Arguments,
    url: &str,
    stop: CancellationToken,
) -> Result<()> {
    let mut server = receiver.serve(listener)?;
    let handle = server.handle();
    let target = arguments.forward_to.as_ref().map(|target| format!(" and forwards to {target}"));
    let (events, target) = (arguments.events.join(" "), target.unwrap_or_default());
    remark(&format!("{url} receives {events}{target}; Ctrl-C ends it"));
    let outcome = tokio::select! {
        ended = &mut server => return ended.context("the receiver gave up"),
        outcome = show_all(&mut arrivals, arguments.json) => outcome,
        () = stop.cancelled() => Ok(()),
    };
    let ((), ended) = tokio::join!(handle.stop(true), server);
    // What was under way has been answered since, and nothing else will come.
    arrivals.close();
    outcome.and(show_all(&mut arrivals, arguments.json).await).and(ended.context("the receiver gave up"))
}

/// Until no more can arrive.
async fn show_all(arrivals: &mut Arrivals<Arrival>, json: bool) -> Result<()> {
    while let Some(arrival) = arrivals.recv().await {
        arrival.show(json)?;
    }
    Ok(())
}

/// As whoever we are now: an ID token from the start may have expired.
async fn unsubscribe(arguments: &Arguments, connection: &Connection, id: &str) -> Result<()> {
    let deleted = async {
        let consumer = connection.consumer(arguments.user.as_deref()).await?;
        match consumer.delete_subscription(id).await {
            Err(error) if error.code() == Some("subscription_not_found") => Ok(()),
            outcome => connection.heard(outcome),
        }
    };
    let whose = user_argument(arguments.user.as_deref());
    deleted.await.with_context(|| {
        format!("the subscription {id} is left behind: `gatepost webhooks delete {id}{whose}` deletes it")
    })
}

fn forward_target(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or("must be an http or https URL")
}
