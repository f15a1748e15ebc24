pub(crate) mod data_folder;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use adapters_http::HttpLimits;
use adapters_oidc::dev_provider::{DevProvider, DevProviderError, DevProviderSettings};
use adapters_oidc::{OidcSettings, OidcVerifier};
use adapters_system::{SystemClock, SystemEntropy, stop_on_signal};
use anyhow::{Context, Result, bail};
use clap::Args;
use cli::output::answer;
use cli::{DevServer, Welcome};
use domain::IdToken;
use domain::ports::{Clock, Entropy, IdentityVerdict, IdentityVerifier};
use gatepost_client::OperatorToken;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use tokio_util::sync::CancellationToken;

use crate::configuration::{Configuration, InvalidConfiguration, Loaded, Problem, Secret, WebAddress};
use crate::database::open_store;
use crate::instance::{Instance, listen};
use crate::logs::start_logs;
use data_folder::DataFolder;

/// Run everything on this machine, with no configuration: data in ./gatepost-data/, an identity provider of its own
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Say what is where in one line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost dev
  LISTEN=127.0.0.1:9000 gatepost dev
  API_KEYS_MAX_ACTIVE=3 gatepost dev";

/// The audience of development tokens when `OIDC_AUDIENCE` names none.
const AUDIENCE: &str = "gatepost-dev";
/// This machine to itself.
const LOOPBACK: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];

/// Serves until a signal says stop. Once everything works, prints what is where and a call that can be pasted.
///
/// # Errors
///
/// When the configuration leads outside this machine, or something gave up.
pub(crate) async fn run(arguments: Arguments, Loaded { mut configuration, .. }: Loaded) -> Result<()> {
    let _logs = start_logs(&configuration)?;
    if configuration.oidc_issuer.is_some() {
        tracing::warn!("OIDC_ISSUER is set, but dev takes the tokens of its own provider only");
    }
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let (clock, entropy): (Arc<dyn Clock>, Arc<dyn Entropy>) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
    let (listener, address) = listen(configuration.listen)?;
    let public_url = configuration.public_url.clone().unwrap_or_else(|| WebAddress::of_listener(address));
    let folder = DataFolder::open(&configuration.database_url)?;
    let made_operator_token = fill_in(&mut configuration, &folder, &*entropy)?;
    let audience = configuration.oidc_audiences.first().map_or(AUDIENCE, String::as_str).to_owned();
    let provider = open_provider(&folder, &public_url, &audience, &clock, &entropy)?;
    let issuer = provider.issuer().to_owned();
    let identity = OidcVerifier::new(OidcSettings { issuer: issuer.clone(), audiences: vec![audience.clone()] })?;
    let store = open_store(&configuration).await?;

    let routes = provider.routes();
    let welcome = Welcome::new(DevServer {
        database: configuration.database_url.to_string(),
        // A client that reads the same configuration cannot know which free port the system chose.
        is_found: configuration.public_url.is_some() || configuration.listen == address,
        public_url: public_url.as_str().to_owned(),
        issuer: issuer.clone(),
        audience,
        operator_token: made_operator_token.map(|token| OperatorToken::new(token.expose())),
    });
    let welcoming = welcome_once_verified(welcome, provider, Arc::clone(&identity), Arc::clone(&clock), arguments.json);
    // No load balancer has to notice the stop first.
    let limits = HttpLimits { drain_grace: Duration::ZERO, ..HttpLimits::default() };
    let instance = Instance { configuration, listener, limits, store, identity, issuer, clock, entropy };
    instance.run(routes, welcoming, stop).await
}

/// What production configures, for this machine: secrets that are kept beside the database, and webhooks that may go to
/// it. Answers the operator token when it is one of ours.
fn fill_in(configuration: &mut Configuration, folder: &DataFolder, entropy: &dyn Entropy) -> Result<Option<Secret>> {
    if configuration.encryption_keys.is_empty() {
        configuration.encryption_keys.push(folder.encryption_key(entropy)?);
    }
    configuration.webhooks.allow_http = true;
    configuration.webhooks.allowed_networks.extend(LOOPBACK);
    if configuration.operator_token.is_some() {
        return Ok(None);
    }
    configuration.operator_token = Some(folder.operator_token(entropy)?);
    Ok(configuration.operator_token.clone())
}

/// Anybody who reaches the development provider can be anybody: nobody else's machine may.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    if configuration.listen.ip().is_loopback() {
        return Vec::new();
    }
    let rule = "`gatepost dev` listens on loopback addresses only, such as 127.0.0.1:8080, since its identity \
                provider asks for no password; `gatepost serve` listens anywhere"
        .to_owned();
    vec![Problem::NotForThisCommand { name: "LISTEN", shown: configuration.listen.to_string(), rule }]
}

fn open_provider(
    folder: &DataFolder,
    public_url: &WebAddress,
    audience: &str,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Arc<DevProvider>> {
    let settings = DevProviderSettings {
        public_url: public_url.as_str().to_owned(),
        audience: audience.to_owned(),
        key_file: folder.provider_key_file(),
    };
    match DevProvider::open(settings, Arc::clone(clock), Arc::clone(entropy)) {
        Ok(provider) => Ok(provider),
        Err(DevProviderError::NotOnLoopback) => {
            let rule = "`gatepost dev` is for this machine only: its host must be localhost or a loopback address";
            let problem =
                Problem::NotForThisCommand { name: "PUBLIC_URL", shown: public_url.to_string(), rule: rule.to_owned() };
            Err(InvalidConfiguration::from(problem).into())
        }
        Err(error @ DevProviderError::KeyFile(_)) => Err(error.into()),
    }
}

/// Prints the welcome when its ID token is accepted, so that the curl works the moment it is read.
async fn welcome_once_verified(
    welcome: Welcome,
    provider: Arc<DevProvider>,
    identity: Arc<OidcVerifier>,
    clock: Arc<dyn Clock>,
    json: bool,
) -> Result<()> {
    let token: IdToken = provider.id_token(Welcome::USER_NAME)?;
    let verdict = identity.verify(&token, clock.now()).await;
    match verdict.with_context(|| format!("{} cannot be reached; is PUBLIC_URL right?", provider.issuer()))? {
        IdentityVerdict::Valid(_) => {}
        IdentityVerdict::Refused(reason) => bail!("the development provider's own token is refused: {reason}"),
    }
    let token = gatepost_client::IdToken::new(token.expose());
    Ok(answer(&if json { welcome.in_json(&token)? } else { welcome.in_words(&token) })?)
}
