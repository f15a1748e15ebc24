//! The accepted events and the deliveries of a second.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::receiver::Receivers;
use super::subject::{Subject, batch, publication, publish};
use crate::connection::{Connection, request_to};
use crate::floor::Floor;
use crate::hammer::{Requests, hammer_for};
use crate::store::Store;
use crate::subject::OPERATOR_TOKEN;
use crate::table::median;

const USER: &str = "user-0";
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(2);
/// Rounds with each option.
const COMPARED_ROUNDS: usize = 7;
/// Deliveries in one round.
const DELIVERIES: u32 = 60_000;
/// Events in one call with a batch, and callers that send them.
const BATCH: usize = 100;
const CALLERS: usize = 8;
const DISK_TIME: Duration = Duration::from_secs(1);
/// The size of a small transaction.
const COMMIT: [u8; 4096] = [7; 4096];

/// Publishing one event in each call, from 64 callers, against the bare framework, without deliveries.
pub(crate) async fn ingest(store: &dyn Store) -> anyhow::Result<Vec<String>> {
    let subject = Subject::start(store, &[("DISPATCH", "false")]).await?;
    subject.subscribe(USER, &["127.0.0.1:9999".parse()?]).await?;
    let floor = Floor::start().await?;
    let event = String::from_utf8(publication(USER, 1))?;
    let (mut published, mut bare) = (Vec::new(), Vec::new());
    let commits = commits_per_second(subject.gatepost.folder())?;
    for _ in 0..ROUNDS {
        published.push(hammer_for(subject.address(), &Requests::new(&event, 1).accepted(), ROUND).await?.rate());
        bare.push(hammer_for(floor.address, &floor_request(), ROUND).await?.rate());
    }
    let (published, bare) = (median(&published), median(&bare));
    Ok(vec![
        store.name().into(),
        format!("{published:.0}"),
        format!("{bare:.0}"),
        format!("{:.2}", published / bare),
        format!("{commits:.0}"),
        format!("{:.1}", published / commits),
    ])
}

/// As long as a publication and its answer.
fn floor_request() -> Requests {
    let body = r#"{"token":"as long as an event with its user, its type and its data"}"#;
    Requests::new(&String::from_utf8_lossy(&request_to("/230", "POST", OPERATOR_TOKEN, body)), 1)
}

/// The deliveries of a second to one receiver, with the signatures and the order that a subscription can have, in turn.
pub(crate) async fn options(store: &dyn Store) -> anyhow::Result<Vec<Vec<String>>> {
    let kinds = [
        ("hmac", json!({})),
        ("ed25519", json!({ "signing": "ed25519" })),
        ("both", json!({ "signing": "both" })),
        ("in-order", json!({ "ordering": "subscription" })),
    ];
    let receivers = Receivers::default();
    let subject = Subject::start(store, &[]).await?;
    for (user, options) in &kinds {
        subject.subscribe_with(user, &[receivers.listen().await?], options).await?;
    }
    let mut rates = [const { Vec::new() }; 4];
    for _ in 0..=COMPARED_ROUNDS {
        for ((user, _), rates) in kinds.iter().zip(&mut rates) {
            // One at a time: a tenth of the deliveries takes as long.
            let events = DELIVERIES / if *user == "in-order" { 20 } else { 2 };
            let (wanted, began) = (receivers.count() + u64::from(events), Instant::now());
            publish_all(&subject, user, events as usize).await?;
            let ended = receivers.wait_for(wanted).await?;
            rates.push(f64::from(events) / (ended - began).as_secs_f64());
        }
    }
    let [hmac, ..] = &rates;
    let row = |((kind, _), own): (&(&str, _), &Vec<f64>)| {
        let ratios: Vec<f64> = own[1..].iter().zip(&hmac[1..]).map(|(own, hmac)| own / hmac).collect();
        let (rate, ratio) = (median(&own[1..]), median(&ratios));
        vec![store.name().into(), (*kind).to_owned(), format!("{rate:.0}"), format!("{ratio:.2}")]
    };
    Ok(kinds.iter().zip(&rates).map(row).collect())
}

/// The time from the first event published, in batches, to the last delivery received, with this many receivers.
pub(crate) async fn deliveries(store: &dyn Store, count: usize) -> anyhow::Result<Vec<String>> {
    let receivers = Receivers::default();
    let mut addresses = Vec::new();
    for _ in 0..count {
        addresses.push(receivers.listen().await?);
    }
    let subject = Subject::start(store, &[]).await?;
    subject.subscribe(USER, &addresses).await?;
    let commits = commits_per_second(subject.gatepost.folder())?;
    let events = DELIVERIES as usize / count;
    let (mut rates, mut cpu) = (Vec::new(), Vec::new());
    for _ in 0..=ROUNDS {
        let (before, wanted) = (subject.gatepost.usage()?.processor_time()?, receivers.count() + u64::from(DELIVERIES));
        let began = Instant::now();
        publish_all(&subject, USER, events).await?;
        let ended = receivers.wait_for(wanted).await?;
        rates.push(f64::from(DELIVERIES) / (ended - began).as_secs_f64());
        let used = subject.gatepost.usage()?.processor_time()?.saturating_sub(before);
        cpu.push(used.as_secs_f64() * 1e6 / f64::from(DELIVERIES));
    }
    // The first round opens the connections and raises the limits of the lanes.
    let rate = median(&rates[1..]);
    Ok(vec![
        store.name().into(),
        count.to_string(),
        format!("{rate:.0}"),
        format!("{:.0}", median(&cpu[1..])),
        format!("{commits:.0}"),
        format!("{:.1}", rate / commits),
    ])
}

async fn publish_all(subject: &Subject, user: &'static str, events: usize) -> anyhow::Result<()> {
    let next = Rc::new(std::cell::Cell::new(0));
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        let (next, mut connection) = (Rc::clone(&next), Connection::open(subject.address()).await?);
        callers.push(tokio::task::spawn_local(async move {
            loop {
                let first = next.replace(next.get() + BATCH);
                if first >= events {
                    return anyhow::Ok(());
                }
                publish(&mut connection, &batch(user, first..(first + BATCH).min(events))).await?;
            }
        }));
    }
    for caller in callers {
        caller.await??;
    }
    Ok(())
}

/// The speed of the disk, which limits every call that is durable before its answer: appends of 4 KiB, each flushed
/// before the next, in one second.
fn commits_per_second(folder: &Path) -> anyhow::Result<f64> {
    let path = folder.join("commits");
    let mut file = File::create(&path)?;
    let began = Instant::now();
    let mut commits = 0;
    while began.elapsed() < DISK_TIME {
        file.write_all(&COMMIT)?;
        file.sync_data()?;
        commits += 1;
    }
    let rate = f64::from(commits) / began.elapsed().as_secs_f64();
    std::fs::remove_file(path)?;
    Ok(rate)
}
