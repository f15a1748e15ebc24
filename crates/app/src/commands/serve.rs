use std::sync::Arc;

use adapters_oidc::{OidcSettings, OidcVerifier};
use adapters_system::{EncryptionKey, Hangups, ServiceManager, SystemEntropy, stop_on_signal};
use anyhow::{Context, Result};
use clap::Args;
use tokio_util::sync::CancellationToken;

use super::start_log;
use crate::configuration::{Configuration, InvalidConfiguration, Problem};
use crate::database::{open_store_beside_roots, with_clock};
use crate::instance::{Instance, PROVIDER_TLS, listen};
use crate::metrics::listen_for_metrics;
use crate::reload::{Reload, Source};

/// Run in production. Requires `OIDC_ISSUER`, `OIDC_AUDIENCE` and `ENCRYPTION_KEY`
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  gatepost --config /etc/gatepost.toml serve
  OIDC_ISSUER=https://id.example.com OIDC_AUDIENCE=my-client \\
    ENCRYPTION_KEY_FILE=/run/secrets/key gatepost serve";

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
///
/// When the configuration is incomplete, or a part of the service fails.
pub(crate) async fn run(source: Source, manager: ServiceManager) -> Result<()> {
    let loaded = source.load()?;
    let (_lines, log) = start_log(&loaded)?;
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let hangups = Hangups::catch()?;
    let operator_tokens = loaded.configuration.all_operator_tokens();
    let certificate = loaded.configuration.tls.certificate().map_err(InvalidConfiguration::from)?;
    let reload = Reload::new(source, &loaded, log.clone(), operator_tokens.clone(), certificate.clone());
    let configuration = loaded.configuration;
    let issuer = configuration.oidc_issuer.clone().context("OIDC_ISSUER is required")?;
    let (audiences, client_ids) = configuration.token_recipients();
    let identity = OidcVerifier::new(OidcSettings {
        issuer: issuer.clone(),
        kinds: configuration.oidc_tokens.clone(),
        audiences,
        client_ids,
        tls: PROVIDER_TLS,
        organizations: configuration.organization_claims.clone(),
    })?;
    let (store, clock) =
        with_clock(open_store_beside_roots(&configuration).await?, configuration.database_url.servers().len());
    let (listener, address) = listen(configuration.listen)?;
    let public_url = configuration.address_at(address);
    let metrics_listener = listen_for_metrics(&configuration)?;
    let (webhook_changes, entropy) = (None, Arc::new(SystemEntropy));
    let instance = Instance {
        configuration,
        listener,
        metrics_listener,
        store,
        identity,
        issuer,
        public_url,
        operator_tokens,
        certificate,
        webhook_changes,
        clock,
        entropy,
        log,
    };
    let beside = async {
        let ((), told) = tokio::join!(reload.run(hangups, stop.clone()), report_to(manager, stop.clone()));
        told
    };
    Box::pin(instance.run(|_| (), beside, stop.clone())).await
}

async fn report_to(manager: ServiceManager, stop: CancellationToken) -> Result<()> {
    manager.ready();
    stop.cancelled().await;
    manager.stopping();
    Ok(())
}

/// The settings that production requires.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    let needed = [
        (
            "OIDC_ISSUER",
            configuration.oidc_issuer.is_some(),
            "the URL of your identity provider, exactly as its tokens have it in `iss`",
        ),
        (
            "OIDC_AUDIENCE",
            !configuration.oidc_audiences.is_empty(),
            "the audience of your ID tokens (`aud`), usually your client id at the provider",
        ),
        ("ENCRYPTION_KEY", !configuration.encryption_keys.is_empty(), EncryptionKey::ALLOWED),
    ];
    let missing = needed.into_iter().filter(|(_, is_there, _)| !is_there);
    let missing = missing.map(|(name, _, what)| Problem::missing(name, what));
    let unusable = [
        configuration.tls.certificate().err(),
        configuration.cli_client_problem(),
        configuration.operator_webhook_problem(),
    ];
    missing.chain(unusable.into_iter().flatten()).collect()
}
