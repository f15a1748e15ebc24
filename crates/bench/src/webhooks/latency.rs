//! From publishing to receipt, at a steady pace.

use std::time::Duration;

use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until};

use super::receiver::Receivers;
use super::subject::{Subject, publication, publish};
use crate::connection::Connection;
use crate::store::Store;
use crate::table::{milliseconds, quantile};

const USER: &str = "user-0";
/// How long each pace is kept.
const SECONDS: usize = 20;
/// The share of the events, at the start, that does not count, because connections are opened.
const WARM_UP: usize = 10;
const CALLERS: usize = 8;

/// Publishes at a fixed pace. Returns quantiles of the time until each event is received, and microseconds of processor
/// time for each event, of the service and of its database.
pub(crate) async fn measure(store: &dyn Store, per_second: usize) -> anyhow::Result<Vec<String>> {
    LocalSet::new().run_until(paced(store, per_second)).await
}

async fn paced(store: &dyn Store, per_second: usize) -> anyhow::Result<Vec<String>> {
    let events = per_second * SECONDS;
    let receivers = Receivers::timing(events);
    let address = receivers.listen().await?;
    let subject = Subject::start(store, &[("LOG", "warn")]).await?;
    subject.subscribe(USER, &[address]).await?;
    let before = subject.processor_times()?;
    let published = publish_at_pace(&subject, USER, events, per_second).await?;
    receivers.wait_for(events as u64).await?;
    let after = subject.processor_times()?;
    let latencies = latencies(&published, &receivers)?;
    let mut cells = row(store.name(), &latencies[events / WARM_UP..]);
    cells.insert(1, per_second.to_string());
    let spent = before.iter().zip(after).map(|(before, after)| after.saturating_sub(*before));
    let count = f64::from(u32::try_from(events)?);
    cells.extend(spent.map(|spent| format!("{:.0}", spent.as_secs_f64() * 1e6 / count)));
    Ok(cells)
}

/// A name, and the quantiles of these milliseconds.
pub(crate) fn row(name: &str, latencies: &[f64]) -> Vec<String> {
    let at = |share| format!("{:.2}", quantile(latencies, share));
    vec![name.into(), at(0.5), at(0.9), at(0.99), at(0.999), at(1.0)]
}

/// Publishes event after event, each at its time, and returns when each was sent.
pub(crate) async fn publish_at_pace(
    subject: &Subject,
    user: &'static str,
    events: usize,
    per_second: usize,
) -> anyhow::Result<Vec<Instant>> {
    let began = Instant::now();
    let interval = Duration::from_secs(1) / u32::try_from(per_second)?;
    let mut callers = Vec::new();
    for caller in 0..CALLERS {
        let mut connection = Connection::open(subject.address()).await?;
        callers.push(tokio::task::spawn_local(async move {
            let mut sent = Vec::new();
            for number in (caller..events).step_by(CALLERS) {
                let request = publication(user, number);
                sleep_until(began + interval * u32::try_from(number)?).await;
                sent.push((number, Instant::now()));
                publish(&mut connection, &request).await?;
            }
            anyhow::Ok(sent)
        }));
    }
    let mut sent = Vec::new();
    for caller in callers {
        sent.extend(caller.await??);
    }
    sent.sort_unstable_by_key(|(number, _)| *number);
    Ok(sent.into_iter().map(|(_, at)| at).collect())
}

/// Milliseconds from publishing to receipt, in the order of publishing.
pub(crate) fn latencies(published: &[Instant], receivers: &Receivers) -> anyhow::Result<Vec<f64>> {
    let received = receivers.times();
    let pairs = published.iter().zip(received);
    pairs
        .map(|(sent, received)| Ok(milliseconds(received.ok_or_else(|| anyhow::anyhow!("one is missing"))? - *sent)))
        .collect()
}
