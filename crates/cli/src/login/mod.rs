//! `gatepost login`.

mod browser;
mod loopback;

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use domain::ports::IdentityProvider;
use gatepost_client::{Client, CommandLineClient, Error, FullKey, IdToken, OperatorToken, Owner};
use serde::Serialize;

pub(crate) use browser::NobodyThere;
use browser::{BrowserArguments, sign_in};

use crate::hidden_input::read_secret;
use crate::output::Reply;
use crate::profiles::{ProfileError, ProfileName, Profiles};
use crate::remote::Remote;
use crate::web_address::WebAddress;

/// Save the URL and a credential of a Gatepost, so that other commands use them
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = AFTER)]
pub struct Arguments {
    /// The URL of Gatepost
    #[arg(value_name = "URL", value_parser = url)]
    url: WebAddress,
    #[command(flatten)]
    kind: Kind,
    #[command(flatten)]
    browser: BrowserArguments,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Longer than any credential, in bytes.
const CREDENTIAL_BYTES_MAX: u64 = 16 * 1024;

const EXAMPLES: &str = "\
Examples:
  gatepost login https://keys.example.com
  gatepost login http://127.0.0.1:8080 --api-key < key
  gatepost token --user alice | gatepost login http://127.0.0.1:8080 \\
    --id-token --profile alice
  gatepost login http://127.0.0.1:8080 --operator-token \\
    --profile support < operator";

const AFTER: &str = "\
Without --api-key, --id-token and --operator-token, you sign in with a browser at the identity provider of this
Gatepost, and the ID token is saved. Log in only to a Gatepost that you trust: it gets the token. The others come
from standard input. On a terminal, the command asks for the credential and does not show it.

Gatepost must accept the credential, or nothing is saved. A second credential for the same URL is added to the
profile.

The file is gatepost/profiles/NAME in $XDG_CONFIG_HOME or ~/.config, and only its owner may read it. Commands
use the profile `default` unless --profile or GATEPOST_PROFILE names another. GATEPOST_URL, GATEPOST_ID_TOKEN,
GATEPOST_API_KEY and GATEPOST_OPERATOR_TOKEN, if one of them is set, replace the whole profile. The profile
`local` means the server that this machine's configuration describes.";

// At most one of them. Not a doc comment: clap would show it as the help of the command.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Kind {
    /// Save an API key, which manages webhooks
    #[arg(long)]
    api_key: bool,
    /// Save an ID token, which manages keys, webhooks and sessions until it expires
    #[arg(long)]
    id_token: bool,
    /// Save an operator token
    #[arg(long)]
    operator_token: bool,
}

impl Kind {
    /// The variable of the credential that standard input has; `None` without one.
    fn variable(&self) -> Option<&'static str> {
        let kinds = [
            (self.api_key, Remote::API_KEY),
            (self.id_token, Remote::ID_TOKEN),
            (self.operator_token, Remote::OPERATOR_TOKEN),
        ];
        kinds.into_iter().find_map(|(is_given, variable)| is_given.then_some(variable))
    }
}

#[derive(Serialize)]
struct LoginAnswer<'a> {
    profile: &'a str,
    url: &'a str,
    file: String,
}

/// Checks a credential and saves it. `open` connects to the identity provider at which this client signs people in.
///
/// # Errors
///
/// When the sign-in fails, Gatepost does not accept the credential or does not answer, or the file cannot be written.
pub async fn run(
    arguments: Arguments,
    profiles: &Profiles,
    name: &ProfileName,
    open: impl AsyncFnOnce(&CommandLineClient) -> Result<Arc<dyn IdentityProvider>>,
) -> Result<()> {
    if name.is_local() {
        bail!("the profile `local` is this machine's configuration: choose another name");
    }
    let url = arguments.url.as_str();
    let (kind, secret) = match arguments.kind.variable() {
        Some(kind) => (kind, read_secret("one credential", CREDENTIAL_BYTES_MAX).await?),
        None => (Remote::ID_TOKEN, sign_in(&arguments.url, &arguments.browser, open).await?),
    };
    let mut profile = at_same_url(profiles.find(name), &arguments.url)?;
    profile.set(Remote::URL, url)?;
    profile.set(kind, &secret)?;
    check(&profile, kind).await?;
    profiles.write(name, &profile)?;
    let file = profiles.file(name).display().to_string();
    let saved = format!("the profile {} of {url} is saved in {file}", name.as_str());
    Reply::new(&LoginAnswer { profile: name.as_str(), url, file }, "")?.remarking(saved).print(arguments.json)
}

/// The profile that gets the new credential: the saved one, or an empty one if the saved one has another URL, or a file
/// that is not safe to read.
fn at_same_url(found: Result<Option<Remote>, ProfileError>, url: &WebAddress) -> Result<Remote, ProfileError> {
    match found {
        Ok(found) => Ok(found.filter(|found| found.url.as_ref() == Some(url)).unwrap_or_default()),
        Err(ProfileError::Readable { .. } | ProfileError::Invalid { .. }) => Ok(Remote::default()),
        Err(error) => Err(error),
    }
}

/// Calls the service with the new credential only. An operator token without the right to list may still be good.
async fn check(profile: &Remote, kind: &str) -> Result<()> {
    let client = Client::new(profile.url.as_ref().map(WebAddress::as_str).unwrap_or_default())?;
    let outcome = match (kind, &profile.api_key, &profile.id_token, &profile.operator_token) {
        (Remote::API_KEY, Some(key), ..) => client.with_credential(FullKey::clone(key)).whoami().await.map(drop),
        (Remote::ID_TOKEN, _, Some(token), _) => client.with_credential(IdToken::clone(token)).whoami().await.map(drop),
        (_, _, _, Some(token)) => {
            let host = client.with_credential(OperatorToken::clone(token)).for_owner(Owner::User("login".to_owned()));
            host.list_api_keys().await.map(drop)
        }
        _ => Err(Error::InvalidCredential),
    };
    match outcome {
        Err(error) if kind == Remote::OPERATOR_TOKEN && error.status() == Some(403) => Ok(()),
        outcome => Ok(outcome?),
    }
}

fn url(text: &str) -> Result<WebAddress, String> {
    WebAddress::parse(text).ok_or_else(|| format!("must be {}", WebAddress::ALLOWED))
}
