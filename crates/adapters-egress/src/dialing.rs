use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::webhooks::EgressPolicy;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::connect_error::ConnectError;
use crate::dns::ResolveError;

/// The most addresses of a name that are tried.
const ADDRESSES_MAX: usize = 8;
/// How long one address is tried before the next one is tried in parallel (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

/// Connects to the first allowed address that answers, and checks the peer of the socket against the policy before the
/// first byte is written.
pub(crate) async fn dial(addresses: &[IpAddr], port: u16, policy: &EgressPolicy) -> Result<TcpStream, ConnectError> {
    let mut waiting = addresses.iter().take(ADDRESSES_MAX).map(|address| SocketAddr::new(*address, port));
    let mut dialled = FuturesUnordered::new();
    let mut last_error = ConnectError::Name(ResolveError::NoSuchName);
    loop {
        if let Some(address) = waiting.next() {
            dialled.push(connect(address, policy));
        }
        let has_more = waiting.len() > 0;
        tokio::select! {
            biased;
            ended = dialled.next() => match ended {
                Some(Ok(stream)) => return Ok(stream),
                Some(Err(error)) => last_error = error,
                None => return Err(last_error),
            },
            () = sleep(HEAD_START), if has_more => {}
        }
    }
}

async fn connect(address: SocketAddr, policy: &EgressPolicy) -> Result<TcpStream, ConnectError> {
    let stream = TcpStream::connect(address).await.map_err(ConnectError::Unreachable)?;
    check_peer(stream.peer_addr().map_err(ConnectError::Unreachable)?, address, policy)?;
    stream.set_nodelay(true).map_err(ConnectError::Unreachable)?;
    Ok(stream)
}

/// Checks the peer that the kernel reports, which may differ from the address that was dialled.
fn check_peer(peer: SocketAddr, dialled: SocketAddr, policy: &EgressPolicy) -> Result<(), ConnectError> {
    policy.judge_address(peer.ip())?;
    if peer == dialled { Ok(()) } else { Err(ConnectError::Peer) }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use domain::webhooks::EgressPolicySettings;
    use tokio::io::AsyncReadExt as _;
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    fn policy(allowed_networks: &[&str]) -> EgressPolicy {
        EgressPolicy::new(EgressPolicySettings {
            allow_http: true,
            allowed_networks: allowed_networks.iter().map(|network| network.parse().unwrap()).collect(),
            own_addresses: Arc::new(Vec::new()),
        })
    }

    async fn listen(address: &str) -> (TcpListener, u16) {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[tokio::test]
    async fn a_refused_peer_gets_no_byte_even_when_nothing_else_stopped_it() {
        let (listener, port) = listen("127.0.0.1").await;
        let refused = dial(&["127.0.0.1".parse().unwrap()], port, &policy(&[])).await;
        assert!(matches!(refused, Err(ConnectError::Address(_))), "{refused:?}");
        let (mut stream, _) = listener.accept().await.unwrap();
        assert_eq!(stream.read(&mut [0; 1]).await.unwrap_or(0), 0);
    }

    #[test]
    fn a_peer_must_be_allowed_and_be_the_one_that_was_dialled() {
        let (one, other) = (SocketAddr::from(([8, 8, 8, 8], 443)), SocketAddr::from(([8, 8, 4, 4], 443)));
        let loopback = SocketAddr::from(([127, 0, 0, 1], 443));
        assert!(check_peer(one, one, &policy(&[])).is_ok());
        assert!(matches!(check_peer(other, one, &policy(&[])), Err(ConnectError::Peer)));
        assert!(matches!(check_peer(loopback, one, &policy(&[])), Err(ConnectError::Address(_))));
    }

    #[tokio::test]
    async fn an_address_that_refuses_does_not_hide_one_that_answers() {
        // A bound socket that does not listen refuses, and keeps the port from other processes.
        let refusing = TcpSocket::new_v4().unwrap();
        refusing.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = refusing.local_addr().unwrap().port();
        let _listener = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
        let addresses = ["127.0.0.1", "127.0.0.2"].map(|address| address.parse().unwrap());
        let stream = dial(&addresses, port, &policy(&["127.0.0.0/8"])).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap().ip(), addresses[1]);
    }

    #[tokio::test]
    async fn when_no_address_answers_the_error_says_so() {
        let addresses = ["127.0.0.1", "127.0.0.2"].map(|address| address.parse().unwrap());
        // The system gives port 1 to no test.
        let refused = dial(&addresses, 1, &policy(&["127.0.0.0/8"])).await;
        assert!(
            matches!(&refused, Err(ConnectError::Unreachable(error)) if error.kind() == io::ErrorKind::ConnectionRefused),
            "{refused:?}"
        );
    }
}
