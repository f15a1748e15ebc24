//! Keys that are not in the cache, among a million stored keys: how long the caller waits, how many look-ups the
//! database gets, and how large it is.

use std::time::Duration;

use anyhow::Context;
use throwaway_postgres::{Cluster, ClusterSettings};
use tokio::time::{Instant, sleep};

use crate::connection::Connection;
use crate::hammer::{CALLERS, hammer_once};
use crate::subject::{Store, Subject};
use crate::table::{median, milliseconds, print, quantile};

const KEYS: u64 = 1_000_000;
/// How many of the keys are used, one after the other.
const CALLS: u64 = 20_000;
/// An idle session of Postgres reports its statistics after ten seconds.
const STATISTICS_LAG: Duration = Duration::from_secs(11);

pub(crate) async fn measure() -> anyhow::Result<()> {
    let cluster = Cluster::start(ClusterSettings { durable: true, connections_max: 100 }).await?;
    let (mut waits, mut sizes) = (Vec::new(), Vec::new());
    for store in [Store::Sqlite, Store::Postgres(&cluster)] {
        let mut subject = Subject::new(store, KEYS).await?;
        sizes.push(size(store, &subject).await?);
        subject.gatepost.start().await?;
        waits.push(row(store.name(), &wait_often(&subject).await?));
        if let Store::Postgres(cluster) = store {
            count_statements(cluster, &subject).await?;
        }
    }
    print(
        &format!("Keys never seen, {KEYS} stored, one caller, {CALLS} calls (bar: 99 % within 10 ms)"),
        &["database", "median", "99 %", "99.9 %", "worst"],
        &waits,
    );
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

/// How often Postgres looked a digest up, for calls with new keys and with the same keys again.
async fn count_statements(cluster: &Cluster, subject: &Subject) -> anyhow::Result<()> {
    let name = &subject.database.as_ref().context("the database is not on a server")?.name;
    let lookups = async || {
        sleep(STATISTICS_LAG).await;
        let count = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'api_keys_digest_unique'";
        anyhow::Ok(cluster.execute(name, count).await?.parse::<u64>()?)
    };
    // The first 20,000 numbers: some of them were among the calls above, and are cached.
    let requests = subject.forward_auth().of_keys(0, CALLS);
    let mut rows = Vec::new();
    for what in ["keys, few of them seen before", "the same keys again"] {
        let before = lookups().await?;
        let outcome = hammer_once(subject.gatepost.address(), &requests).await?;
        rows.push(vec![what.to_owned(), outcome.calls.to_string(), (lookups().await? - before).to_string()]);
    }
    print(
        &format!("Statements that look a key up on Postgres, {CALLERS} callers (bar: one for a miss, none for a hit)"),
        &["calls with", "calls", "statements"],
        &rows,
    );
    Ok(())
}

/// The size of the keys on disk.
async fn size(store: Store<'_>, subject: &Subject) -> anyhow::Result<Vec<String>> {
    let (total, rows) = match store {
        Store::Sqlite => {
            let file = subject.gatepost.folder().join("gatepost-data/gatepost.db");
            (std::fs::metadata(file)?.len(), None)
        }
        Store::Postgres(cluster) => {
            let name = &subject.database.as_ref().context("the database is not on a server")?.name;
            let size = async |function: &str| {
                let size = cluster.execute(name, &format!("SELECT {function}('api_keys')")).await?;
                anyhow::Ok(size.parse::<u64>()?)
            };
            (size("pg_total_relation_size").await?, Some(size("pg_relation_size").await?))
        }
    };
    Ok(vec![
        store.name().to_owned(),
        format!("**{} bytes**", total / KEYS),
        rows.map_or_else(|| "–".to_owned(), |rows| format!("{} bytes", rows / KEYS)),
        format!("{} GB", total / KEYS),
    ])
}
