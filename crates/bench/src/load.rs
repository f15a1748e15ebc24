//! Load from several clients, each with a kept connection and a fixed number of calls.

use std::net::SocketAddr;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::connection::Connection;

/// The requests of one client.
pub(crate) type Requests = Vec<Vec<Vec<u8>>>;

/// Sends all requests, all clients at the same time, and returns calls per second and the bodies of the answers in
/// order.
pub(crate) async fn send_all(
    address: SocketAddr,
    requests: Requests,
    keep: bool,
) -> anyhow::Result<(f64, Vec<Vec<Vec<u8>>>)> {
    let calls: usize = requests.iter().map(Vec::len).sum();
    let mut connections = Vec::new();
    for _ in &requests {
        connections.push(Connection::open(address).await?);
    }
    let mut clients = JoinSet::new();
    let start = Instant::now();
    for (number, (mut connection, requests)) in connections.into_iter().zip(requests).enumerate() {
        clients.spawn(async move {
            let mut bodies = Vec::new();
            for request in &requests {
                let body = connection.succeed(request).await?;
                if keep {
                    bodies.push(body.to_vec());
                }
            }
            anyhow::Ok((number, bodies))
        });
    }
    let mut answers = Vec::new();
    while let Some(client) = clients.join_next().await {
        answers.push(client??);
    }
    let seconds = start.elapsed().as_secs_f64();
    answers.sort_by_key(|(number, _)| *number);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 calls")]
    let rate = calls as f64 / seconds;
    Ok((rate, answers.into_iter().map(|(_, bodies)| bodies).collect()))
}
