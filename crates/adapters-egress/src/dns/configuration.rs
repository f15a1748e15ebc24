use std::collections::HashMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use domain::webhooks::HostName;
use tokio::time::Instant;

const PORT: u16 = 53;
/// The most name servers that get questions, as in the C library.
const SERVERS_MAX: usize = 3;
/// How often the files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
const RESOLV_CONF: &str = "/etc/resolv.conf";
const HOSTS: &str = "/etc/hosts";

/// Which name servers get the questions.
#[derive(Clone, Debug)]
pub enum NameServers {
    /// Those of `/etc/resolv.conf`, after a look into `/etc/hosts`. Both files are read again when they change.
    OfTheSystem,
    /// Only these.
    Only(Vec<SocketAddr>),
}

/// The parsed content of both files.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) servers: Vec<SocketAddr>,
    pub(super) hosts: HashMap<HostName, Vec<IpAddr>>,
}

impl Configuration {
    fn read() -> Self {
        let [resolv_conf, hosts] = [RESOLV_CONF, HOSTS].map(|path| {
            fs::read_to_string(path)
                .inspect_err(|error| tracing::warn!(%error, path, "cannot read the system's resolver configuration"))
                .unwrap_or_default()
        });
        Self { servers: servers_in(&resolv_conf), hosts: hosts_in(&hosts) }
    }
}

/// The present configuration.
#[derive(Debug)]
pub(super) struct Current {
    name_servers: NameServers,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    configuration: Arc<Configuration>,
    checked_at: Instant,
    stamps: [Option<Stamp>; 2],
}

/// Changes when a file changes.
type Stamp = (SystemTime, u64);

impl Current {
    pub(super) fn new(name_servers: NameServers) -> Self {
        let stamps = stamps();
        let configuration = match &name_servers {
            NameServers::OfTheSystem => Configuration::read(),
            NameServers::Only(servers) => Configuration { servers: servers.clone(), hosts: HashMap::new() },
        };
        let state = State { configuration: Arc::new(configuration), checked_at: Instant::now(), stamps };
        Self { name_servers, state: Mutex::new(state) }
    }

    pub(super) fn get(&self) -> Arc<Configuration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_system = matches!(self.name_servers, NameServers::OfTheSystem);
        if is_of_system && state.checked_at.elapsed() > CHECK_INTERVAL {
            state.checked_at = Instant::now();
            let stamps = stamps();
            if stamps != state.stamps {
                *state = State { configuration: Arc::new(Configuration::read()), stamps, ..*state };
            }
        }
        Arc::clone(&state.configuration)
    }
}

fn stamps() -> [Option<Stamp>; 2] {
    [RESOLV_CONF, HOSTS].map(|path| {
        let metadata = Path::new(path).metadata().ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

/// The name servers in `resolv.conf` (resolv.conf(5)). Without one, this machine, as in the C library.
fn servers_in(resolv_conf: &str) -> Vec<SocketAddr> {
    let mut servers: Vec<SocketAddr> = resolv_conf.lines().filter_map(server_in).take(SERVERS_MAX).collect();
    if servers.is_empty() {
        servers.push((Ipv4Addr::LOCALHOST, PORT).into());
    }
    servers
}

fn server_in(line: &str) -> Option<SocketAddr> {
    let address = line.trim_start().strip_prefix("nameserver")?.split_whitespace().next()?;
    let with_port = if address.contains(':') { format!("[{address}]:{PORT}") } else { format!("{address}:{PORT}") };
    let server = with_port.parse();
    if server.is_err() {
        tracing::warn!(address, "cannot use this name server of resolv.conf");
    }
    server.ok()
}

/// The names in a hosts file (hosts(5)) and all addresses of each.
fn hosts_in(hosts: &str) -> HashMap<HostName, Vec<IpAddr>> {
    let mut addresses: HashMap<HostName, Vec<IpAddr>> = HashMap::new();
    for line in hosts.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(address) = words.next().and_then(|word| word.parse().ok()) else { continue };
        for name in words.filter_map(|word| HostName::parse(word).ok()) {
            addresses.entry(name).or_default().push(address);
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_name_servers_as_the_c_library_does() {
        let servers = |text| servers_in(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        let text = "# nameserver 9.9.9.9\nsearch corp.example\n nameserver\t10.0.0.53 # first\nnameserver fd00::53\n\
                    nameserver fe80::1%2\nnameserver 10.0.0.54\noptions ndots:5";
        assert_eq!(servers(text), ["10.0.0.53:53", "[fd00::53]:53", "[fe80::1%2]:53"]);
        for nothing in ["", "nameserver", "nameserver resolver.example", "options rotate"] {
            assert_eq!(servers(nothing), ["127.0.0.1:53"], "{nothing}");
        }
    }

    #[test]
    fn reads_hosts() {
        let hosts = hosts_in(
            "127.0.0.1 localhost\n\n10.0.0.7\tDb.corp.example db # the database\n# 1.2.3.4 x\nfd00::7 db\nx y",
        );
        let of = |name: &str| hosts.get(&HostName::parse(name).unwrap()).cloned().unwrap_or_default();
        let (v4, v6): (IpAddr, IpAddr) = ("10.0.0.7".parse().unwrap(), "fd00::7".parse().unwrap());
        assert_eq!(of("db.corp.example"), [v4]);
        assert_eq!(of("db"), [v4, v6]);
        assert!(of("x").is_empty() && of("y").is_empty());
    }
}
