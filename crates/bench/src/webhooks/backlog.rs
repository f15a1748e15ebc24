//! The effect of a backlog on other subscriptions, and on memory.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::sleep;

use super::latency::{latencies, publish_at_pace, row};
use super::receiver::Receivers;
use super::subject::{Subject, batch, publish};
use crate::connection::Connection;
use crate::store::Store;

const STUCK: &str = "user-stuck";
const HEALTHY: &str = "user-healthy";
const BATCH: usize = 500;
const NEIGHBOURS: usize = 100;
const EVENTS: usize = 1_000;
/// Gives each of the hundred other subscriptions five events a second.
const EVENTS_PER_SECOND: usize = 50;

/// With 100,000 deliveries to a receiver that hangs, the time until a new event reaches the first of 100 healthy
/// subscriptions of another user.
pub(crate) async fn neighbours(store: &dyn Store) -> anyhow::Result<Vec<String>> {
    let subject = stuck(store, 100_000, &[]).await?;
    let receivers = Receivers::timing(EVENTS);
    let mut addresses = Vec::new();
    for _ in 0..NEIGHBOURS {
        addresses.push(receivers.listen().await?);
    }
    subject.subscribe(HEALTHY, &addresses).await?;
    let published = publish_at_pace(&subject, HEALTHY, EVENTS, EVENTS_PER_SECOND).await?;
    receivers.wait_for((EVENTS * NEIGHBOURS) as u64).await?;
    Ok(row(store.name(), &latencies(&published, &receivers)?))
}

/// Resident memory with a million deliveries due to a receiver that hangs.
pub(crate) async fn memory(store: &dyn Store) -> anyhow::Result<Vec<String>> {
    let mut subject = stuck(store, 1_000_000, &[]).await?;
    let after_ingest = subject.gatepost.usage()?.resident_kib()?.0;
    subject.gatepost.stop()?;
    subject.gatepost.start().await?;
    sleep(Duration::from_secs(20)).await;
    let (now, peak) = subject.gatepost.usage()?.resident_kib()?;
    let mib = |kib: u64| format!("{} MiB", kib / 1024);
    Ok(vec![store.name().into(), mib(after_ingest), mib(now), mib(peak)])
}

/// A Gatepost with this many deliveries waiting for a receiver that accepts connections and never answers.
pub(super) async fn stuck(store: &dyn Store, deliveries: usize, settings: &[(&str, &str)]) -> anyhow::Result<Subject> {
    let subject = Subject::start(store, settings).await?;
    subject.subscribe(STUCK, &[hanging().await?]).await?;
    let mut connection = Connection::open(subject.address()).await?;
    for first in (0..deliveries).step_by(BATCH) {
        publish(&mut connection, &batch(STUCK, first..first + BATCH)).await?;
    }
    Ok(subject)
}

async fn hanging() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::task::spawn_local(async move {
        let mut kept = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            kept.push(stream);
        }
    });
    Ok(address)
}
