use std::future;
use std::sync::Arc;

use adapters_http::HttpLimits;
use adapters_oidc::{OidcSettings, OidcVerifier};
use adapters_system::{SystemClock, SystemEntropy, stop_on_signal};
use anyhow::{Context, Result};
use clap::Args;
use tokio_util::sync::CancellationToken;

use crate::configuration::{Configuration, EncryptionKey, Loaded, Problem};
use crate::database::open_store;
use crate::instance::{Instance, listen};
use crate::logs::start_logs;

/// Run in production; needs `OIDC_ISSUER`, `OIDC_AUDIENCE` and `ENCRYPTION_KEY`
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  OIDC_ISSUER=https://id.example.com OIDC_AUDIENCE=my-client ENCRYPTION_KEY_FILE=/run/secrets/key gatepost serve
  gatepost --config /etc/gatepost.toml serve";

/// Serves until a signal says stop.
///
/// # Errors
///
/// When the configuration lacks something, or something gave up.
pub(crate) async fn run(Loaded { configuration, .. }: Loaded) -> Result<()> {
    let _logs = start_logs(&configuration)?;
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let issuer = configuration.oidc_issuer.clone().context("OIDC_ISSUER is one of the needs")?;
    let audiences = configuration.oidc_audiences.clone();
    let identity = OidcVerifier::new(OidcSettings { issuer: issuer.clone(), audiences })?;
    let store = open_store(&configuration).await?;
    let (listener, _) = listen(configuration.listen)?;
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
    let limits = HttpLimits::default();
    let instance = Instance { configuration, listener, limits, store, identity, issuer, clock, entropy };
    instance.run(|_| (), future::ready(Ok(())), stop).await
}

/// What production cannot do without.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    let needed = [
        ("OIDC_ISSUER", configuration.oidc_issuer.is_some(), "the URL of your identity provider, as `iss` has it"),
        (
            "OIDC_AUDIENCE",
            !configuration.oidc_audiences.is_empty(),
            "the client id for which ID tokens are issued, as `aud` has it",
        ),
        ("ENCRYPTION_KEY", !configuration.encryption_keys.is_empty(), EncryptionKey::ALLOWED),
    ];
    let missing = needed.into_iter().filter(|(_, is_there, _)| !is_there);
    missing.map(|(name, _, what)| Problem::Missing { name, what: what.to_owned() }).collect()
}
