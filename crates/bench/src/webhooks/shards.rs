//! The cost of dividing the users among several shards of one server.

use std::time::Duration;

use anyhow::Context;
use futures_util::future::try_join_all;
use serde_json::Value;
use throwaway_postgres::{Cluster, ClusterSettings};
use tokio::time::Instant;

use super::receiver::Receivers;
use super::subject::{Subject, events_of, publish};
use super::with_tasks;
use crate::connection::{Connection, request};
use crate::load::{Requests, Sent, send_all};
use crate::store::Postgres;
use crate::table::{median, print};

const SHARDS: [u16; 3] = [1, 3, 16];
const ROUNDS: usize = 3;
const USERS: usize = 160;
/// Events that open the connections of the queue, and are not measured.
const WARM_UP_EVENTS: usize = 2_000;
const BATCH: usize = 100;
/// Calls that open the connections, and are not measured.
const WARM_UP: usize = 320;

/// The amount of work, and the number of clients.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    clients: usize,
    keys_of_a_user: usize,
    /// How often each key is verified once it is in memory.
    repeats: usize,
    publishers: usize,
    events: usize,
    /// Connections for the calls of each shard, for each number of shards.
    pools: [&'static str; SHARDS.len()],
}

/// Few clients: with sixteen shards, each shard has one call at a time.
pub(crate) const FEW: Load =
    Load { clients: 16, keys_of_a_user: 10, repeats: 20, publishers: 1, events: 20_000, pools: ["4", "4", "4"] };
pub(crate) const MANY: Load =
    Load { clients: 256, keys_of_a_user: 40, repeats: 10, publishers: 16, events: 60_000, pools: ["16", "8", "4"] };
pub(crate) const VERY_MANY: Load =
    Load { clients: 1_024, keys_of_a_user: 80, repeats: 5, publishers: 64, events: 120_000, ..MANY };

/// Calls or deliveries a second, and the cost of each to the database.
#[derive(Clone, Copy, Default)]
struct Cost {
    rate: f64,
    /// Microseconds of processor time.
    processor: f64,
    /// Transactions that write.
    transactions: f64,
    /// Bytes of the write-ahead log.
    logged: f64,
}

/// Keys created, keys verified for the first time and again, webhooks delivered.
type Costs = [Cost; 4];

const WHAT: [&str; 4] =
    ["keys created", "first verification of a key", "verification of a key in memory", "webhooks delivered"];

/// The cost of each number of shards under this load.
pub(crate) async fn measure(load: Load) -> anyhow::Result<()> {
    let store = Postgres(Cluster::start(ClusterSettings { durable: true, connections_max: 400 }).await?);
    let mut rounds: [Vec<Costs>; SHARDS.len()] = Default::default();
    for round in 0..ROUNDS {
        // The first contestant changes, so that none always runs on the warmer machine.
        for contestant in [0, 1, 2].map(|step| (step + round) % SHARDS.len()) {
            rounds[contestant].push(with_tasks(one_round(&store, &load, contestant)).await?);
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
            format!("{:.0}", of(contestant, |cost| cost.processor)),
            format!("{:.3}", of(contestant, |cost| cost.transactions)),
            format!("{:.0}", of(contestant, |cost| cost.logged)),
        ]
    };
    let rows: Vec<_> =
        (0..WHAT.len()).flat_map(|what| (0..SHARDS.len()).map(move |contestant| (contestant, what))).collect();
    let rows: Vec<_> = rows.into_iter().map(|(contestant, what)| row(contestant, what)).collect();
    let Load { clients, publishers, .. } = load;
    print(
        &format!(
            "Shards of one Postgres server, {clients} clients, {publishers} publishers, medians of {ROUNDS} alternated rounds"
        ),
        &["what", "shards", "a second", "cost of one shard = 1", "CPU of the database us", "transactions", "WAL bytes"],
        &rows,
    );
    Ok(())
}

async fn one_round(store: &Postgres, load: &Load, contestant: usize) -> anyhow::Result<Costs> {
    let shards = SHARDS[contestant].to_string();
    let keys_max = load.keys_of_a_user.to_string();
    let settings = [
        ("DATABASE_SHARDS", shards.as_str()),
        ("DATABASE_POOL_SIZE", load.pools[contestant]),
        ("API_KEYS_MAX_ACTIVE", &keys_max),
    ];
    let mut subject = Subject::start(store, &settings).await?;
    let tokens = subject.gatepost.tokens(USERS)?;
    timed(&subject, load.dealt(WARM_UP, |n| request("GET", &tokens[n % USERS], "")), false).await?;
    let create =
        load.dealt(USERS * load.keys_of_a_user, |n| request("POST", &tokens[n % USERS], "{\"label\":\"bench\"}"));
    let (created, answers) = timed(&subject, create, true).await?;
    let keys = answers.iter().flatten().map(|body| {
        let answer: Value = serde_json::from_slice(body)?;
        Ok(answer["key"].as_str().context("no key in the answer")?.to_owned())
    });
    let keys: Vec<String> = keys.collect::<anyhow::Result<_>>()?;
    // A restart empties the cache.
    subject.gatepost.stop()?;
    subject.gatepost.start().await?;
    let (warm_up, keys) = keys.split_at(WARM_UP);
    timed(&subject, load.dealt(WARM_UP, |n| verification(&warm_up[n])), false).await?;
    let verify = |times: usize| load.dealt(keys.len() * times, |n| verification(&keys[n % keys.len()]));
    let (first, _) = timed(&subject, verify(1), false).await?;
    let (again, _) = timed(&subject, verify(load.repeats), false).await?;
    Ok([created, first, again, deliver(&subject, load).await?])
}

fn verification(key: &str) -> Vec<u8> {
    format!("GET /forward-auth HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\r\n").into_bytes()
}

impl Load {
    /// `count` requests, dealt to the clients.
    fn dealt(&self, count: usize, make: impl Fn(usize) -> Vec<u8>) -> Requests {
        let clients = self.clients;
        (0..clients).map(|client| (client..count).step_by(clients).map(&make).collect()).collect()
    }
}

async fn timed(subject: &Subject, requests: Requests, keep: bool) -> anyhow::Result<(Cost, Requests)> {
    let calls = requests.iter().map(Vec::len).sum();
    let before = Before::of(subject).await?;
    let Sent { rate, answers, .. } = send_all(subject.address(), requests, keep).await?;
    Ok((before.cost(subject, rate, calls).await?, answers))
}

/// The earlier usage of the database.
struct Before {
    processor: Duration,
    written: [u64; 2],
}

impl Before {
    async fn of(subject: &Subject) -> anyhow::Result<Self> {
        Ok(Self { processor: subject.data.processor_time()?, written: subject.data.written().await? })
    }

    async fn cost(self, subject: &Subject, rate: f64, calls: usize) -> anyhow::Result<Cost> {
        let processor = subject.data.processor_time()?.saturating_sub(self.processor).as_secs_f64() * 1e6;
        let [transactions, logged] = subject.data.written().await?;
        let each = |after: u64, before: u64| anyhow::Ok(count(usize::try_from(after - before)?) / count(calls));
        Ok(Cost {
            rate,
            processor: processor / count(calls),
            transactions: each(transactions, self.written[0])?,
            logged: each(logged, self.written[1])?,
        })
    }
}

/// Events of all users in each batch, to one receiver of each user.
async fn deliver(subject: &Subject, load: &Load) -> anyhow::Result<Cost> {
    let receivers = Receivers::default();
    let address = receivers.listen().await?;
    let users: Vec<String> = (0..USERS).map(|user| format!("user-{user}")).collect();
    for user in &users {
        subject.subscribe(user, &[address]).await?;
    }
    let publish_up_to = async |from: usize, to: usize| {
        let publisher = async |number: usize| {
            let mut connection = Connection::open(subject.address()).await?;
            for first in (from + number * BATCH..to).step_by(load.publishers * BATCH) {
                publish(&mut connection, &events_of(&users, first..first + BATCH)).await?;
            }
            anyhow::Ok(())
        };
        try_join_all((0..load.publishers).map(publisher)).await?;
        receivers.wait_for(to.try_into()?).await
    };
    publish_up_to(0, WARM_UP_EVENTS).await?;
    let (before, began) = (Before::of(subject).await?, Instant::now());
    let ended = publish_up_to(WARM_UP_EVENTS, WARM_UP_EVENTS + load.events).await?;
    before.cost(subject, count(load.events) / (ended - began).as_secs_f64(), load.events).await
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn count(number: usize) -> f64 {
    number as f64
}
