//! Webhooks: the rates of acceptance and delivery, the delay, and the effect of a backlog.

mod backlog;
mod latency;
mod neighbours;
pub(crate) mod purge;
mod receiver;
pub(crate) mod scrape;
pub(crate) mod shards;
pub(crate) mod snapshot;
mod subject;
mod throughput;

use neighbours::Hosts;
pub(crate) use subject::publication;
use tokio::task::LocalSet;

use crate::store::stores;
use crate::table::print;

const QUANTILES: [&str; 6] = ["database", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "worst ms"];

/// Runs a measurement that spawns local tasks, which end with it.
pub(crate) async fn with_tasks<T>(measurement: impl Future<Output = T>) -> T {
    LocalSet::new().run_until(measurement).await
}

/// The rates of acceptance and delivery.
pub(crate) async fn measure() -> anyhow::Result<()> {
    let (mut ingested, mut delivered) = (Vec::new(), Vec::new());
    for store in &stores().await? {
        let store = &**store;
        ingested.push(throughput::ingest(store).await?);
        for receivers in [1, 10] {
            delivered.push(with_tasks(throughput::deliveries(store, receivers)).await?);
        }
    }
    let head = ["database", "events/s", "bare POST/s", "ratio", "commits/s of the disk", "events a commit"];
    print("Publishing, 64 callers, one event in each call", &head, &ingested);
    let head =
        ["database", "receivers", "deliveries/s", "CPU of gatepost us", "commits/s of the disk", "deliveries a commit"];
    print("Published in batches, to the last receipt", &head, &delivered);
    Ok(())
}

/// The rates of delivery with each kind of signatures.
pub(crate) async fn measure_options() -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for store in &stores().await? {
        rows.extend(with_tasks(throughput::options(&**store)).await?);
    }
    let head = ["database", "option", "deliveries/s", "of hmac"];
    print("Options of a subscription, one receiver, in turn", &head, &rows);
    Ok(())
}

/// The delay of an event at a steady pace, and its cost.
pub(crate) async fn measure_latency() -> anyhow::Result<()> {
    let (stores, mut latencies) = (stores().await?, Vec::new());
    for per_second in [200, 1_000] {
        latencies.push(with_tasks(latency::measure_bare(per_second)).await?);
        for store in &stores {
            latencies.push(with_tasks(latency::measure(&**store, per_second)).await?);
        }
    }
    let mut head = QUANTILES.to_vec();
    head.insert(1, "events/s");
    head.extend(["CPU of gatepost us", "of the database us"]);
    print("From publishing to receipt", &head, &latencies);
    Ok(())
}

/// The delay of an event while other owners have slow receivers.
pub(crate) async fn measure_neighbours() -> anyhow::Result<()> {
    let mut latencies = Vec::new();
    for store in &stores().await? {
        for hosts in [Hosts::One, Hosts::Many] {
            latencies.push(with_tasks(neighbours::measure(&**store, hosts)).await?);
        }
    }
    print("From publishing to receipt, beside 1,020 slow subscriptions of two other owners", &QUANTILES, &latencies);
    Ok(())
}

/// The effect of a backlog for a receiver that hangs, on other subscriptions and on memory.
pub(crate) async fn measure_backlog() -> anyhow::Result<()> {
    let (mut neighbours, mut memory) = (Vec::new(), Vec::new());
    for store in &stores().await? {
        let store = &**store;
        neighbours.push(with_tasks(backlog::neighbours(store)).await?);
        memory.push(with_tasks(backlog::memory(store)).await?);
    }
    print("Publishing to first receipt, beside 100,000 deliveries to a receiver that hangs", &QUANTILES, &neighbours);
    let head = ["database", "after publishing", "20 s after a restart", "peak"];
    print("Resident memory with a million deliveries due", &head, &memory);
    Ok(())
}
