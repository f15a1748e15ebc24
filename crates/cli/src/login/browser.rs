use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use adapters_system::{SystemClock, SystemEntropy};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use domain::ports::{Clock, IdentityProvider, SignInAnswer, SignInRequest, SignInVerdict};
use domain::sessions::SignInSecrets;
use gatepost_client::{Client, CommandLineClient};
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::loopback::{Answer, Loopback};
use crate::open::open_in_browser;
use crate::output::remark;
use crate::times::duration;
use crate::web_address::WebAddress;

// Not a doc comment: clap would show it as the help of the command.
#[derive(Debug, Args)]
pub(super) struct BrowserArguments {
    /// Open no browser: print the URL of the sign-in only
    #[arg(long, conflicts_with = "Kind")]
    no_browser: bool,
    /// The port of 127.0.0.1 to which the browser returns, for a provider that allows only the URLs it knows; without it any free port
    #[arg(long, conflicts_with = "Kind")]
    port: Option<u16>,
    /// How long to wait for the sign-in, such as 90s or 10m
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration, conflicts_with = "Kind")]
    wait: Duration,
}

/// A sign-in with a browser was begun without a terminal.
#[derive(Debug, thiserror::Error)]
#[error(
    "nobody can sign in without a terminal: say with --api-key, --id-token or --operator-token what standard input \
     has, or add --no-browser"
)]
pub(crate) struct NobodyThere;

/// Signs a person in with a browser on this machine, and returns the ID token. See decision 111.
///
/// # Errors
///
/// [`NobodyThere`]; when the service or its identity provider cannot be used, or refuses; or when the sign-in takes too
/// long.
pub(super) async fn sign_in(
    url: &WebAddress,
    arguments: &BrowserArguments,
    open: impl AsyncFnOnce(&CommandLineClient) -> Result<Arc<dyn IdentityProvider>>,
) -> Result<Zeroizing<String>> {
    if !arguments.no_browser && !io::stdin().is_terminal() {
        return Err(NobodyThere.into());
    }
    let client = find_client(url).await?;
    let provider = open(&client).await;
    let provider = provider.with_context(|| format!("cannot sign in at the identity provider {:?}", client.issuer))?;
    let loopback = Loopback::bind(arguments.port)?;
    let redirect_uri = loopback.redirect_uri()?;
    let secrets = Arc::new(SignInSecrets::draw(&SystemEntropy));
    let page = provider.sign_in_url(&SignInRequest {
        redirect_uri: &redirect_uri,
        state: &secrets.state,
        nonce: &secrets.nonce,
        code_challenge: &secrets.code_challenge(),
    })?;
    let answering = loopback.answer(Arc::clone(&secrets))?;
    remark(&format!("sign in with a browser at\n{page}"));
    if !arguments.no_browser {
        // Some openers run until the browser ends.
        thread::spawn(move || open_in_browser(&page));
    }
    let late = |_| anyhow!("nobody has signed in within {} s", arguments.wait.as_secs());
    let (code, issuer) = match timeout(arguments.wait, answering).await.map_err(late)?? {
        Answer::Code { code, issuer } => (code, issuer),
        Answer::Refused(reason) => bail!("the identity provider has signed nobody in: {reason}"),
    };
    let answer = SignInAnswer {
        code: &code,
        issuer: issuer.as_deref(),
        redirect_uri: &redirect_uri,
        code_verifier: &secrets.code_verifier,
        nonce: &secrets.nonce,
    };
    match provider.verify_sign_in(answer, SystemClock.world_time()).await? {
        SignInVerdict::Valid { identity, token, .. } => {
            remark(&format!("signed in as {}", identity.user.subject()));
            Ok(Zeroizing::new(token.expose().to_owned()))
        }
        SignInVerdict::Refused(reason) => bail!("the sign-in is refused: {reason}"),
    }
}

/// Asks the service how its command lines sign in. The answer decides where a person types a password and who gets the
/// token, so the connection must protect it from changes.
async fn find_client(url: &WebAddress) -> Result<CommandLineClient> {
    let (is_local, is_https) = (url.is_on_loopback(), |text: &str| text.starts_with("https://"));
    if !is_local && !is_https(url.as_str()) {
        bail!("a sign-in with a browser needs https, or a Gatepost on this machine: {url} is neither");
    }
    let client = match Client::new(url.as_str())?.find_command_line_client().await {
        Err(error) if error.status() == Some(404) => bail!(
            "command lines cannot sign in at {url}: its operator has to set OIDC_CLI_CLIENT_ID. Or paste an ID token: \
             gatepost login {url} --id-token"
        ),
        found => found.with_context(|| format!("cannot ask {url} how to sign in"))?,
    };
    if !is_local && !is_https(&client.issuer) {
        bail!("{url} names an identity provider without https: {:?}", client.issuer);
    }
    Ok(client)
}
