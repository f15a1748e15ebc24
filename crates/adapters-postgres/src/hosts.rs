use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The servers that the URL names, as a list of hosts or as a name with several addresses. One of them accepts writes.
#[derive(Clone)]
pub(crate) struct Hosts {
    /// Everything in the URL except the hosts.
    options: Config,
    listed: Vec<Listed>,
    /// The address of the last successful connection.
    preferred: Arc<Mutex<Option<SocketAddr>>>,
}

/// A host in the URL.
#[derive(Clone)]
struct Listed {
    host: Option<Host>,
    address: Option<IpAddr>,
    port: u16,
}

/// One address of one host.
pub(crate) struct Candidate {
    /// A configuration with this address only.
    pub(crate) config: Config,
    /// `None` for a Unix socket.
    address: Option<SocketAddr>,
}

impl Hosts {
    /// `None` when the URL has no host, or different numbers of hosts, addresses and ports.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let count = hosts.len().max(addresses.len());
        let fits = |length: usize| length == 0 || length == count;
        if count == 0 || !fits(hosts.len()) || !fits(addresses.len()) || !(fits(ports.len()) || ports.len() == 1) {
            return None;
        }
        let listed = (0..count).map(|n| Listed {
            host: hosts.get(n).cloned(),
            address: addresses.get(n).copied(),
            port: ports.get(n).or(ports.first()).copied().unwrap_or(5432),
        });
        Some(Self { options: without_hosts(config), listed: listed.collect(), preferred: Arc::default() })
    }

    /// Every address, beginning with the address of the last successful connection. Never empty.
    ///
    /// # Errors
    ///
    /// When no name can be resolved.
    pub(crate) async fn candidates(&self) -> std::io::Result<Vec<Candidate>> {
        let (mut candidates, mut failure) = (Vec::new(), None);
        for listed in &self.listed {
            match listed.addresses().await {
                Ok(addresses) => candidates.extend(addresses.into_iter().map(|address| self.at(listed, address))),
                Err(error) => failure = Some(error),
            }
        }
        let preferred = *self.preferred.lock().unwrap_or_else(PoisonError::into_inner);
        candidates.sort_by_key(|candidate| candidate.address != preferred);
        match failure {
            Some(error) if candidates.is_empty() => Err(error),
            Some(_) | None => Ok(candidates),
        }
    }

    /// Puts this address first from now on.
    pub(crate) fn prefer(&self, candidate: &Candidate) {
        *self.preferred.lock().unwrap_or_else(PoisonError::into_inner) = candidate.address;
    }

    fn at(&self, listed: &Listed, address: Option<SocketAddr>) -> Candidate {
        let mut config = self.options.clone();
        config.port(listed.port);
        match &listed.host {
            Some(Host::Tcp(name)) => drop(config.host(name)),
            Some(Host::Unix(path)) => drop(config.host_path(path)),
            None => {}
        }
        if let Some(address) = address {
            config.hostaddr(address.ip());
        }
        Candidate { config, address }
    }
}

impl Listed {
    async fn addresses(&self) -> std::io::Result<Vec<Option<SocketAddr>>> {
        match (&self.host, self.address) {
            (_, Some(address)) => Ok(vec![Some(SocketAddr::new(address, self.port))]),
            (Some(Host::Tcp(name)), None) => {
                Ok(tokio::net::lookup_host((name.as_str(), self.port)).await?.map(Some).collect())
            }
            (Some(Host::Unix(_)) | None, None) => Ok(vec![None]),
        }
    }
}

/// Copies the options, because the driver cannot remove hosts.
fn without_hosts(config: &Config) -> Config {
    let mut options = Config::new();
    options
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .channel_binding(config.get_channel_binding())
        .target_session_attrs(config.get_target_session_attrs());
    config.get_user().map(|user| options.user(user));
    config.get_password().map(|password| options.password(password));
    config.get_dbname().map(|dbname| options.dbname(dbname));
    config.get_options().map(|text| options.options(text));
    config.get_application_name().map(|name| options.application_name(name));
    config.get_connect_timeout().map(|timeout| options.connect_timeout(*timeout));
    config.get_tcp_user_timeout().map(|timeout| options.tcp_user_timeout(*timeout));
    config.get_keepalives_interval().map(|interval| options.keepalives_interval(interval));
    config.get_keepalives_retries().map(|retries| options.keepalives_retries(retries));
    options
}
