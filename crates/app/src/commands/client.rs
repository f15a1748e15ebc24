//! The commands of the client: `cli` runs them, and this file gives it what the configuration says.

use adapters_system::{MASK, SystemEntropy};
use anyhow::Result;
use cli::{Connection, LocalServer, MissingCredential, Remote};
use gatepost_client::{OperatorToken, WebhookSecret};

use super::dev::data_folder::DataFolder;
use crate::configuration::{
    Configuration, Environment, InvalidConfiguration, Loaded, Problem, in_environment, without_password,
};

/// Runs a command of the client against `GATEPOST_URL`, or, where that is not set, against the server that this
/// machine's configuration describes.
///
/// # Errors
///
/// When the configuration or the environment cannot be used, or the command fails.
pub(super) async fn run(
    command: cli::Command,
    environment: &Environment,
    configured: impl FnOnce() -> Result<Loaded, InvalidConfiguration>,
) -> Result<()> {
    let connection = Connection::open(remote(environment)?, || configured().map(local_server))?;
    cli::run(command, &connection).await.map_err(|error| match error.downcast::<MissingCredential>() {
        Ok(MissingCredential { variable: name, what }) => {
            InvalidConfiguration::from(Problem::Missing { name, what: what.to_owned() }).into()
        }
        Err(error) => error,
    })
}

/// Reads the variables of the client, each from `NAME` or from the file that `NAME_FILE` names. They do not configure a
/// server, so the configuration file cannot contain them. The error has every variable that cannot be used.
fn remote(environment: &Environment) -> Result<Remote, InvalidConfiguration> {
    let mut remote = Remote::default();
    let taken = Remote::VARIABLES.map(|name| take(name, environment, &mut remote));
    let problems: Vec<Problem> = taken.into_iter().filter_map(Result::err).collect();
    if problems.is_empty() { Ok(remote) } else { Err(InvalidConfiguration(problems)) }
}

fn take(name: &'static str, environment: &Environment, remote: &mut Remote) -> Result<(), Problem> {
    let Some(given) = in_environment(environment, name)? else {
        return Ok(());
    };
    // A refused URL may contain a password, and the other variables are secrets.
    let shown = if name == Remote::URL { without_password(&given.shown()) } else { MASK.to_owned() };
    let refused = |allowed: String| Problem::Refused { name, shown, origin: given.origin.clone(), allowed };
    remote.set(name, &given.shown()).map_err(|error| refused(error.allowed.to_owned()))
}

/// The client must know the port.
pub(super) fn needs(configuration: &Configuration) -> Vec<Problem> {
    if configuration.public_url.is_some() || configuration.listen.port() != 0 {
        return Vec::new();
    }
    let rule = format!("a client must know the port: set {} to the URL that `gatepost dev` printed", Remote::URL);
    vec![Problem::NotForThisCommand { name: "LISTEN", shown: configuration.listen.to_string(), rule }]
}

fn local_server(Loaded { configuration, .. }: Loaded) -> LocalServer {
    let url = configuration.address();
    let database_url = configuration.database_url.clone();
    LocalServer {
        url,
        operator_token: Box::new(move || operator_token(&configuration)),
        webhook_secret: Box::new(move || {
            let secret = DataFolder::of(&database_url).webhook_secret(&SystemEntropy)?;
            Ok(secret.map(|secret| WebhookSecret::new(secret.as_str())))
        }),
    }
}

/// The token of the configuration, or else the token that `gatepost dev` made.
fn operator_token(configuration: &Configuration) -> Result<Option<OperatorToken>> {
    let token = match &configuration.operator_token {
        Some(token) => Some(token.clone()),
        None => DataFolder::of(&configuration.database_url).find_operator_token()?,
    };
    Ok(token.map(|token| OperatorToken::new(token.expose())))
}
