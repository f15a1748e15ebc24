//! From publishing to receipt, at a steady pace.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::receiver::Receivers;
use super::subject::{Subject, publication, publish, relayed};
use crate::connection::Connection;
use crate::floor::Floor;
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
    let receivers = Receivers::timing(per_second * SECONDS);
    let address = receivers.listen().await?;
    let subject = Subject::start(store, &[]).await?;
    subject.subscribe(USER, &[address]).await?;
    let publishing = Publishing::new(subject.address(), |number| publication(USER, number));
    paced(store.name(), per_second, &receivers, publishing, || subject.processor_times()).await
}

/// The same of a bare relay.
pub(crate) async fn measure_bare(per_second: usize) -> anyhow::Result<Vec<String>> {
    let receivers = Receivers::timing(per_second * SECONDS);
    let address = receivers.listen().await?;
    let floor = Floor::start().await?;
    let publishing = Publishing::new(floor.address, move |number| relayed(address, USER, number));
    let spent = || Ok([floor.usage().processor_time()?, Duration::ZERO]);
    paced("bare relay", per_second, &receivers, publishing, spent).await
}

async fn paced(
    name: &str,
    per_second: usize,
    receivers: &Receivers,
    publishing: Publishing,
    spent: impl Fn() -> anyhow::Result<[Duration; 2]>,
) -> anyhow::Result<Vec<String>> {
    let events = per_second * SECONDS;
    let before = spent()?;
    let published = publishing.at_pace(events, per_second).await?;
    receivers.wait_for(events as u64).await?;
    let after = spent()?;
    let latencies = latencies(&published, receivers)?;
    let mut cells = row(name, &latencies[events / WARM_UP..]);
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
    Publishing::new(subject.address(), move |number| publication(user, number)).at_pace(events, per_second).await
}

/// Where events are published, and the request for each.
#[derive(Clone)]
struct Publishing {
    to: SocketAddr,
    request: Rc<dyn Fn(usize) -> Vec<u8>>,
}

impl Publishing {
    fn new(to: SocketAddr, request: impl Fn(usize) -> Vec<u8> + 'static) -> Self {
        Self { to, request: Rc::new(request) }
    }

    async fn at_pace(self, events: usize, per_second: usize) -> anyhow::Result<Vec<Instant>> {
        let (began, interval) = (Instant::now(), Duration::from_secs(1) / u32::try_from(per_second)?);
        let mut callers = Vec::new();
        for caller in 0..CALLERS {
            let Self { to, request } = self.clone();
            let mut connection = Connection::open(to).await?;
            callers.push(tokio::task::spawn_local(async move {
                let mut sent = Vec::new();
                for number in (caller..events).step_by(CALLERS) {
                    let request = request(number);
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
}

/// Milliseconds from publishing to receipt, in the order of publishing.
pub(crate) fn latencies(published: &[Instant], receivers: &Receivers) -> anyhow::Result<Vec<f64>> {
    let received = receivers.times();
    let pairs = published.iter().zip(received);
    pairs
        .map(|(sent, received)| Ok(milliseconds(received.ok_or_else(|| anyhow::anyhow!("one is missing"))? - *sent)))
        .collect()
}
