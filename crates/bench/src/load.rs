//! Load from several clients, each with a kept connection and a fixed number of calls.

use std::net::SocketAddr;

use tokio::time::Instant;

use crate::connection::Connection;
use crate::table::milliseconds;

/// The requests of each client.
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

/// Sends all requests, all clients at the same time. Each answer must have the status 200.
pub(crate) async fn send_all(address: SocketAddr, requests: Requests, keep: bool) -> anyhow::Result<Sent> {
    let calls: usize = requests.iter().map(Vec::len).sum();
    let mut connections = Vec::new();
    for _ in &requests {
        connections.push(Connection::open(address).await?);
    }
    let start = Instant::now();
    let send = |(mut connection, requests): (Connection, Vec<Vec<u8>>)| {
        tokio::spawn(async move {
            let (mut bodies, mut waits) = (Vec::new(), Vec::new());
            for request in &requests {
                let sent = Instant::now();
                let body = connection.succeed(request).await?;
                waits.push(milliseconds(sent.elapsed()));
                if keep {
                    bodies.push(body.to_vec());
                }
            }
            anyhow::Ok((bodies, waits))
        })
    };
    let clients: Vec<_> = connections.into_iter().zip(requests).map(send).collect();
    let (mut answers, mut waits) = (Vec::new(), Vec::new());
    for client in clients {
        let (bodies, waited) = client.await??;
        answers.push(bodies);
        waits.extend(waited);
    }
    let seconds = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 calls")]
    let rate = calls as f64 / seconds;
    Ok(Sent { rate, answers, waits })
}
