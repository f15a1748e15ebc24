//! `gatepost login`: the identity provider. `cli` has the command.

use std::sync::Arc;

use adapters_oidc::{OidcClient, OidcProvider, OidcSettings, OidcVerifier};
use anyhow::Result;
use domain::ports::IdentityProvider;
use gatepost_client::CommandLineClient;
use tokio_util::sync::CancellationToken;

use crate::instance::PROVIDER_TLS;

/// Connects to the provider at which this client signs people in.
///
/// # Errors
///
/// When the issuer is not safe, or the provider does not answer as one.
pub(super) async fn open_provider(client: &CommandLineClient) -> Result<Arc<dyn IdentityProvider>> {
    let CommandLineClient { issuer, client_id, .. } = client;
    let ids = vec![client_id.clone()];
    let settings = OidcSettings { issuer: issuer.clone(), audiences: ids.clone(), client_ids: ids, tls: PROVIDER_TLS };
    let verifier = OidcVerifier::new(settings)?;
    // Ends with the process.
    tokio::spawn(Arc::clone(&verifier).run(CancellationToken::new()));
    verifier.first_fetch().await?;
    let client = OidcClient { id: client_id.clone(), secret: None, operator_claim: None };
    Ok(OidcProvider::new(verifier, client))
}
