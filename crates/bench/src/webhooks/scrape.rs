//! The cost of a request for the metrics with a million keys in memory and a million deliveries waiting.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::ensure;
use tokio::time::{Instant, sleep};

use super::backlog::stuck;
use crate::connection::Connection;
use crate::hammer::hammer_once;
use crate::store::Postgres;
use crate::subject::{CACHE_SIZE, forward_auth};
use crate::table::{median, milliseconds, print, quantile};

const KEYS: u64 = 1_000_000;
const DELIVERIES: usize = 1_000_000;
const SCRAPES: usize = 500;
const REQUEST: &[u8] = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";
/// More than the time between two readings of the store.
const READING: Duration = Duration::from_secs(15);

/// On Postgres. The server is stopped for half of the requests: a request that reads it would fail.
pub(crate) async fn measure() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let listen = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let settings = [("KEY_CACHE_SIZE", CACHE_SIZE), ("METRICS_LISTEN", &*listen.to_string()), ("DISPATCH", "false")];
    let mut subject = stuck(&server, DELIVERIES, &settings).await?;
    subject.gatepost.stop()?;
    subject.data.store_keys(KEYS)?;
    subject.gatepost.set("DISPATCH", "true");
    subject.gatepost.start().await?;
    hammer_once(subject.address(), &forward_auth(KEYS)).await?;
    sleep(READING).await;
    let mut connection = Connection::open(listen).await?;
    let mut rows = Vec::new();
    for what in ["runs", "is stopped"] {
        if what == "is stopped" {
            server.0.stop().await?;
        }
        let waits = scrape(&mut connection).await?;
        let column = |value: f64| format!("{value:.2} ms");
        let (p99, worst) = (column(quantile(&waits, 0.99)), column(quantile(&waits, 1.0)));
        rows.push(vec![what.to_owned(), column(median(&waits)), format!("**{p99}**"), worst]);
    }
    let shown = connection.succeed(REQUEST).await?;
    let text = String::from_utf8_lossy(shown).into_owned();
    let figures = ["gatepost_key_cache_entries{kind=\"good\"}", "gatepost_deliveries_waiting "];
    let figures = figures.map(|figure| text.lines().find(|line| line.starts_with(figure)).unwrap_or(figure).to_owned());
    print("What the page shows", &["keys", "deliveries"], &[figures.into()]);
    let title = format!(
        "A scrape with {KEYS} keys in memory and {DELIVERIES} deliveries waiting, {} bytes (bar: 20 ms)",
        text.len()
    );
    print(&title, &["Postgres", "median", "99 %", "worst"], &rows);
    Ok(())
}

/// Milliseconds of each request.
async fn scrape(connection: &mut Connection) -> anyhow::Result<Vec<f64>> {
    let mut waits = Vec::new();
    for _ in 0..SCRAPES {
        let start = Instant::now();
        let page = connection.succeed(REQUEST).await?;
        waits.push(milliseconds(start.elapsed()));
        ensure!(page.starts_with(b"# HELP"), "the answer has no metrics");
    }
    Ok(waits)
}
