use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};

use super::question::{Answer, Question};

/// Larger than any datagram that a server may send to a question without extensions, which is 512 bytes.
const DATAGRAM_BYTES_MAX: usize = 1_024;

/// Asks one name server. It may never answer.
pub(super) async fn ask(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    match ask_by_datagram(server, question).await? {
        Answer::Truncated => ask_by_stream(server, question).await,
        answer => Ok(answer),
    }
}

/// The socket is connected and has a port that the kernel draws: an answer is from the server, or guessed right.
async fn ask_by_datagram(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    let any_port = match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = UdpSocket::bind(any_port).await?;
    socket.connect(server).await?;
    socket.send(question.bytes()).await?;
    let mut datagram = [0; DATAGRAM_BYTES_MAX];
    loop {
        let length = socket.recv(&mut datagram).await?;
        if let Some(answer) = question.read(&datagram[..length]) {
            return Ok(answer);
        }
    }
}

async fn ask_by_stream(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(question.bytes().len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), question.bytes()].concat()).await?;
    let mut message = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut message).await?;
    match question.read(&message) {
        None | Some(Answer::Truncated) => Err(io::ErrorKind::InvalidData.into()),
        Some(answer) => Ok(answer),
    }
}
