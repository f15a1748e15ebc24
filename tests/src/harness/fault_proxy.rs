use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A TCP proxy with connections that can fail.
pub(crate) struct FaultProxy {
    address: SocketAddr,
    line: watch::Sender<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Bytes pass.
    Whole,
    /// Connections stay open and new ones are accepted, but no byte passes, as with a dead machine or a cut cable.
    Silent,
    /// Connections are closed, and new ones as soon as they are accepted, as with a dead process.
    Cut,
}

impl FaultProxy {
    pub(crate) async fn before(target: SocketAddr) -> Self {
        Self::start(target, None).await
    }

    /// A proxy that drops every message with these bytes, and all later messages of its client.
    pub(crate) async fn swallowing(target: SocketAddr, bytes: &'static str) -> Self {
        Self::start(target, Some(bytes)).await
    }

    async fn start(target: SocketAddr, swallowed: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (line, its_line) = watch::channel(Line::Whole);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connect(client, target, its_line.clone(), swallowed));
            }
        });
        Self { address, line }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

/// Forwards bytes until one side closes, or the test cuts the connection.
async fn connect(client: TcpStream, target: SocketAddr, mut line: watch::Receiver<Line>, swallowed: Option<&str>) {
    let mut is_cut = line.clone();
    let pass = async {
        let _ = line.wait_for(|line| *line != Line::Silent).await;
        let Ok(server) = TcpStream::connect(target).await else { return };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        tokio::join!(
            copy(from_client, to_server, line.clone(), swallowed),
            copy(from_server, to_client, line.clone(), None)
        );
    };
    tokio::select! {
        _ = is_cut.wait_for(|line| *line == Line::Cut) => {}
        () = pass => {}
    }
}

async fn copy(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
    swallowed: Option<&str>,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let Ok(length @ 1..) = from.read(&mut bytes).await else { return };
        let message = &bytes[..length];
        if swallowed.is_some_and(|swallowed| message.windows(swallowed.len()).any(|part| part == swallowed.as_bytes()))
        {
            return std::future::pending().await;
        }
        if line.wait_for(|line| *line != Line::Silent).await.is_err() || to.write_all(message).await.is_err() {
            return;
        }
    }
}
