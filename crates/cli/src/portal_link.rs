use std::time::Duration;

use anyhow::Result;
use clap::Args;
use gatepost_client::NewPortalLink;
use serde::Serialize;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Recipient;
use crate::times::duration;

/// The arguments of `gatepost portal-link`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    recipient: Recipient,
    /// A capability of the visitor: keys, keys:read, webhooks or webhooks:read; repeatable
    #[arg(long = "allow", value_name = "CAPABILITY")]
    capabilities: Vec<String>,
    /// The page of your application to which the console leads back
    #[arg(long, value_name = "URL")]
    return_url: Option<String>,
    /// How long the visit lasts at most, such as 30m
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost portal-link --user alice
  gatepost portal-link --user alice --allow keys:read --allow webhooks --for 30m
  gatepost portal-link --organization acme
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost portal-link --user alice \\
    --return-url https://app.example.com/settings --json

The link signs in the first browser that opens it. It works for five minutes.";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkAnswer<'a> {
    url: &'a str,
    expires_at: &'a str,
}

/// Makes a link by which a user enters the console without a sign-in. Standard output gets only the link.
///
/// # Errors
///
/// When the call fails.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let mut new = NewPortalLink::for_owner(arguments.recipient.into());
    if !arguments.capabilities.is_empty() {
        new = new.with_capabilities(arguments.capabilities);
    }
    new = arguments.return_url.into_iter().fold(new, NewPortalLink::returning_to);
    new = arguments.time.into_iter().fold(new, NewPortalLink::lasting);
    let link = connection.heard(connection.operator()?.create_portal_link(&new).await)?;
    let (url, expires_at) = (link.url.expose(), link.expires_at.as_str());
    let reply = Reply::new(&LinkAnswer { url, expires_at }, url)?;
    reply.remarking(format!("the link works once, until {expires_at}")).print(arguments.json)
}
