use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapters_egress::{NameServers, SystemResolver};
use domain::memory::SeededEntropy;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use tokio::time::{sleep, timeout};

const SERVER_FAILURE: u8 = 2;
const NO_SUCH_NAME: u8 = 3;
const TYPE_A: u8 = 1;

/// A name server. The first label of a name selects the treatment of its questions: `hangs`, `fails`, `missing` and
/// `long` do what they say, and every other name has the IPv4 address 127.0.0.1.
pub(crate) struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

/// Sockets on a port that is free for both protocols: an outgoing question of another process may have the other half.
async fn on_one_port() -> (TcpListener, UdpSocket) {
    loop {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        if let Ok(socket) = UdpSocket::bind(listener.local_addr().unwrap()).await {
            return (listener, socket);
        }
    }
}

impl NameServer {
    pub(crate) async fn start() -> Self {
        Self::start_with(HashSet::new()).await
    }

    /// A server that does not answer questions about the root: it works no better for other names.
    pub(crate) async fn out_of_order() -> Self {
        Self::start_with(HashSet::from([""])).await
    }

    async fn start_with(hanging: HashSet<&'static str>) -> Self {
        let (listener, socket) = on_one_port().await;
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        tokio::spawn(answer_streams(listener));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut buffer = [0; 1_024];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
                let name = name_in(&buffer[..length]);
                let label = name.split('.').next().unwrap().to_owned();
                seen.lock().unwrap().push(name);
                if hanging.contains(label.as_str()) || label.starts_with("hangs") {
                    continue;
                }
                socket.send_to(&answer(&buffer[..length], &label, false), from).await.unwrap();
            }
        });
        Self { address, asked }
    }

    pub(crate) fn resolver(&self) -> Arc<SystemResolver> {
        resolver(vec![self.address])
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until `count` questions have arrived.
    pub(crate) async fn until_asked(&self, count: usize) {
        let all_asked = async {
            while self.asked().len() < count {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(Duration::from_secs(10), all_asked).await.expect("the questions arrive");
    }

    /// The names in all questions so far, each with its final dot.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

pub(crate) fn resolver(servers: Vec<SocketAddr>) -> Arc<SystemResolver> {
    Arc::new(SystemResolver::new(NameServers::Only(servers), Arc::new(SeededEntropy::new(3))))
}

async fn answer_streams(listener: TcpListener) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut question = vec![0; stream.read_u16().await.unwrap().into()];
        stream.read_exact(&mut question).await.unwrap();
        let label = name_in(&question).split('.').next().unwrap().to_owned();
        let answer = answer(&question, &label, true);
        stream.write_u16(u16::try_from(answer.len()).unwrap()).await.unwrap();
        stream.write_all(&answer).await.unwrap();
    }
}

/// The name of the question, with its final dot.
fn name_in(question: &[u8]) -> String {
    let (mut name, mut rest) = (String::new(), &question[12..]);
    while rest[0] != 0 {
        let (label, after) = rest[1..].split_at(rest[0].into());
        name += std::str::from_utf8(label).unwrap();
        name += ".";
        rest = after;
    }
    name
}

fn answer(question: &[u8], label: &str, by_stream: bool) -> Vec<u8> {
    let mut message = question.to_vec();
    let record_type = question[question.len() - 3];
    let (is_truncated, code) = match label {
        "long" => (!by_stream, 0),
        _ if label.starts_with("fails") => (false, SERVER_FAILURE),
        _ if label.starts_with("missing") => (false, NO_SUCH_NAME),
        _ => (false, 0),
    };
    message[2..4].copy_from_slice(&[if is_truncated { 0x83 } else { 0x81 }, 0x80 | code]);
    if code == 0 && !is_truncated && record_type == TYPE_A {
        message[7] = 1;
        message.extend([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    }
    message
}
