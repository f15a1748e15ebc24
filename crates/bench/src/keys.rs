//! Create, list and revoke a key, and create a subscription, over HTTP, against pgbench with the same statements.

use std::time::Duration;

use serde_json::Value;
use throwaway_postgres::{Cluster, Database};

use crate::connection::{request, request_to};
use crate::gatepost::Gatepost;
use crate::load::{Requests, Sent, send_all};
use crate::pgbench::{self, Amount, CREATE, LIST, REVOKE, SUBSCRIBE};
use crate::store::{Postgres, server_of};
use crate::table::{median, print, quantile};

const ROUNDS: usize = 5;
/// The number of connections of the default pool.
const CLIENTS: usize = 16;
/// Ten keys for each user, the default maximum.
const USERS: usize = 480;
const WRITES: Amount = Amount { clients: CLIENTS, calls: 300, users: USERS };
const READS: Amount = Amount { clients: CLIENTS, calls: 2_000, users: USERS };

const CALLS: [&str; 4] = ["create", "list of 10", "revoke", "create a subscription"];
const SCRIPTS: [(&str, Amount); 4] = [(CREATE, WRITES), (LIST, READS), (REVOKE, WRITES), (SUBSCRIBE, WRITES)];

/// One kind of call in one round. pgbench shows the rate only.
#[derive(Clone, Copy, Default)]
struct Figures {
    /// Calls per second.
    rate: f64,
    /// The 99th percentile in milliseconds.
    p99: f64,
    /// Processor time for each call, in microseconds: of the service, and of the database.
    micros: [f64; 2],
}

type Round = [Figures; CALLS.len()];

pub(crate) async fn measure() -> anyhow::Result<()> {
    let cluster = Postgres::start().await?.0;
    let mut gatepost = Gatepost::new()?;
    gatepost.set("DATABASE_URL", &cluster.database().await?.url);
    gatepost.start().await?;
    let tokens = gatepost.tokens(USERS)?;
    gatepost.stop()?;

    let mut rounds: [Vec<Round>; 3] = Default::default();
    for round in 0..ROUNDS {
        // The first contestant changes, so that none always runs on the warmer machine.
        for contestant in [0, 1, 2].map(|step| (step + round) % 3) {
            let database = migrated(&cluster, &mut gatepost).await?;
            rounds[contestant].push(match contestant {
                0 => over_http(&cluster, &mut gatepost, &tokens).await?,
                1 => through_pgbench(&cluster, &database, false)?,
                _ => through_pgbench(&cluster, &database, true)?,
            });
        }
    }
    report(&rounds);
    Ok(())
}

/// A fresh database with the schema, which `gatepost` is configured to use.
async fn migrated(cluster: &Cluster, gatepost: &mut Gatepost) -> anyhow::Result<Database> {
    let database = cluster.database().await?;
    gatepost.set("DATABASE_URL", &database.url);
    gatepost.run(&["migrate"])?;
    Ok(database)
}

async fn over_http(cluster: &Cluster, gatepost: &mut Gatepost, tokens: &[String]) -> anyhow::Result<Round> {
    gatepost.start().await?;
    let requests = |amount: Amount, make: &dyn Fn(usize, usize, &str) -> Vec<u8>| -> Requests {
        let user = |client: usize, call: usize| (call * amount.clients + client) % amount.users;
        let of = |client| (0..amount.calls).map(|call| make(client, call, &tokens[user(client, call + 1)])).collect();
        (0..amount.clients).map(of).collect()
    };
    // pgbench too starts its measurement after its connections are open.
    let warm_up = Amount { calls: 60, ..READS };
    let list = requests(warm_up, &|_, _, token| request("GET", token, ""));
    send_all(gatepost.address(), list, false).await?;

    let create = requests(WRITES, &|_, _, token| request("POST", token, "{\"label\":\"bench\"}"));
    let (created, answers) = measured(cluster, gatepost, create, true).await?;
    let list = requests(READS, &|_, _, token| request("GET", token, ""));
    let (listed, _) = measured(cluster, gatepost, list, false).await?;
    let mut ids: Vec<Vec<String>> = Vec::new();
    for client in &answers {
        let id = |body: &Vec<u8>| anyhow::Ok(serde_json::from_slice::<Value>(body)?["keyId"].to_string());
        ids.push(client.iter().map(id).collect::<Result<_, _>>()?);
    }
    let revoke = requests(WRITES, &|client, call, token| {
        request("DELETE", token, &format!("{{\"keyId\":{}}}", ids[client][call]))
    });
    let (revoked, _) = measured(cluster, gatepost, revoke, false).await?;
    let subscribe = requests(WRITES, &|_, _, token| {
        let body = "{\"url\":\"https://example.com/bench\",\"events\":[\"*\"]}";
        request_to("/api/webhooks/subscriptions", "POST", token, body)
    });
    let (subscribed, _) = measured(cluster, gatepost, subscribe, false).await?;
    gatepost.stop()?;
    Ok([created, listed, revoked, subscribed])
}

/// Sends the load, and returns its figures and the bodies of the answers.
async fn measured(
    cluster: &Cluster,
    gatepost: &Gatepost,
    requests: Requests,
    keep: bool,
) -> anyhow::Result<(Figures, Vec<Vec<Vec<u8>>>)> {
    let used = || anyhow::Ok([gatepost.usage()?.processor_time()?, server_of(cluster)?.processor_time_of_family()?]);
    let before = used()?;
    let Sent { rate, answers, waits } = send_all(gatepost.address(), requests, keep).await?;
    let after = used()?;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 calls")]
    let each = |time: Duration| time.as_secs_f64() * 1e6 / waits.len() as f64;
    let micros = [0, 1].map(|process| each(after[process].saturating_sub(before[process])));
    Ok((Figures { rate, p99: quantile(&waits, 0.99), micros }, answers))
}

fn through_pgbench(cluster: &Cluster, database: &Database, pipelined: bool) -> anyhow::Result<Round> {
    let mut round = Round::default();
    for (figures, (script, amount)) in round.iter_mut().zip(SCRIPTS) {
        figures.rate = pgbench::run(cluster, database, script, amount, pipelined)?;
    }
    Ok(round)
}

fn report(rounds: &[Vec<Round>; 3]) {
    let row = |(call, name): (usize, &&str)| {
        let of = |contestant: usize, value: &dyn Fn(Figures) -> f64| {
            median(&rounds[contestant].iter().map(|round| value(round[call])).collect::<Vec<_>>())
        };
        let [http, plain, pipelined] = [0, 1, 2].map(|contestant| of(contestant, &|figures| figures.rate));
        vec![
            (*name).to_owned(),
            format!("{http:.0}/s"),
            format!("{:.1} ms", of(0, &|figures| figures.p99)),
            format!("{:.0} µs", of(0, &|figures| figures.micros[0])),
            format!("{:.0} µs", of(0, &|figures| figures.micros[1])),
            format!("{plain:.0}/s"),
            format!("**{:.2}**", http / plain),
            format!("{pipelined:.0}/s"),
            format!("{:.2}", http / pipelined),
        ]
    };
    let head = ["call", "over HTTP", "99 %", "CPU of gatepost", "of the database", "pgbench", "ratio"];
    print(
        &format!("Keys on Postgres, {CLIENTS} clients, medians of {ROUNDS} alternated rounds (bar: ratio 0.5)"),
        &[&head[..], &["pgbench, pipelined", "ratio"]].concat(),
        &CALLS.iter().enumerate().map(row).collect::<Vec<_>>(),
    );
}
