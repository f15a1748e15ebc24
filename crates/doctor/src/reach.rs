use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::webhooks::{Destination, DestinationHost, EgressPolicy, UrlRefused};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use url::Url;

use crate::finding::Finding;

/// How long names may take to resolve, and receivers to accept a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Checks that a webhook to `url` may be sent, and that the receiver accepts a connection. Sends no request.
pub async fn check_reach(url: &Url, policy: &EgressPolicy) -> Option<Finding> {
    let destination = match policy.judge_url(url) {
        Ok(destination) => destination,
        Err(UrlRefused::Address(refused)) => {
            return Some(refused_by_policy(url, &refused.to_string(), Some(refused.address)));
        }
        Err(refused) => return Some(refused_by_policy(url, &refused.to_string(), None)),
    };
    let addresses = match resolve(&destination).await {
        Ok(addresses) => addresses,
        Err(error) => return Some(unresolved(&destination, &error)),
    };
    let ips: Vec<IpAddr> = addresses.iter().map(SocketAddr::ip).collect();
    if let Err(refused) = policy.judge_answer(&ips) {
        return Some(refused_by_policy(url, &refused.to_string(), Some(refused.address)));
    }
    let mut last = None;
    for address in addresses {
        match connect(address).await {
            Ok(()) => return None,
            Err(error) => last = Some((address, error)),
        }
    }
    let (address, error) = last?;
    Some(finding(
        format!("{address}, to which {url} leads, does not accept connections: {error}"),
        format!(
            "allow outgoing connections to it; `curl -sv --max-time 5 {url}` shows where they end. Gatepost uses no proxy"
        ),
    ))
}

async fn resolve(destination: &Destination) -> Result<Vec<SocketAddr>, String> {
    let name = match &destination.host {
        DestinationHost::Address(address) => return Ok(vec![SocketAddr::new(*address, destination.port)]),
        DestinationHost::Localhost(_, addresses) => {
            return Ok(addresses.iter().map(|address| SocketAddr::new(*address, destination.port)).collect());
        }
        DestinationHost::Name(name) => name.to_string(),
    };
    let found = timeout(PATIENCE, lookup_host((name, destination.port))).await.map_err(|_| "no answer".to_owned())?;
    Ok(found.map_err(|error| error.to_string())?.collect())
}

async fn connect(address: SocketAddr) -> Result<(), String> {
    let connected = timeout(PATIENCE, TcpStream::connect(address)).await.map_err(|_| "no answer".to_owned())?;
    connected.map(drop).map_err(|error| error.to_string())
}

fn finding(what: String, cure: String) -> Finding {
    Finding { check: "egress", what, why: "webhooks to this receiver are not delivered", cure }
}

fn unresolved(destination: &Destination, error: &str) -> Finding {
    let DestinationHost::Name(name) = &destination.host else { return finding(error.to_owned(), String::new()) };
    let what = format!("the name {name} does not resolve: {error}");
    finding(
        what,
        format!(
            "correct the name, or the resolver: `cat /etc/resolv.conf` shows it, and `getent hosts {name}` asks it"
        ),
    )
}

fn refused_by_policy(url: &Url, reason: &str, address: Option<IpAddr>) -> Finding {
    let cure = match address {
        Some(address) => format!("if the receiver is yours, set `WEBHOOK_ALLOWED_NETWORKS={address}`"),
        None if url.scheme() == "http" => {
            "use https, or, on a network that you trust, set `WEBHOOK_ALLOW_HTTP=true`".to_owned()
        }
        None => "use another URL".to_owned(),
    };
    finding(format!("Gatepost does not send webhooks to {url}: {reason}"), cure)
}
