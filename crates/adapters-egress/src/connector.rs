use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use domain::webhooks::{Destination, DestinationHost, EgressPolicy, HostName, UrlRefused};
use http::Uri;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower_service::Service;
use url::Host;

use crate::connect_error::ConnectError;
use crate::connection::GuardedConnection;
use crate::dialing::dial;
use crate::dns::{ResolveError, Resolver};
use crate::open_connections::OpenConnections;

/// Opens connections, and checks the policy at every step. No other code of this crate opens a socket.
#[derive(Clone)]
pub(crate) struct GuardedConnector(Arc<Parts>);

struct Parts {
    policy: EgressPolicy,
    resolver: Arc<dyn Resolver>,
    tls: TlsConnector,
    connections: OpenConnections,
    deadline: Duration,
}

impl GuardedConnector {
    pub(crate) fn new(
        policy: EgressPolicy,
        resolver: Arc<dyn Resolver>,
        tls: rustls::ClientConfig,
        connections_max: usize,
        deadline: Duration,
    ) -> Self {
        let tls = TlsConnector::from(Arc::new(tls));
        let connections = OpenConnections::new(connections_max);
        Self(Arc::new(Parts { policy, resolver, tls, connections, deadline }))
    }
}

impl Service<Uri> for GuardedConnector {
    type Response = GuardedConnection;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<GuardedConnection, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    /// The deadline. The client may continue to connect after the request found another connection or was dropped.
    fn call(&mut self, uri: Uri) -> Self::Future {
        let parts = Arc::clone(&self.0);
        Box::pin(
            async move { timeout(parts.deadline, parts.connect(&uri)).await.unwrap_or(Err(ConnectError::Timeout)) },
        )
    }
}

impl Parts {
    async fn connect(&self, uri: &Uri) -> Result<GuardedConnection, ConnectError> {
        let destination = self.judge(uri)?;
        let addresses = self.resolve(&destination.host).await?;
        let permit = self.permit().await?;
        let stream = dial(&addresses, destination.port, &self.policy).await?;
        if destination.tls {
            let stream = self.shake_hands(stream, &destination.host).await?;
            Ok(GuardedConnection::tls(stream, self.connections.link(), permit))
        } else {
            Ok(GuardedConnection::plain(stream, self.connections.link(), permit))
        }
    }

    /// Checks the scheme, then the host as the URL standard parses it. A literal address never reaches a resolver.
    fn judge(&self, uri: &Uri) -> Result<Destination, UrlRefused> {
        let host = uri.host().and_then(|host| Host::parse(host).ok());
        self.policy.judge_endpoint(uri.scheme_str().unwrap_or_default(), host, uri.port_u16())
    }

    async fn resolve(&self, host: &DestinationHost) -> Result<Vec<IpAddr>, ConnectError> {
        let name = match host {
            DestinationHost::Address(address) => return Ok(vec![*address]),
            DestinationHost::Localhost(_, addresses) => return Ok(addresses.clone()),
            DestinationHost::Name(name) => name,
        };
        let start = Instant::now();
        let (by, cut_off) = (start + self.deadline * 3 / 10, start + self.deadline / 3);
        let addresses = self.look_up(name, by, cut_off).await;
        if addresses.is_err() {
            // All failures take the same time: a quick one would say that an internal name exists.
            sleep_until(cut_off).await;
        }
        addresses
    }

    /// A name look-up may take 30 % of the deadline, and the resolver is cut off after a third; the rest is for the
    /// receiver.
    async fn look_up(&self, name: &HostName, by: Instant, cut_off: Instant) -> Result<Vec<IpAddr>, ConnectError> {
        let late = |elapsed: Elapsed| Err(ResolveError::Unavailable(Arc::new(elapsed.into())));
        let addresses = timeout_at(cut_off, self.resolver.resolve(name, by)).await.unwrap_or_else(late)?;
        if addresses.is_empty() {
            return Err(ResolveError::NoSuchName.into());
        }
        self.policy.judge_answer(&addresses).map_err(ConnectError::NameRefused)?;
        Ok(addresses)
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, ConnectError> {
        self.connections.place(Instant::now() + self.deadline / 3).await.ok_or(ConnectError::ConnectionLimit)
    }

    async fn shake_hands(
        &self,
        stream: TcpStream,
        host: &DestinationHost,
    ) -> Result<TlsStream<TcpStream>, ConnectError> {
        let name = match host {
            DestinationHost::Address(address) => ServerName::from(*address),
            DestinationHost::Name(name) | DestinationHost::Localhost(name, _) => {
                ServerName::try_from(name.as_str().to_owned())
                    .map_err(|error| ConnectError::Tls(std::io::Error::other(error)))?
            }
        };
        self.tls.connect(name, stream).await.map_err(ConnectError::Tls)
    }
}
