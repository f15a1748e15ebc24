//! Keys that are not in the cache, among a million stored keys: the wait of the caller, the look-ups of the database,
//! and the size of the keys.

use tokio::time::Instant;

use crate::connection::Connection;
use crate::hammer::{CALLERS, hammer_once};
use crate::store::stores;
use crate::subject::Subject;
use crate::table::{median, milliseconds, print, quantile};

const KEYS: u64 = 1_000_000;
/// How many of the keys are used, one after the other.
const CALLS: u64 = 20_000;

pub(crate) async fn measure() -> anyhow::Result<()> {
    let (mut waits, mut sizes) = (Vec::new(), Vec::new());
    for store in &stores().await? {
        let mut subject = Subject::new(&**store, KEYS).await?;
        sizes.push(size(store.name(), &subject).await?);
        subject.gatepost.start().await?;
        waits.push(row(store.name(), &wait_often(&subject).await?));
        count_statements(store.name(), &subject).await?;
    }
    let title = format!("Keys never seen, {KEYS} stored, one caller, {CALLS} calls (bar: 99 % within 10 ms)");
    print(&title, &["database", "median", "99 %", "99.9 %", "worst"], &waits);
    print("The table of keys", &["database", "a key's row and indexes", "of it the row", "10^9 keys"], &sizes);
    Ok(())
}

fn row(name: &str, waits: &[f64]) -> Vec<String> {
    let column = |value: f64| format!("{value:.2} ms");
    let (p99, worst) = (quantile(waits, 0.99), quantile(waits, 1.0));
    let p99 = format!("**{}**", column(p99));
    vec![name.to_owned(), column(median(waits)), p99, column(quantile(waits, 0.999)), column(worst)]
}

/// Milliseconds of each call, each with another key.
async fn wait_often(subject: &Subject) -> anyhow::Result<Vec<f64>> {
    let requests = subject.forward_auth();
    let mut connection = Connection::open(subject.gatepost.address()).await?;
    let (mut waits, mut number) = (Vec::new(), 0);
    for _ in 0..CALLS {
        number = requests.after(number);
        let request = requests.of_key(number);
        let start = Instant::now();
        connection.succeed(&request).await?;
        waits.push(milliseconds(start.elapsed()));
    }
    Ok(waits)
}

/// How often the database looked a digest up: for calls with new keys, and for repeated calls with the same keys.
async fn count_statements(name: &str, subject: &Subject) -> anyhow::Result<()> {
    // The first 20,000 numbers: some of them were among the calls above, and are cached.
    let requests = subject.forward_auth().of_keys(0, CALLS);
    let mut rows = Vec::new();
    for what in ["keys, few of them seen before", "the same keys again"] {
        let Some(before) = subject.data.look_ups().await? else { return Ok(()) };
        let outcome = hammer_once(subject.gatepost.address(), &requests).await?;
        let after = subject.data.look_ups().await?.unwrap_or_default();
        rows.push(vec![what.to_owned(), outcome.calls.to_string(), (after - before).to_string()]);
    }
    let title =
        format!("Statements that look a key up on {name}, {CALLERS} callers (bar: one for a miss, none for a hit)");
    print(&title, &["calls with", "calls", "statements"], &rows);
    Ok(())
}

/// The size of the keys on disk.
async fn size(name: &str, subject: &Subject) -> anyhow::Result<Vec<String>> {
    let (total, rows) = subject.data.size().await?;
    Ok(vec![
        name.to_owned(),
        format!("**{} bytes**", total / KEYS),
        rows.map_or_else(|| "–".to_owned(), |rows| format!("{} bytes", rows / KEYS)),
        format!("{} GB", total / KEYS),
    ])
}
