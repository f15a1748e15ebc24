//! `gatepost listen`: a receiver of webhooks for development.

mod arrival;
mod forward;
mod receiver;
mod resume;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use adapters_system::{Hangups, SystemClock, stop_on_signal};
use anyhow::{Context, Result, ensure};
use clap::Args;
use domain::ports::Clock;
use gatepost_client::webhooks::{PublicKey, SigningSecret};
use gatepost_client::{NewSubscription, Recovery};
use tokio::sync::mpsc::{self, Receiver as Arrivals};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::connection::Connection;
use crate::output::remark;
use crate::owner::Owner;
use crate::webhooks::subscriptions::SIGNING;
use arrival::Arrival;
use forward::Forward;
use receiver::{Keys, Receiver};

/// The arguments of `gatepost listen`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT)]
pub struct Arguments {
    /// The URL, or HOST:PORT, of the service that you develop; each webhook is forwarded byte for byte, and Gatepost gets the answer
    #[arg(long, value_name = "URL", value_parser = forward_target)]
    forward_to: Option<Url>,
    /// Event types, or patterns such as invoice.*
    #[arg(long, value_name = "PATTERN", num_args = 1.., default_value = "*")]
    events: Vec<String>,
    #[command(flatten)]
    owner: Owner,
    /// Print the signing secret or the public key to standard error, so that the service that you develop can verify webhooks
    #[arg(long)]
    print_secret: bool,
    /// Have webhooks signed with a secret (hmac, the default), with a key pair (ed25519), or with both
    #[arg(long, value_name = "KIND", value_parser = SIGNING)]
    signing: Option<String>,
    /// Show each webhook as one line of JSON, with its payload
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost listen --user alice
  gatepost listen --user alice --forward-to http://127.0.0.1:9000/hook
  gatepost listen --user alice --forward-to 127.0.0.1:9000
  gatepost listen --user alice --events 'invoice.*' order.created --json";

const ENVIRONMENT: &str = "\
It subscribes a URL of 127.0.0.1, and deletes the subscription when it ends (Ctrl-C). So Gatepost must be
able and allowed to call this machine, as `gatepost dev` is. In the folder of `gatepost dev`, the signing
secret is the same each time.

Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_API_KEY         an API key of the user who owns the webhooks
  GATEPOST_ID_TOKEN        an ID token of that user, used if no API key is set
  GATEPOST_WEBHOOK_SECRET  the signing secret; the default is the kept one, or else a new one";

/// The description of the subscriptions, by which a user finds one that was left behind.
const DESCRIPTION: &str = "gatepost listen";
/// The most webhooks that wait to be shown. Past this limit the answers to further ones wait.
const ARRIVALS_MAX: usize = 256;

/// Receives until SIGTERM or SIGINT, then deletes the subscription.
///
/// # Errors
///
/// When the subscription cannot be made or deleted, or standard output is closed.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    Hangups::catch()?;
    let forward = arguments.forward_to.clone().map(Forward::new).transpose()?.map(Arc::new);
    let start = SystemClock.now().to_string();
    // Webhooks that arrive before the secret is known wait in the queue of the listener.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot listen on this machine")?;
    let url = format!("http://{}/", listener.local_addr().context("the listener has no address")?);
    let (subscription_id, keys) = subscribe(&arguments, connection, &url).await?;
    let (sender, arrivals) = mpsc::channel(ARRIVALS_MAX);
    let receiver = Receiver::new(keys, forward.clone(), sender);
    let resume = async || {
        let consumer = connection.consumer(&arguments.owner).await?;
        connection.heard(consumer.recover_subscription(&subscription_id, &Recovery::since(&start)).await)
    };
    let resuming = async {
        match &forward {
            Some(forward) => forward.resume_when_back(resume).await,
            None => std::future::pending().await,
        }
    };
    let outcome = tokio::select! {
        outcome = receive(receiver, listener, arrivals, &arguments, &url, stop) => outcome,
        () = resuming => Ok(()),
    };
    outcome.and(unsubscribe(&arguments, connection, &subscription_id).await)
}

/// Subscribes, and returns the id of the subscription and what verifies its webhooks.
async fn subscribe(arguments: &Arguments, connection: &Connection, url: &str) -> Result<(String, Keys)> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let mut new = NewSubscription::new(url, &arguments.events).described_as(DESCRIPTION);
    let has_secret = arguments.signing.as_deref() != Some("ed25519");
    let kept = if has_secret { connection.webhook_secret()? } else { None };
    new = kept.iter().cloned().fold(new, NewSubscription::signed_with);
    new = arguments.signing.iter().fold(new, NewSubscription::signed_by);
    let created = connection.heard(consumer.create_subscription(&new).await);
    let created = created.with_context(|| format!("cannot subscribe {url} on this machine"))?;
    let (secret, public_key) = (created.secret.or(kept), created.subscription.public_keys.first());
    if let Some(secret) = secret.as_ref().filter(|_| arguments.print_secret) {
        remark(&format!("the signing secret is {}", secret.expose()));
    }
    if let Some(key) = public_key.filter(|_| arguments.print_secret) {
        remark(&format!("the public key is {key}"));
    }
    let secret = secret.map(|secret| SigningSecret::parse(secret.expose())).transpose();
    let secret = secret.context("the secret of the service is not valid")?;
    let public_key = public_key.map(|key| PublicKey::parse(key)).transpose();
    let public_key = public_key.context("the public key of the service is not valid")?;
    ensure!(secret.is_some() || public_key.is_some(), "the service answered without a secret");
    Ok((created.subscription.id, Keys { secret, public_key }))
}

/// Shows webhooks until `stop` is cancelled or standard output is closed.
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
    remark(&format!("{url} receives {events}{target}; Ctrl-C stops it"));
    let outcome = tokio::select! {
        ended = &mut server => return ended.context("the receiver failed"),
        outcome = show_all(&mut arrivals, arguments.json) => outcome,
        () = stop.cancelled() => Ok(()),
    };
    let ((), ended) = tokio::join!(handle.stop(true), server);
    // Webhooks in flight have been answered, and no others will arrive.
    arrivals.close();
    outcome.and(show_all(&mut arrivals, arguments.json).await).and(ended.context("the receiver failed"))
}

/// Shows webhooks until no more can arrive.
async fn show_all(arrivals: &mut Arrivals<Arrival>, json: bool) -> Result<()> {
    while let Some(arrival) = arrivals.recv().await {
        arrival.show(json)?;
    }
    Ok(())
}

/// Deletes the subscription, with a new ID token: the one from the start may have expired.
async fn unsubscribe(arguments: &Arguments, connection: &Connection, id: &str) -> Result<()> {
    let deleted = async {
        let consumer = connection.consumer(&arguments.owner).await?;
        match consumer.delete_subscription(id).await {
            Err(error) if error.code() == Some("subscription_not_found") => Ok(()),
            outcome => connection.heard(outcome),
        }
    };
    let whose = arguments.owner.as_arguments();
    deleted.await.with_context(|| {
        format!("the subscription {id} still exists; delete it with `gatepost webhooks delete {id}{whose} --yes`")
    })
}

/// The URL that this text names, with or without a scheme.
pub(crate) fn forward_target(text: &str) -> Result<Url, &'static str> {
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    // Without a scheme, the host of `localhost:9000` is read as one.
    let with_scheme = || Url::parse(&format!("http://{text}")).ok().filter(|_| !text.contains("://"));
    let url = Url::parse(text).ok().filter(is_web).or_else(with_scheme).filter(is_web);
    url.ok_or("must be an http or https URL, or HOST:PORT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_needs_no_scheme() {
        let parsed = |text: &str| forward_target(text).map(String::from);
        for (text, url) in [
            ("localhost:9000", "http://localhost:9000/"),
            ("127.0.0.1:9000/hook", "http://127.0.0.1:9000/hook"),
            ("example.test", "http://example.test/"),
            ("https://example.test/a", "https://example.test/a"),
        ] {
            assert_eq!(parsed(text).as_deref(), Ok(url));
        }
        for wrong in ["", "ftp://localhost", "file:///etc", "http://"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
