use std::io;
use std::net::SocketAddr;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::server_session::{ConnectError, with_sources};

/// Asks the server for TLS.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
const TLS_ACCEPTED: u8 = b'S';

/// A socket, encrypted or not.
pub(super) type BoxedSocket = Box<dyn Socket>;

pub(super) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<Any: AsyncRead + AsyncWrite + Send + Unpin> Socket for Any {}

/// Opens the socket of a configuration with one address. The driver does not give up sockets that it opens.
pub(super) async fn open(config: &Config, tls: Option<MakeRustlsConnect>) -> Result<BoxedSocket, ConnectError> {
    let connecting = connect(config);
    let connected = match config.get_connect_timeout() {
        Some(limit) => tokio::time::timeout(*limit, connecting).await.unwrap_or_else(|late| Err(late.into())),
        None => connecting.await,
    };
    let socket = connected.map_err(failed)?;
    match tls {
        Some(tls) => encrypt(socket, config, tls).await,
        None => Ok(socket),
    }
}

async fn connect(config: &Config) -> io::Result<BoxedSocket> {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let address = config.get_hostaddrs().first().map(|address| SocketAddr::new(*address, port));
    let stream = match (address, config.get_hosts().first()) {
        (Some(address), _) => TcpStream::connect(address).await?,
        (None, Some(Host::Tcp(name))) => TcpStream::connect((name.as_str(), port)).await?,
        (None, Some(Host::Unix(folder))) => {
            return Ok(Box::new(UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await?));
        }
        (None, None) => return Err(io::ErrorKind::InvalidInput.into()),
    };
    stream.set_nodelay(true)?;
    let options = SockRef::from(&stream);
    options.set_tcp_user_timeout(config.get_tcp_user_timeout().copied())?;
    if config.get_keepalives() {
        let mut keepalive = TcpKeepalive::new().with_time(config.get_keepalives_idle());
        keepalive = config.get_keepalives_interval().map_or(keepalive.clone(), |every| keepalive.with_interval(every));
        keepalive = config.get_keepalives_retries().map_or(keepalive.clone(), |count| keepalive.with_retries(count));
        options.set_tcp_keepalive(&keepalive)?;
    }
    Ok(Box::new(stream))
}

async fn encrypt(
    mut socket: BoxedSocket,
    config: &Config,
    mut tls: MakeRustlsConnect,
) -> Result<BoxedSocket, ConnectError> {
    if config.get_ssl_negotiation() == SslNegotiation::Postgres {
        socket.write_all(&TLS_REQUEST).await.map_err(failed)?;
        let answer = socket.read_u8().await.map_err(failed)?;
        if answer != TLS_ACCEPTED && config.get_ssl_mode() == SslMode::Prefer {
            return Ok(socket);
        }
        if answer != TLS_ACCEPTED {
            return Err(ConnectError::Other("the server does not support TLS".to_owned()));
        }
    }
    let name = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.as_str(),
        Some(Host::Unix(_)) | None => "",
    };
    let handshake = MakeTlsConnect::<BoxedSocket>::make_tls_connect(&mut tls, name).map_err(failed)?;
    let encrypted = handshake.connect(socket).await;
    Ok(Box::new(encrypted.map_err(|error| ConnectError::Other(format!("TLS handshake failed: {error}")))?))
}

fn failed(error: impl std::error::Error) -> ConnectError {
    ConnectError::Other(with_sources(&error))
}
