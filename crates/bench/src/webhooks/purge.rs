//! The end of the retention: how long the deletion of ten million deliveries takes, and its effect on publishing.

use std::time::Duration;

use anyhow::{Context, ensure};
use throwaway_postgres::Cluster;
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep};

use super::QUANTILES;
use super::latency::{latencies, publish_at_pace, row};
use super::receiver::Receivers;
use super::subject::Subject;
use crate::gatepost::Gatepost;
use crate::store::Postgres;
use crate::table::print;

const EVENTS: usize = 6_000;
const EVENTS_PER_SECOND: usize = 200;
/// Events at the start that do not count, because connections are opened.
const WARM_UP: usize = 400;
const PATIENCE: Duration = Duration::from_mins(2);

/// A million deliveries on each of ten days, from 50 days ago on, each with its event and one attempt.
const FILL: &str = "DO $$
    DECLARE
        today BIGINT := extract(epoch FROM now())::bigint / 86400;
        day BIGINT;
        first TEXT;
        part TEXT;
    BEGIN
        FOR number IN 41 .. 50 LOOP
            day := today - number;
            first := lpad(to_hex(day * 86400000), 12, '0');
            FOREACH part IN ARRAY ARRAY['webhook_events', 'webhook_deliveries', 'webhook_attempts'] LOOP
                EXECUTE format('CREATE TABLE %s_%s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)', part,
                    to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYY_MM_DD'), part, '\\x' || first,
                    '\\x' || lpad(to_hex((day + 1) * 86400000), 12, '0'));
            END LOOP;
            INSERT INTO webhook_periods VALUES (day, day + 1);
            CREATE TEMPORARY TABLE made AS SELECT decode(lpad(to_hex(day * 86400000 + i * 80), 12, '0')
                || substr(md5(i::text), 1, 20), 'hex') AS id FROM generate_series(1, 1000000) AS i;
            INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, created_at, deliveries, payload)
            SELECT id, 'https://id.example', 'old', 'invoice.paid',
                now(), 1, convert_to(repeat('payload ', 25), 'UTF8') FROM made;
            INSERT INTO webhook_deliveries SELECT decode(repeat('ab', 16), 'hex'), id, id, 'invoice.paid', 'delivered',
                now(), 1 FROM made;
            INSERT INTO webhook_attempts SELECT decode(repeat('ab', 16), 'hex'), id, 1, id, now(), now(), NULL, 200, NULL, ''
                FROM made;
            DROP TABLE made;
        END LOOP;
    END $$;
    CHECKPOINT";
const LEFT: &str =
    "SELECT count(*) FROM webhook_periods WHERE end_day < extract(epoch FROM now())::bigint / 86400 - 31";

/// Needs about 8 GB of disk.
pub(crate) async fn measure() -> anyhow::Result<()> {
    let server = Postgres::start().await?;
    let subject = Subject::start(&server, &[]).await?;
    let url = subject.gatepost.setting("DATABASE_URL").context("the store is Postgres")?.to_owned();
    let name = url.rsplit('/').next().context("the URL ends with the name")?.to_owned();
    let quiet = published(&subject, "user-0", "before").await?;
    server.0.execute(&name, FILL).await?;
    let full = published(&subject, "user-1", "with ten million old deliveries").await?;
    let purging = spawn_local(purge(server.0.clone(), url, name));
    let beside = published(&subject, "user-2", "while they are deleted, and after").await?;
    let (_second, took) = purging.await??;
    print("From publishing to receipt at 200 events a second, on Postgres", &QUANTILES, &[quiet, full, beside]);
    print("Ten million old deliveries", &["gone after"], &[vec![format!("{:.2} s", took.as_secs_f64())]]);
    Ok(())
}

async fn published(subject: &Subject, user: &'static str, name: &str) -> anyhow::Result<Vec<String>> {
    let receivers = Receivers::timing(EVENTS);
    let address = receivers.listen().await?;
    subject.subscribe(user, &[address]).await?;
    let published = publish_at_pace(subject, user, EVENTS, EVENTS_PER_SECOND).await?;
    receivers.wait_for(EVENTS as u64).await?;
    Ok(row(name, &latencies(&published, &receivers)?[WARM_UP..]))
}

/// Starts a second instance, which purges at its start, after the warm-up. Returns the instance, and the time from its
/// first read to the end.
async fn purge(cluster: Cluster, url: String, name: String) -> anyhow::Result<(Gatepost, Duration)> {
    sleep(Duration::from_secs(5)).await;
    let mut second = Gatepost::new()?;
    second.set("DATABASE_URL", &url);
    second.set("DISPATCH", "false");
    let began = Instant::now();
    second.start().await?;
    while cluster.execute(&name, LEFT).await? != "0" {
        ensure!(began.elapsed() < PATIENCE, "the old deliveries are still there");
        sleep(Duration::from_millis(20)).await;
    }
    Ok((second, began.elapsed()))
}
