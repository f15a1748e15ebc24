//! A flood of a million different unknown keys, and its effect on valid keys.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::connection::Connection;
use crate::hammer::{Requests, hammer_for, hammer_once};
use crate::store::stores;
use crate::subject::Subject;
use crate::table::{median, milliseconds, print, quantile};

const GOOD: u64 = 1_000;
const UNKNOWN: u64 = 1_000_000;
/// How long valid keys are measured without the flood.
const BEFORE: Duration = Duration::from_secs(10);
/// The pause between two measured calls.
const PAUSE: Duration = Duration::from_millis(1);

pub(crate) async fn measure() -> anyhow::Result<()> {
    let (mut waits, mut memory) = (Vec::new(), Vec::new());
    for store in &stores().await? {
        let mut subject = Subject::new(&**store, GOOD).await?;
        subject.gatepost.start().await?;
        let (address, usage) = (subject.gatepost.address(), subject.gatepost.usage()?);
        let good = subject.forward_auth();
        hammer_once(address, &good).await?;
        let (before_kib, _) = usage.resident_kib()?;

        let alone = watched(address, &good, async {
            sleep(BEFORE).await;
            Ok(())
        })
        .await?;
        let busy = watched(address, &good, async { hammer_for(address, &good, BEFORE).await.map(drop) }).await?;
        let unknown = good.of_keys(GOOD, UNKNOWN).refused();
        let began = Instant::now();
        let flooded = watched(address, &good, async { hammer_once(address, &unknown).await.map(drop) }).await?;
        let rate = f64::from(u32::try_from(UNKNOWN)?) / began.elapsed().as_secs_f64();
        let (after_kib, peak_kib) = usage.resident_kib()?;

        for (beside, waits_beside) in [("nothing", alone), ("64 callers with good keys", busy), ("the flood", flooded)]
        {
            let column = |value: f64| format!("{value:.2} ms");
            let p99 = format!("**{}**", column(quantile(&waits_beside, 0.99)));
            waits.push(vec![store.name().to_owned(), beside.to_owned(), column(median(&waits_beside)), p99]);
        }
        let mib = |kib: u64| format!("{} MiB", kib / 1024);
        memory.push(vec![
            store.name().to_owned(),
            mib(before_kib),
            mib(after_kib),
            mib(peak_kib),
            format!("{rate:.0}/s"),
        ]);
    }
    let title = format!(
        "{GOOD} good keys, one caller, beside {UNKNOWN} unknown ones from 64 callers (bar: 99 % doubled at most)"
    );
    print(&title, &["database", "beside", "median", "99 %"], &waits);
    print("Resident memory", &["database", "before the flood", "after it", "peak", "unknown keys refused"], &memory);
    Ok(())
}

/// The durations of calls with valid keys in milliseconds, one after the other with pauses, while `beside` runs.
///
/// The calls run on a separate thread, so that the queue of the load is not measured.
async fn watched(
    address: SocketAddr,
    good: &Requests,
    beside: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<Vec<f64>> {
    let (stop, stopped) = oneshot::channel();
    let good = good.clone();
    let watching = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(watch(address, &good, stopped))
    });
    let outcome = beside.await;
    let _ = stop.send(());
    let waits = tokio::task::spawn_blocking(|| watching.join()).await?;
    let waits = waits.map_err(|_| anyhow::anyhow!("the measuring thread panicked"))?.context("while measuring")?;
    outcome.map(|()| waits)
}

async fn watch(address: SocketAddr, good: &Requests, mut stopped: oneshot::Receiver<()>) -> anyhow::Result<Vec<f64>> {
    let mut connection = Connection::open(address).await?;
    let (mut waits, mut number) = (Vec::new(), 0);
    while stopped.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty) {
        number = good.after(number);
        let request = good.of_key(number);
        let start = Instant::now();
        connection.succeed(&request).await?;
        waits.push(milliseconds(start.elapsed()));
        sleep(PAUSE).await;
    }
    Ok(waits)
}
