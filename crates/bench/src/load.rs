//! Load from several clients, each with a kept connection and a fixed number of calls.

use std::net::SocketAddr;

use anyhow::ensure;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::connection::Connection;
use crate::table::milliseconds;

/// The requests of one client.
pub(crate) type Requests = Vec<Vec<Vec<u8>>>;

/// The result of a load.
pub(crate) struct Sent {
    /// Calls per second.
    pub(crate) rate: f64,
    /// The bodies of the answers of each client in order, if they were to be kept.
    pub(crate) answers: Vec<Vec<Vec<u8>>>,
    /// Milliseconds of each call.
    pub(crate) waits: Vec<f64>,
}

/// Sends all requests, all clients at the same time, and returns calls per second and the bodies of the answers in
/// order.
pub(crate) async fn send_all(
    address: SocketAddr,
    requests: Requests,
    keep: bool,
) -> anyhow::Result<(f64, Vec<Vec<Vec<u8>>>)> {
    let sent = send_timed(address, requests, 200, keep).await?;
    Ok((sent.rate, sent.answers))
}

/// Sends all requests, all clients at the same time. Each answer must have this status.
pub(crate) async fn send_timed(
    address: SocketAddr,
    requests: Requests,
    status: u16,
    keep: bool,
) -> anyhow::Result<Sent> {
    let calls: usize = requests.iter().map(Vec::len).sum();
    let mut connections = Vec::new();
    for _ in &requests {
        connections.push(Connection::open(address).await?);
    }
    let mut clients = JoinSet::new();
    let start = Instant::now();
    for (number, (mut connection, requests)) in connections.into_iter().zip(requests).enumerate() {
        clients.spawn(async move {
            let (mut bodies, mut waits) = (Vec::new(), Vec::new());
            for request in &requests {
                let sent = Instant::now();
                let (answered, body) = connection.exchange(request).await?;
                ensure!(answered == status, "{answered}: {}", String::from_utf8_lossy(body));
                waits.push(milliseconds(sent.elapsed()));
                if keep {
                    bodies.push(body.to_vec());
                }
            }
            anyhow::Ok((number, bodies, waits))
        });
    }
    let (mut answers, mut waits) = (Vec::new(), Vec::new());
    while let Some(client) = clients.join_next().await {
        let (number, bodies, waited) = client??;
        answers.push((number, bodies));
        waits.extend(waited);
    }
    let seconds = start.elapsed().as_secs_f64();
    answers.sort_by_key(|(number, _)| *number);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 calls")]
    let rate = calls as f64 / seconds;
    Ok(Sent { rate, answers: answers.into_iter().map(|(_, bodies)| bodies).collect(), waits })
}
