use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use adapters_egress::platform_client_config;
use adapters_http::{OperatorTokens, ServerCertificate};
use adapters_oidc::{ClientTls, OidcVerifier};
use adapters_system::LogSwitch;
use anyhow::{Context, Result, anyhow};
use cli::WebAddress;
use domain::ports::{Clock, Entropy, Store};

use crate::configuration::Configuration;

/// The identity provider and the receivers of webhooks share one reading of the system's certificates.
pub(crate) const PROVIDER_TLS: Option<ClientTls> = Some(|| Ok(platform_client_config()?));

/// A complete Gatepost: the adapters behind the ports, the engines, and the HTTP server.
pub(crate) struct Instance {
    pub(crate) configuration: Configuration,
    pub(crate) listener: TcpListener,
    /// Where metrics are shown, if they are.
    pub(crate) metrics_listener: Option<TcpListener>,
    pub(crate) store: Store,
    pub(crate) identity: Arc<OidcVerifier>,
    /// The issuer of the ID tokens.
    pub(crate) issuer: String,
    /// Where browsers find the service.
    pub(crate) public_url: WebAddress,
    /// The tokens that open the operator API.
    pub(crate) operator_tokens: OperatorTokens,
    /// See [`adapters_http::HttpSettings::certificate`].
    pub(crate) certificate: Option<ServerCertificate>,
    /// See [`adapters_http::HttpSettings::webhook_changes`].
    pub(crate) webhook_changes: Option<fn(&HeaderMap) -> bool>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) log: LogSwitch,
}

/// Listens, and returns the address with its real port.
///
/// # Errors
///
/// When the address is not available. The error says how to choose another.
pub(crate) fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            let other = SocketAddr::new(address.ip(), address.port().checked_add(1).unwrap_or(0));
            anyhow!("another program listens on {address}; choose another address, for example LISTEN={other}")
        }
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}; set LISTEN to another address")),
    })?;
    let address = listener.local_addr().context("the listener has no address")?;
    Ok((listener, address))
}
