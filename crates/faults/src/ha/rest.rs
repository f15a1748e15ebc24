//! Calls to the REST API of Patroni, which answers with the status alone.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A member that does not answer within this time counts as away.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(1);
/// A switchover is answered when it is done.
const ORDER_TIMEOUT: Duration = Duration::from_mins(1);

/// Whether the member answers 200 for this path.
pub(super) async fn says(member: SocketAddr, path: &str) -> bool {
    let request = format!("GET {path} HTTP/1.0\r\n\r\n");
    matches!(timeout(QUESTION_TIMEOUT, status(member, &request)).await, Ok(Ok(200)))
}

/// Sends an order in JSON, and returns the status of the answer.
pub(super) async fn order(member: SocketAddr, path: &str, json: &str) -> anyhow::Result<u16> {
    let length = json.len();
    let head = format!("POST {path} HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    timeout(ORDER_TIMEOUT, status(member, &(head + json))).await?
}

async fn status(member: SocketAddr, request: &str) -> anyhow::Result<u16> {
    let mut stream = TcpStream::connect(member).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    status_in(&answer)
}

fn status_in(answer: &str) -> anyhow::Result<u16> {
    Ok(answer.split(' ').nth(1).unwrap_or_default().parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_second_word() {
        assert_eq!(status_in("HTTP/1.0 503 Service Unavailable\r\n\r\n").unwrap(), 503);
        assert!(status_in("").is_err());
        assert!(status_in("HTTP/1.0 OK").is_err());
    }
}
