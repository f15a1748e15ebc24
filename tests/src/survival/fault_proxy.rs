use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A TCP proxy that can fall silent: connections stay open and new ones are accepted, but no byte passes. That is what
/// a dead machine or a cut cable looks like from here.
pub(super) struct FaultProxy {
    address: SocketAddr,
    silent: watch::Sender<bool>,
}

impl FaultProxy {
    pub(super) async fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (silent, is_silent) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connect(client, target, is_silent.clone()));
            }
        });
        Self { address, silent }
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn fall_silent(&self) {
        self.silent.send_replace(true);
    }

    pub(super) fn speak_again(&self) {
        self.silent.send_replace(false);
    }
}

async fn connect(client: TcpStream, target: SocketAddr, mut is_silent: watch::Receiver<bool>) {
    let _ = is_silent.wait_for(|silent| !silent).await;
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::spawn(copy(from_client, to_server, is_silent.clone()));
    copy(from_server, to_client, is_silent).await;
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut is_silent: watch::Receiver<bool>) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let Ok(length @ 1..) = from.read(&mut bytes).await else { return };
        if is_silent.wait_for(|silent| !silent).await.is_err() || to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
