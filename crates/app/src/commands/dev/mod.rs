pub(crate) mod data_folder;

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::ServiceConfig;
use adapters_http::HttpLimits;
use adapters_oidc::dev_provider::{
    DevProvider, DevProviderError, DevProviderSettings, OPERATOR_GROUP, ORGANIZATION_CLAIM, ROLE_CLAIM,
    is_for_this_machine,
};
use adapters_oidc::{ClaimPointer, OidcSettings, OidcVerifier, OperatorClaim, OrganizationClaims};
use adapters_system::{Hangups, Secret, SystemEntropy, stop_on_signal};
use adapters_web::WebFolder;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use cli::output::answer;
use cli::{WebAddress, Welcome, has_keyboard, open_at_key};
use domain::IdToken;
use domain::organizations::OrganizationRoles;
use domain::ports::{Clock, Entropy, IdentityVerdict, IdentityVerifier};
use domain::webhooks::PauseLengths;
use gatepost_client::OperatorToken;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use tokio_util::sync::CancellationToken;

use super::start_log;
use crate::configuration::{Configuration, InvalidConfiguration, Loaded, Problem};
use crate::database::{open_store_beside_roots, with_clock};
use crate::instance::{Instance, PROVIDER_TLS, listen};
use crate::metrics::listen_for_metrics;
use crate::reload;
use data_folder::DataFolder;

/// Try Gatepost on this machine: without configuration, with an identity provider, and data in ./gatepost-data/
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print the URLs and tokens as one line of JSON
    #[arg(long)]
    json: bool,

    /// Read the console from this folder, so that a change needs no build: load the page again
    #[arg(long, value_name = "DIR")]
    web: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost dev
  LISTEN=127.0.0.1:9000 gatepost dev
  API_KEYS_MAX_ACTIVE=3 gatepost dev
  gatepost dev --web web";

/// A developer with a repaired receiver should not wait for long.
const PAUSES: PauseLengths = PauseLengths { first: Duration::from_secs(1), longest: Duration::from_secs(4) };
/// The audience of development tokens if `OIDC_AUDIENCE` is not set.
const AUDIENCE: &str = "gatepost-dev";
/// The capabilities of the roles of the members if `ORGANIZATION_ROLES` is not set.
const ROLES: &str = "admin=keys+webhooks, dev=webhooks+keys:read, *=keys:read+webhooks:read";
/// The addresses that webhooks may be sent to: this machine.
const LOOPBACK: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];

/// Serves until SIGTERM or SIGINT. Once the API answers, prints its URLs, and calls to paste.
///
/// # Errors
///
/// When the configuration opens the server to other machines, or a part of the service fails.
pub(crate) async fn run(arguments: Arguments, mut loaded: Loaded) -> Result<()> {
    let web = arguments.web.map(open_web).transpose()?;
    // Long lines would push the welcome out of sight.
    loaded.configuration.logs.short_requests = true;
    let (lines, log) = start_log(&loaded)?;
    let mut configuration = loaded.configuration;
    leave_out(&mut configuration);
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    tokio::spawn(reload::ignore(Hangups::catch()?));
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
    let (listener, address) = listen(configuration.listen)?;
    let metrics_listener = metrics_listener(&configuration);
    let public_url = configuration.address_at(address);
    let folder = DataFolder::of(&configuration.database_url);
    let made_operator_token = fill_in(&mut configuration, &folder, &*entropy)?;
    let audience = configuration.oidc_audiences.first().map_or(AUDIENCE, String::as_str).to_owned();
    use_provider(&mut configuration, &audience);
    let (store, clock) =
        with_clock(open_store_beside_roots(&configuration).await?, configuration.database_url.servers().len());
    let provider = open_provider(&folder, &public_url, &audience, &clock, &entropy)?;
    let identity = verifier_of(&provider, &audience, configuration.organization_claims.clone())?;
    let issuer = provider.issuer().to_owned();
    let routes = routes_of(&provider, web);
    let welcome = Welcome {
        database: configuration.database_url.to_string(),
        has_console: configuration.console,
        opens_at_key: !arguments.json && has_keyboard(),
        // A client that reads the same configuration cannot know which free port the system chose.
        is_found: configuration.public_url.is_some() || configuration.listen == address,
        public_url: public_url.as_str().to_owned(),
        issuer: issuer.clone(),
        audience,
        operator_token: made_operator_token.map(|token| OperatorToken::new(token.expose())),
    };
    let verified = once_verified(provider, Arc::clone(&identity), Arc::clone(&clock));
    let welcoming = async {
        let token = verified.await?;
        // The welcome comes last: after the log lines of the start.
        lines.flush();
        answer(&if arguments.json { welcome.in_json(&token)? } else { welcome.in_words(&token) })?;
        if let Some(url) = welcome.opened_at_key() {
            open_at_key(url);
        }
        Ok(())
    };
    let operator_tokens = configuration.all_operator_tokens();
    // No load balancer needs time to notice the shutdown.
    configuration.limits = HttpLimits { drain_grace: Duration::ZERO, ..configuration.limits };
    let instance = Instance {
        configuration,
        listener,
        metrics_listener,
        store,
        identity,
        issuer,
        public_url,
        operator_tokens,
        certificate: None,
        webhook_changes: Some(is_for_this_machine),
        clock,
        entropy,
        log,
    };
    instance.run(routes, welcoming, stop).await
}

fn open_web(folder: PathBuf) -> Result<WebFolder> {
    let name = folder.display().to_string();
    WebFolder::open(folder).with_context(|| format!("{name} does not have the console's index.html"))
}

/// The routes of the provider, and with a folder also of the console, whose files are read from it.
fn routes_of(
    provider: &Arc<DevProvider>,
    web: Option<WebFolder>,
) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
    let routes = provider.routes();
    move |config: &mut ServiceConfig| {
        routes(config);
        if let Some(folder) = web.clone() {
            folder.register(config);
        }
    }
}

/// Removes the settings that only `serve` uses, with a warning.
fn leave_out(configuration: &mut Configuration) {
    if configuration.oidc_issuer.is_some() {
        tracing::warn!("dev ignores OIDC_ISSUER: it accepts only the tokens of its development provider");
    }
}

/// A second `dev` on this machine needs another port for its API, and works without metrics.
fn metrics_listener(configuration: &Configuration) -> Option<TcpListener> {
    listen_for_metrics(configuration).unwrap_or_else(|reason| {
        tracing::warn!(reason = format!("{reason:#}"), "dev runs without metrics");
        None
    })
}

/// Fills in the settings that production configures: secrets, which are kept next to the database, and webhooks to this
/// machine. Returns the operator token if `dev` made it.
fn fill_in(configuration: &mut Configuration, folder: &DataFolder, entropy: &dyn Entropy) -> Result<Option<Secret>> {
    if configuration.encryption_keys.is_empty() {
        configuration.encryption_keys.push(folder.encryption_key(entropy)?);
    }
    configuration.webhooks.allow_http = true;
    configuration.webhooks.pauses = PAUSES;
    configuration.webhooks.allowed_networks.extend(LOOPBACK);
    if configuration.operator_token.is_some() {
        return Ok(None);
    }
    configuration.operator_token = Some(folder.operator_token(entropy)?);
    Ok(configuration.operator_token.clone())
}

/// The development provider has one client without a secret, one operator and a few members of organizations, unless the
/// configuration names others.
fn use_provider(configuration: &mut Configuration, client_id: &str) {
    configuration.oidc_client_ids = vec![client_id.to_owned()];
    configuration.oidc_client_secret = None;
    configuration.oidc_cli_client_id = Some(client_id.to_owned());
    if !configuration.operators_sign_in() {
        configuration.operator_claim = OperatorClaim::parse(&format!("groups={OPERATOR_GROUP}"));
    }
    let claims = &mut configuration.organization_claims;
    if claims.organizations.is_none() {
        claims.organizations = ClaimPointer::parse(ORGANIZATION_CLAIM);
        claims.roles = ClaimPointer::parse(ROLE_CLAIM);
        if claims.rights == OrganizationRoles::default() {
            claims.rights = ROLES.parse().expect("a valid list of roles");
        }
    }
}

/// The development provider gives tokens for any user without a password, so only this machine may reach it.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !configuration.listen.ip().is_loopback() {
        let rule = "`gatepost dev` listens only on loopback addresses, such as 127.0.0.1:8080, because its identity \
                    provider requires no password; `gatepost serve` can listen on every address";
        problems.push(Problem::unfit("LISTEN", &configuration.listen.to_string(), rule));
    }
    if configuration.tls.is_on() {
        let rule = "`gatepost dev` speaks plain HTTP, and browsers trust http://localhost as they trust https; \
                    `gatepost serve` speaks HTTPS";
        problems.push(Problem::unfit("TLS_CERT", "a certificate", rule));
    }
    problems
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
        signing_key: folder.provider_key(&**entropy)?,
    };
    match DevProvider::open(settings, Arc::clone(clock), Arc::clone(entropy)) {
        Ok(provider) => Ok(provider),
        Err(DevProviderError::NotOnLoopback) => {
            let rule = "`gatepost dev` serves only this machine: the host must be localhost or a loopback address";
            Err(InvalidConfiguration::from(Problem::unfit("PUBLIC_URL", public_url.as_str(), rule)).into())
        }
        Err(DevProviderError::NotAKey) => Err(anyhow!(folder.wrong_provider_key())),
    }
}

/// Accepts the tokens of the development provider for this audience.
fn verifier_of(provider: &DevProvider, audience: &str, organizations: OrganizationClaims) -> Result<Arc<OidcVerifier>> {
    let settings = OidcSettings::new(provider.issuer().to_owned(), vec![audience.to_owned()]);
    Ok(OidcVerifier::new(OidcSettings { tls: PROVIDER_TLS, organizations, ..settings })?)
}

/// The ID token of the welcome, once the service accepts it: so the printed calls work at once.
async fn once_verified(
    provider: Arc<DevProvider>,
    identity: Arc<OidcVerifier>,
    clock: Arc<dyn Clock>,
) -> Result<gatepost_client::IdToken> {
    let token: IdToken = provider.id_token(Welcome::USER_NAME)?;
    let verdict = identity.verify(&token, clock.world_time()).await;
    match verdict.with_context(|| format!("{} does not answer; is PUBLIC_URL right?", provider.issuer()))? {
        IdentityVerdict::Valid(_) => {}
        IdentityVerdict::Refused(reason) => bail!("the token of the development provider is refused: {reason}"),
    }
    Ok(gatepost_client::IdToken::new(token.expose()))
}
