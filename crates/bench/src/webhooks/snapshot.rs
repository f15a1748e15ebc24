//! A transaction elsewhere that sees an old state of the database, as a backup does: rows that die during it cannot be
//! removed.

use std::time::Duration;

use anyhow::Context;
use tokio::task::spawn_local;
use tokio::time::sleep;

use super::QUANTILES;
use super::latency::{latencies, publish_at_pace, row};
use super::receiver::Receivers;
use super::subject::Subject;
use crate::store::Postgres;
use crate::table::print;

const EVENTS_PER_SECOND: usize = 1_000;
const MINUTES: usize = 10;
const EVENTS_PER_MINUTE: usize = 60 * EVENTS_PER_SECOND;
/// A running statement holds its snapshot.
const HOLD: &str = "SELECT pg_sleep(620)";

/// A thousand events a second, for ten minutes, while a snapshot is held all the time.
pub(crate) async fn measure() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let subject = Subject::start(&server, &[]).await?;
    let url = subject.gatepost.setting("DATABASE_URL").context("the store is Postgres")?;
    let name = url.rsplit('/').next().context("the URL ends with the name")?.to_owned();
    let receivers = Receivers::timing(MINUTES * EVENTS_PER_MINUTE);
    subject.subscribe("user-0", &[receivers.listen().await?]).await?;
    let cluster = server.0.clone();
    let holding = spawn_local(async move { cluster.execute(&name, HOLD).await });
    let after_a_minute = spawn_local(resident(subject.gatepost.usage()?));
    let published = publish_at_pace(&subject, "user-0", MINUTES * EVENTS_PER_MINUTE, EVENTS_PER_SECOND).await?;
    receivers.wait_for((MINUTES * EVENTS_PER_MINUTE) as u64).await?;
    let latencies = latencies(&published, &receivers)?;
    let minute = |number: usize| &latencies[(number - 1) * EVENTS_PER_MINUTE..number * EVENTS_PER_MINUTE];
    let rows = [1, 2, 5, 10].map(|number| row(&format!("minute {number}"), minute(number)));
    print("From publishing to receipt at 1,000 events a second, beside a snapshot that is held", &QUANTILES, &rows);
    let (first, last) = (after_a_minute.await??, subject.gatepost.usage()?.resident_kib()?.0);
    let mebibytes = |kib: u64| format!("{} MiB", kib / 1024);
    print("Resident memory", &["after a minute", "at the end"], &[vec![mebibytes(first), mebibytes(last)]]);
    holding.abort();
    Ok(())
}

async fn resident(usage: crate::process::Usage) -> anyhow::Result<u64> {
    sleep(Duration::from_mins(1)).await;
    Ok(usage.resident_kib()?.0)
}
