use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::webhooks::{ClientCertificate, Destination, DestinationHost, EgressPolicy, HostName};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

use crate::alerting_stream::AlertingStream;
use crate::channel::{Channel, alert_of};
use crate::client_certificate::with_certificate;
use crate::connect_error::ConnectError;
use crate::dialing::dial;
use crate::dns::{ResolveError, Resolver};
use crate::open_connections::OpenConnections;

/// Opens connections, and checks the policy at every step. No other code of this crate opens a socket.
pub(crate) struct GuardedConnector {
    policy: EgressPolicy,
    resolver: Arc<dyn Resolver>,
    tls: TlsConnector,
    deadline: Duration,
}

impl GuardedConnector {
    pub(crate) fn new(
        policy: EgressPolicy,
        resolver: Arc<dyn Resolver>,
        tls: rustls::ClientConfig,
        deadline: Duration,
    ) -> Self {
        Self { policy, resolver, tls: TlsConnector::from(Arc::new(tls)), deadline }
    }

    /// Connects to a destination that the policy allows, with the certificate if TLS asks for one. The caller keeps the
    /// deadline.
    pub(crate) async fn connect(
        &self,
        destination: &Destination,
        certificate: Option<&ClientCertificate>,
        connections: &OpenConnections,
    ) -> Result<Channel, ConnectError> {
        let addresses = self.resolve(&destination.host).await?;
        let place = connections.place(Instant::now() + self.deadline / 3).await;
        let place = place.ok_or(ConnectError::ConnectionLimit)?;
        let stream = dial(&addresses, destination.port, &self.policy).await?;
        let stream = if destination.tls {
            let stream = self.shake_hands(stream, &destination.host, certificate).await?;
            Either::Right(Box::new(AlertingStream::new(stream)))
        } else {
            Either::Left(stream)
        };
        let alert = alert_of(&stream);
        Channel::open(stream, place)
            .await
            .map_err(|error| if alert.is_received() { ConnectError::Alert(error) } else { ConnectError::Http(error) })
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

    async fn shake_hands(
        &self,
        stream: TcpStream,
        host: &DestinationHost,
        certificate: Option<&ClientCertificate>,
    ) -> Result<TlsStream<TcpStream>, ConnectError> {
        let name = match host {
            DestinationHost::Address(address) => ServerName::from(*address),
            DestinationHost::Name(name) | DestinationHost::Localhost(name, _) => {
                ServerName::try_from(name.as_str().to_owned())
                    .map_err(|error| ConnectError::Tls(std::io::Error::other(error)))?
            }
        };
        let tls = match certificate {
            Some(certificate) => TlsConnector::from(Arc::new(with_certificate(self.tls.config(), certificate)?)),
            None => self.tls.clone(),
        };
        tls.connect(name, stream).await.map_err(ConnectError::Tls)
    }
}
