//! The commands of the client: `cli` runs them, and this file gives it the values of the configuration.

use std::sync::Arc;

use adapters_oidc::{OidcClient, OidcProvider, OidcSettings, OidcVerifier};
use adapters_system::{MASK, SystemEntropy};
use anyhow::Result;
use cli::{Connection, LocalServer, ProfileError, ProfileName, Remote};
use domain::ports::IdentityProvider;
use gatepost_client::{CommandLineClient, OperatorToken, WebhookSecret};
use tokio_util::sync::CancellationToken;

use super::dev::data_folder::DataFolder;
use crate::configuration::{
    Configuration, Environment, InvalidConfiguration, Loaded, Problem, in_environment, without_password,
};
use crate::instance::PROVIDER_TLS;

/// Runs a command of the client against `remote`, or, if that has no URL, against the server that this
/// machine's configuration describes.
///
/// # Errors
///
/// When the configuration cannot be used, or the command fails.
pub(crate) async fn run(
    command: cli::Command,
    remote: Remote,
    configured: impl FnOnce() -> Result<Loaded, InvalidConfiguration>,
) -> Result<()> {
    let connection = Connection::open(remote, || configured().map(local_server))?;
    cli::run(command, &connection).await
}

/// The URL of Gatepost, and the credentials: of the profile that the command line names; else of the variables, if one
/// is set; else of the profile that `GATEPOST_PROFILE` names, or of the default profile if there is one. A URL and
/// a credential never come from two of these, so that no credential goes to another place than its own. See
/// decision 81.
///
/// # Errors
///
/// When a variable or the profile cannot be used.
pub(crate) fn remote(environment: &Environment, named: Option<ProfileName>) -> Result<Remote, InvalidConfiguration> {
    let variables = variables(environment)?;
    if named.is_none() && variables.is_set() {
        return Ok(variables);
    }
    let is_named = named.is_some() || environment.profile()?.is_some();
    let name = chosen(environment, named)?;
    if name.is_local() {
        return Ok(Remote::default().listening_as(variables));
    }
    let found = match environment.profiles() {
        Ok(profiles) => profiles.find(&name)?,
        Err(error) if is_named => return Err(error),
        Err(_) => None,
    };
    match found {
        None if is_named => Err(ProfileError::Missing { name: name.as_str().to_owned() }.into()),
        found => Ok(found.unwrap_or_default().listening_as(variables)),
    }
}

/// The profile that the command line names, or else `GATEPOST_PROFILE`, or else the default profile.
///
/// # Errors
///
/// When `GATEPOST_PROFILE` is not the name of a profile.
pub(crate) fn chosen(
    environment: &Environment,
    named: Option<ProfileName>,
) -> Result<ProfileName, InvalidConfiguration> {
    Ok(named.map_or_else(|| environment.profile(), |name| Ok(Some(name)))?.unwrap_or_default())
}

/// Reads the variables of the client, each from `NAME` or from the file that `NAME_FILE` names. They do not configure a
/// server, so the configuration file cannot contain them. The error has every variable that cannot be used.
fn variables(environment: &Environment) -> Result<Remote, InvalidConfiguration> {
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
    let refused = remote.set(name, &given.shown());
    refused.map_err(|error| Problem::refused(name, &shown, &given.origin, error.allowed))
}

/// The client must know the port.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    if configuration.public_url.is_some() || configuration.listen.port() != 0 {
        return Vec::new();
    }
    let rule = format!("a client must know the port: set {} to the URL that `gatepost dev` printed", Remote::URL);
    vec![Problem::unfit("LISTEN", &configuration.listen.to_string(), &rule)]
}

pub(super) fn local_server(Loaded { configuration, .. }: Loaded) -> LocalServer {
    let url = configuration.address_at(configuration.listen);
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

/// Connects to the provider at which this client signs people in, for `gatepost login`.
///
/// # Errors
///
/// When the issuer is not safe, or the provider does not answer as one.
pub(crate) async fn open_provider(client: &CommandLineClient) -> Result<Arc<dyn IdentityProvider>> {
    let CommandLineClient { issuer, client_id, .. } = client;
    let ids = vec![client_id.clone()];
    let settings =
        OidcSettings { client_ids: ids.clone(), tls: PROVIDER_TLS, ..OidcSettings::new(issuer.clone(), ids) };
    let verifier = OidcVerifier::new(settings)?;
    // Ends with the process.
    tokio::spawn(Arc::clone(&verifier).run(CancellationToken::new()));
    verifier.first_fetch().await?;
    let client = OidcClient { id: client_id.clone(), secret: None, operator_claim: None, wants_profile: false };
    Ok(OidcProvider::new(verifier, client))
}
