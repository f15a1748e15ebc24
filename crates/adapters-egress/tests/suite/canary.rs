use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};

/// A listener on every address of this machine that must see no connection.
pub(crate) struct Canary(TcpListener);

impl Canary {
    /// Listens on every IPv4 address and, if the machine has IPv6, every IPv6 address.
    pub(crate) async fn everywhere() -> Self {
        let listener = match TcpListener::bind("[::]:0").await {
            Ok(listener) => listener,
            Err(_) => TcpListener::bind("0.0.0.0:0").await.unwrap(),
        };
        Self(listener)
    }

    pub(crate) async fn at(address: SocketAddr) -> Self {
        Self(TcpListener::bind(address).await.unwrap())
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// Connects once, and expects to be the first: connections are accepted in order.
    pub(crate) async fn assert_untouched(self) {
        let mut address = self.0.local_addr().unwrap();
        if address.ip().is_unspecified() {
            address.set_ip([127, 0, 0, 1].into());
        }
        let ours = TcpStream::connect(address).await.unwrap();
        let (_, first) = self.0.accept().await.unwrap();
        assert_eq!(first.port(), ours.local_addr().unwrap().port(), "somebody else connected to the canary");
    }
}
