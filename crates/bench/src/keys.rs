//! Create, list and revoke over HTTP, against pgbench with the same statements.

use serde_json::Value;
use throwaway_postgres::{Cluster, ClusterSettings, Database};

use crate::connection::request;
use crate::gatepost::Gatepost;
use crate::load::send_all;
use crate::pgbench::{self, Amount, CREATE, LIST, REVOKE};
use crate::table::{median, print};

const ROUNDS: usize = 5;
/// The number of connections of the default pool.
const CLIENTS: usize = 16;
/// Ten keys for each user, the default maximum.
const USERS: usize = 480;
const WRITES: Amount = Amount { clients: CLIENTS, calls: 300, users: USERS };
const READS: Amount = Amount { clients: CLIENTS, calls: 1_000, users: USERS };

/// Calls per second: create, list, revoke.
type Rates = [f64; 3];

pub(crate) async fn measure() -> anyhow::Result<()> {
    let cluster = Cluster::start(ClusterSettings { durable: true, connections_max: 100 }).await?;
    let mut gatepost = Gatepost::new()?;
    gatepost.set("DATABASE_URL", &cluster.database().await?.url);
    gatepost.start().await?;
    let tokens = gatepost.tokens(USERS)?;
    gatepost.stop()?;

    let mut rounds: [Vec<Rates>; 3] = Default::default();
    for round in 0..ROUNDS {
        // The first contestant changes, so that none always runs on the warmer machine.
        for contestant in [0, 1, 2].map(|step| (step + round) % 3) {
            let database = migrated(&cluster, &mut gatepost).await?;
            rounds[contestant].push(match contestant {
                0 => over_http(&mut gatepost, &tokens).await?,
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

async fn over_http(gatepost: &mut Gatepost, tokens: &[String]) -> anyhow::Result<Rates> {
    gatepost.start().await?;
    let requests = |amount: Amount, make: &dyn Fn(usize, usize, &str) -> Vec<u8>| -> Vec<Vec<Vec<u8>>> {
        let user = |client: usize, call: usize| (call * amount.clients + client) % amount.users;
        let of = |client| (0..amount.calls).map(|call| make(client, call, &tokens[user(client, call + 1)])).collect();
        (0..amount.clients).map(of).collect()
    };
    // As pgbench does, whose measurement starts after its connections are open.
    let warm_up = Amount { calls: 60, ..READS };
    let list = requests(warm_up, &|_, _, token| request("GET", token, ""));
    send_all(gatepost.address(), list, false).await?;

    let create = requests(WRITES, &|_, _, token| request("POST", token, "{\"label\":\"bench\"}"));
    let (created, answers) = send_all(gatepost.address(), create, true).await?;
    let list = requests(READS, &|_, _, token| request("GET", token, ""));
    let (listed, _) = send_all(gatepost.address(), list, false).await?;
    let mut ids: Vec<Vec<String>> = Vec::new();
    for client in &answers {
        let id = |body: &Vec<u8>| anyhow::Ok(serde_json::from_slice::<Value>(body)?["keyId"].to_string());
        ids.push(client.iter().map(id).collect::<Result<_, _>>()?);
    }
    let revoke = requests(WRITES, &|client, call, token| {
        request("DELETE", token, &format!("{{\"keyId\":{}}}", ids[client][call]))
    });
    let (revoked, _) = send_all(gatepost.address(), revoke, false).await?;
    gatepost.stop()?;
    Ok([created, listed, revoked])
}

fn through_pgbench(cluster: &Cluster, database: &Database, pipelined: bool) -> anyhow::Result<Rates> {
    let created = pgbench::run(cluster, database, CREATE, WRITES, pipelined)?;
    let listed = pgbench::run(cluster, database, LIST, READS, pipelined)?;
    let revoked = pgbench::run(cluster, database, REVOKE, WRITES, pipelined)?;
    Ok([created, listed, revoked])
}

fn report(rounds: &[Vec<Rates>; 3]) {
    let rows: Vec<Vec<String>> = ["create", "list of 10", "revoke"]
        .iter()
        .enumerate()
        .map(|(call, name)| {
            let of = |contestant: usize| {
                let rates: Vec<f64> = rounds[contestant].iter().map(|rates: &Rates| rates[call]).collect();
                median(&rates)
            };
            let [http, plain, pipelined] = [of(0), of(1), of(2)];
            vec![
                (*name).to_owned(),
                format!("{http:.0}/s"),
                format!("{plain:.0}/s"),
                format!("**{:.2}**", http / plain),
                format!("{pipelined:.0}/s"),
                format!("{:.2}", http / pipelined),
            ]
        })
        .collect();
    print(
        &format!("Keys on Postgres, {CLIENTS} clients, medians of {ROUNDS} alternated rounds (bar: ratio 0.5)"),
        &["call", "over HTTP", "pgbench", "ratio", "pgbench, pipelined", "ratio"],
        &rows,
    );
}
