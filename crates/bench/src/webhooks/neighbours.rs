//! The delay of an event while other owners have slow receivers.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::latency::{latencies, publish_at_pace, row};
use super::receiver::{ANSWER, Receivers};
use super::subject::{Subject, batch, publish};
use crate::connection::{Connection, message_in};
use crate::store::Store;

const GREEDY: (&str, usize) = ("user-greedy", 1_000);
const SLOW: (&str, usize) = ("user-slow", 20);
const QUICK: &str = "user-quick";
/// Deliveries to each slow subscription.
const BACKLOG: usize = 20;
const ANSWER_TIME: Duration = Duration::from_secs(14);
const EVENTS: usize = 500;
const EVENTS_PER_SECOND: usize = 20;

/// Where the slow receivers are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hosts {
    /// All at one host, which is also the host of the quick receiver.
    One,
    /// Each at another host.
    Many,
}

/// With 1,000 slow subscriptions of one owner and 20 of another, the time from publishing to receipt for a third.
pub(crate) async fn measure(store: &dyn Store, hosts: Hosts) -> anyhow::Result<Vec<String>> {
    let subject = Subject::start(store, &[("WEBHOOK_MAX_SUBSCRIPTIONS", "1000")]).await?;
    let port = slow_receivers().await?;
    for (user, subscriptions) in [GREEDY, SLOW] {
        let addresses: Vec<SocketAddr> = (0..subscriptions).map(|number| address(hosts, number, port)).collect();
        subject.subscribe(user, &addresses).await?;
        let mut connection = Connection::open(subject.address()).await?;
        publish(&mut connection, &batch(user, 0..BACKLOG)).await?;
    }
    // Longer than an answer takes, so that attempts end and begin all the time.
    sleep(ANSWER_TIME + Duration::from_secs(2)).await;
    let receivers = Receivers::timing(EVENTS);
    subject.subscribe(QUICK, &[receivers.listen().await?]).await?;
    let published = publish_at_pace(&subject, QUICK, EVENTS, EVENTS_PER_SECOND).await?;
    receivers.wait_for(EVENTS as u64).await?;
    let name = format!("{}, {hosts:?}", store.name()).to_lowercase();
    Ok(row(&name, &latencies(&published, &receivers)?))
}

/// All of 127.0.0.0/8 is this machine.
fn address(hosts: Hosts, number: usize, port: u16) -> SocketAddr {
    let [.., high, low] = number.to_be_bytes();
    let host = match hosts {
        Hosts::One => Ipv4Addr::LOCALHOST,
        Hosts::Many => Ipv4Addr::new(127, 1, high, low),
    };
    SocketAddr::from((host, port))
}

/// Receivers that answer after 14 s, at all addresses of this machine and the port that this returns.
async fn slow_receivers() -> anyhow::Result<u16> {
    let listener = TcpListener::bind("0.0.0.0:0").await?;
    let port = listener.local_addr()?.port();
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::task::spawn_local(answer_slowly(stream));
        }
    });
    Ok(port)
}

async fn answer_slowly(mut stream: TcpStream) -> anyhow::Result<()> {
    let mut buffer = Vec::new();
    while stream.read_buf(&mut buffer).await? > 0 {
        while let Some((_, body)) = message_in(&buffer)? {
            sleep(ANSWER_TIME).await;
            stream.write_all(ANSWER).await?;
            buffer.drain(..body.end);
        }
    }
    Ok(())
}
