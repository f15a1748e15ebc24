//! What it costs to divide the users among several shards of one server.

use anyhow::Context;
use serde_json::Value;
use throwaway_postgres::{Cluster, ClusterSettings};
use tokio::task::LocalSet;
use tokio::time::Instant;

use super::receiver::Receivers;
use super::subject::{Subject, events_of, publish};
use crate::connection::{Connection, request};
use crate::load::send_all;
use crate::store::Postgres;
use crate::table::{median, print};

const SHARDS: [u16; 3] = [1, 3, 16];
const ROUNDS: usize = 3;
const CLIENTS: usize = 16;
const USERS: usize = 160;
/// The default maximum.
const KEYS_OF_A_USER: usize = 10;
const EVENTS: usize = 20_000;
/// Events that open the connections of the queue, and are not measured.
const WARM_UP_EVENTS: usize = 2_000;
const BATCH: usize = 100;
/// Calls that open the connections, and are not measured.
const WARM_UP: usize = 320;
/// How often each key is verified once it is in memory.
const REPEATS: usize = 20;

/// Calls or deliveries a second, and microseconds of the database's processor time for each.
#[derive(Clone, Copy, Default)]
struct Cost {
    rate: f64,
    database: f64,
}

/// Keys created, keys verified for the first time and again, webhooks delivered.
type Costs = [Cost; 4];

const WHAT: [&str; 4] =
    ["keys created", "first verification of a key", "verification of a key in memory", "webhooks delivered"];

pub(crate) async fn measure() -> anyhow::Result<()> {
    let store = Postgres(Cluster::start(ClusterSettings { durable: true, connections_max: 400 }).await?);
    let mut rounds: [Vec<Costs>; SHARDS.len()] = Default::default();
    for round in 0..ROUNDS {
        // The first contestant changes, so that none always runs on the warmer machine.
        for contestant in [0, 1, 2].map(|step| (step + round) % SHARDS.len()) {
            rounds[contestant].push(LocalSet::new().run_until(one_round(&store, SHARDS[contestant])).await?);
        }
    }
    let row = |contestant: usize, what: usize| {
        let of = |number: usize, figure: fn(&Cost) -> f64| {
            median(&rounds[number].iter().map(|costs| figure(&costs[what])).collect::<Vec<_>>())
        };
        let (rate, one) = (of(contestant, |cost| cost.rate), of(0, |cost| cost.rate));
        vec![
            WHAT[what].to_owned(),
            SHARDS[contestant].to_string(),
            format!("{rate:.0}"),
            format!("**{:.2}**", one / rate),
            format!("{:.0}", of(contestant, |cost| cost.database)),
        ]
    };
    let rows: Vec<_> =
        (0..WHAT.len()).flat_map(|what| (0..SHARDS.len()).map(move |contestant| (contestant, what))).collect();
    let rows: Vec<_> = rows.into_iter().map(|(contestant, what)| row(contestant, what)).collect();
    print(
        &format!("Shards of one Postgres server, medians of {ROUNDS} alternated rounds"),
        &["what", "shards", "a second", "cost of one shard = 1", "CPU of the database us"],
        &rows,
    );
    Ok(())
}

async fn one_round(store: &Postgres, shards: u16) -> anyhow::Result<Costs> {
    let shards = shards.to_string();
    let settings = [("DATABASE_SHARDS", shards.as_str()), ("DATABASE_POOL_SIZE", "4"), ("LOG", "warn")];
    let mut subject = Subject::start(store, &settings).await?;
    let tokens = subject.gatepost.tokens(USERS)?;
    timed(&subject, dealt(WARM_UP, |n| request("GET", &tokens[n % USERS], "")), false).await?;
    let create = dealt(USERS * KEYS_OF_A_USER, |n| request("POST", &tokens[n % USERS], "{\"label\":\"bench\"}"));
    let (created, answers) = timed(&subject, create, true).await?;
    let keys = answers.iter().flatten().map(|body| {
        let answer: Value = serde_json::from_slice(body)?;
        Ok(answer["key"].as_str().context("no key in the answer")?.to_owned())
    });
    let keys: Vec<String> = keys.collect::<anyhow::Result<_>>()?;
    // Nothing is in memory then.
    subject.gatepost.stop()?;
    subject.gatepost.start().await?;
    let (warm_up, keys) = keys.split_at(WARM_UP);
    timed(&subject, dealt(WARM_UP, |n| verification(&warm_up[n])), false).await?;
    let verify = |times: usize| dealt(keys.len() * times, |n| verification(&keys[n % keys.len()]));
    let (first, _) = timed(&subject, verify(1), false).await?;
    let (again, _) = timed(&subject, verify(REPEATS), false).await?;
    Ok([created, first, again, deliver(&subject).await?])
}

fn verification(key: &str) -> Vec<u8> {
    format!("GET /forward-auth HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\r\n").into_bytes()
}

/// So many requests, dealt to the clients.
fn dealt(count: usize, make: impl Fn(usize) -> Vec<u8>) -> Vec<Vec<Vec<u8>>> {
    (0..CLIENTS).map(|client| (client..count).step_by(CLIENTS).map(&make).collect()).collect()
}

async fn timed(
    subject: &Subject,
    requests: Vec<Vec<Vec<u8>>>,
    keep: bool,
) -> anyhow::Result<(Cost, Vec<Vec<Vec<u8>>>)> {
    let calls = requests.iter().map(Vec::len).sum();
    let before = subject.data.processor_time()?;
    let (rate, answers) = send_all(subject.address(), requests, keep).await?;
    let used = subject.data.processor_time()?.saturating_sub(before);
    Ok((Cost { rate, database: used.as_secs_f64() * 1e6 / count(calls) }, answers))
}

/// Events of all users in each batch, to one receiver of each user.
async fn deliver(subject: &Subject) -> anyhow::Result<Cost> {
    let receivers = Receivers::default();
    let address = receivers.listen().await?;
    let users: Vec<String> = (0..USERS).map(|user| format!("user-{user}")).collect();
    for user in &users {
        subject.subscribe(user, &[address]).await?;
    }
    let mut connection = Connection::open(subject.address()).await?;
    let mut publish_up_to = async |from: usize, to: usize| {
        for first in (from..to).step_by(BATCH) {
            publish(&mut connection, &events_of(&users, first..first + BATCH)).await?;
        }
        receivers.wait_for(to.try_into()?).await
    };
    publish_up_to(0, WARM_UP_EVENTS).await?;
    let (before, began) = (subject.data.processor_time()?, Instant::now());
    let ended = publish_up_to(WARM_UP_EVENTS, WARM_UP_EVENTS + EVENTS).await?;
    let used = subject.data.processor_time()?.saturating_sub(before);
    let rate = count(EVENTS) / (ended - began).as_secs_f64();
    Ok(Cost { rate, database: used.as_secs_f64() * 1e6 / count(EVENTS) })
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn count(number: usize) -> f64 {
    number as f64
}
