//! The line between Gatepost and a database server: a TCP proxy with connections that can fail.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Bytes pass to the server with this port.
    To(u16),
    /// Connections stay open, and no byte passes, as with a dead machine or a pulled cable.
    Silent(u16),
    /// Connections are closed, and new ones as soon as they are accepted, as with a dead process.
    Cut,
}

impl State {
    /// The port of the server that the line leads to.
    fn server(self) -> Option<u16> {
        match self {
            Self::To(port) | Self::Silent(port) => Some(port),
            Self::Cut => None,
        }
    }
}

pub(crate) struct Line {
    address: SocketAddr,
    state: watch::Sender<State>,
}

impl Line {
    pub(crate) async fn start(state: State) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (state, its_state) = watch::channel(state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, its_state.clone()));
            }
        });
        Ok(Self { address, state })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn set(&self, state: State) {
        self.state.send_replace(state);
    }
}

/// Forwards bytes until one side closes, the line is cut, or the line leads to another server.
async fn forward(client: TcpStream, mut state: watch::Receiver<State>) {
    let Some(port) = state.borrow().server() else { return };
    let mut is_moved = state.clone();
    let pass = async {
        passes(&mut state).await;
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        tokio::select! {
            () = copy(from_client, to_server, state.clone()) => {}
            () = copy(from_server, to_client, state.clone()) => {}
        }
    };
    tokio::select! {
        _ = is_moved.wait_for(|state| state.server() != Some(port)) => {}
        () = pass => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<State>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        passes(&mut state).await;
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}

/// Waits while the line is silent.
async fn passes(state: &mut watch::Receiver<State>) {
    let _ = state.wait_for(|state| !matches!(state, State::Silent(_))).await;
}
