use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use gatepost_client::IdToken;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use crate::output::Reply;

/// The grant type with which the provider of `gatepost dev` gives a token for a user name alone.
const USER_NAME_GRANT: &str = "urn:gatepost:grant-type:user-name";
/// How long the provider, on this machine, may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// The arguments of `gatepost token`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Arguments {
    /// The user name, which can be any name
    #[arg(long, value_name = "NAME")]
    user: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost token --user alice
  curl http://127.0.0.1:8080/api/api-keys \\
    -H \"Authorization: Bearer $(gatepost token --user alice)\"";

#[derive(Deserialize)]
struct Granted {
    id_token: String,
    expires_in: u64,
}

#[derive(Deserialize)]
struct Denied {
    error_description: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TokenAnswer<'a> {
    id_token: &'a str,
    expires_in_seconds: u64,
}

/// Prints an ID token of the development provider at this base URL.
///
/// # Errors
///
/// When no development provider answers, or the provider refuses the user name.
pub(crate) async fn run(arguments: &Arguments, base: &str) -> Result<()> {
    let granted = request(base, &arguments.user).await?;
    let id_token = granted.id_token.as_str();
    Reply::new(&TokenAnswer { id_token, expires_in_seconds: granted.expires_in }, id_token)?.print(arguments.json)
}

/// An ID token of the development provider at this base URL.
///
/// # Errors
///
/// When no provider answers, or the provider refuses the user name.
pub(crate) async fn dev_id_token(base: &str, user: &str) -> Result<IdToken> {
    Ok(IdToken::new(request(base, user).await?.id_token))
}

async fn request(base: &str, user: &str) -> Result<Granted> {
    let form = form_urlencoded::Serializer::new(String::new())
        .append_pair("grant_type", USER_NAME_GRANT)
        .append_pair("username", user)
        .finish();
    let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(DEADLINE).build()?;
    let post = client.post(format!("{base}/dev/oidc/token"));
    let sent = post.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form).send().await;
    let response = sent.with_context(|| format!("nothing answers at {base}; is `gatepost dev` running there?"))?;
    let (status, body) = (response.status(), response.bytes().await?);
    if status.is_success() {
        // The body holds a token, so the error must not quote it; the errors of serde_json name places, not values.
        return serde_json::from_slice(&body).context("the answer does not come from a development provider");
    }
    match serde_json::from_slice::<Denied>(&body) {
        Ok(denied) => bail!("no token for this user: {}", denied.error_description),
        Err(_) => bail!("{base} answers with status {status}; is that `gatepost dev`?"),
    }
}
