//! Measures the cost of a delivery in the database, phase by phase: `cargo run --release -p adapters-postgres --example
//! queue_path`.
//!
//! Uses a throw-away server with durable commits. Prints microseconds of processor time for each delivery, of the
//! server and of this process: processor time, so that a busy machine changes it little. Then prints how long claims
//! take while a lane has half a million due deliveries, and another has 100,000 that wait for a retry. With the
//! argument `pooled`, only the phases, through a PgBouncer in transaction mode. Linux only.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for developers")]

use std::fs;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::SeededEntropy;
use domain::ports::{
    ClaimId, ClaimRequest, ClaimedLane, Completion, CredentialStore, DeliveryQueue, Entropy as _, EventStore, Found,
    InsertSubscriptionRequest, Schema as _, SubscriptionStore,
};
use domain::webhooks::{EventType, NewEvent, Payload, SubscribedEvents};
use domain::{ApiKey, CredentialDigest, OwnerId, Timestamp};
use storage_conformance::requests::{claim_request, delivered, named_event, new_event, new_subscription_request, user};
use throwaway_postgres::{Cluster, ClusterSettings, Database, Pooler};
use tokio::time::Instant;

/// The id of all claims: this program claims each delivery once.
const CLAIM: ClaimId = ClaimId::from_number(1);
/// The number of events in each run.
const EVENTS: usize = 40_000;
/// Parallel callers; each publishes one event at a time.
const PUBLISHERS: usize = 128;
/// The number of keys, one after another.
const LOOK_UPS: usize = 5_000;
/// The number of deliveries in one batch of completions.
const BATCH: usize = 256;

#[tokio::main]
async fn main() {
    let cluster = Cluster::start(ClusterSettings { durable: true, ..ClusterSettings::default() }).await.unwrap();
    println!("{:<28} {:>9} {:>9} {:>9} {:>11}", "phase", "server", "client", "sum µs", "a second");
    for (name, lanes, keyed) in
        [("one receiver", 1, false), ("one receiver, keyed", 1, true), ("ten receivers", 10, false)]
    {
        let bench = Bench::start(&cluster, lanes).await;
        println!("{name}");
        bench.phases(EVENTS / lanes, lanes, keyed).await;
    }
    if is_pooled() {
        return;
    }
    let bench = Bench::start(&cluster, 1).await;
    println!("all phases at once, one receiver");
    bench.sustained(300_000).await;
    bench.backlog().await;
}

struct Bench {
    cluster: Cluster,
    database: Database,
    _pooler: Option<Pooler>,
    store: PostgresStore,
    owner: OwnerId,
    entropy: SeededEntropy,
}

impl Bench {
    async fn start(cluster: &Cluster, lanes: usize) -> Self {
        let database = cluster.database().await.unwrap();
        let pooler = is_pooled().then(|| Pooler::start(cluster, "pool_mode = transaction").unwrap());
        let url = pooler.as_ref().map_or(database.url.clone(), |pooler| pooler.before(&database).url);
        let settings = PostgresSettings { url, pool_size: 4 };
        let store = PostgresStore::open(settings).await.unwrap();
        store.migrate().await.unwrap();
        let owner = user("alice");
        let entropy = SeededEntropy::new(1);
        for _ in 0..lanes {
            SubscriptionStore::insert_within(&store, &subscription(&owner)).await.unwrap();
        }
        Self { cluster: cluster.clone(), database, _pooler: pooler, store, owner, entropy }
    }

    async fn phases(&self, events: usize, lanes: usize, keyed: bool) {
        let deliveries = events * lanes;
        self.measured("  look up an unknown key", LOOK_UPS, self.look_up()).await;
        self.measured("  publish", deliveries, self.publish(events, keyed)).await;
        let mut claiming = Spent::default();
        let mut completing = Spent::default();
        // The connections must be open before their processes are counted.
        let first = self.claim(lanes).await;
        self.store.complete(&completions(&first)).await.unwrap();
        let backends = self.backends();
        loop {
            let begin = Spent::so_far(&backends);
            let claimed = self.claim(lanes).await;
            let between = Spent::so_far(&backends);
            let completions = completions(&claimed);
            if completions.is_empty() {
                break;
            }
            for batch in completions.chunks(BATCH) {
                assert!(self.store.complete(batch).await.unwrap().iter().all(|held| *held));
            }
            claiming.add(&begin, &between, completions.len());
            completing.add(&between, &Spent::so_far(&backends), completions.len());
        }
        claiming.print("  claim");
        completing.print("  complete");
    }

    /// Publishes, claims and completes at the same time.
    async fn sustained(&self, events: usize) {
        let events = events / PUBLISHERS * PUBLISHERS;
        let work = async {
            tokio::join!(self.publish(events, false), async {
                let mut done = 0;
                while done < events {
                    let lanes = self.claim(1).await;
                    let completions = completions(&lanes);
                    done += completions.len();
                    if completions.is_empty() {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                        continue;
                    }
                    self.store.complete(&completions).await.unwrap();
                }
            })
        };
        self.measured("  sustained", events, work).await;
    }

    async fn publish(&self, events: usize, keyed: bool) {
        let callers = (0..PUBLISHERS).map(|caller| {
            let (store, owner) = (self.store.clone(), self.owner.clone());
            tokio::spawn(async move {
                for number in 0..events / PUBLISHERS {
                    let mut event = event(&owner);
                    if keyed {
                        event = named_event(event, &format!("order-{caller}-{number}"), "{}");
                    }
                    store.publish(&[event]).await.unwrap();
                }
            })
        });
        futures_util::future::try_join_all(callers).await.unwrap();
    }

    async fn look_up(&self) {
        for _ in 0..LOOK_UPS {
            let mut digest = [0; 32];
            self.entropy.fill(&mut digest);
            let found: Found<ApiKey> = self.store.find_by_digests(&[CredentialDigest::from_bytes(digest)]).await;
            found.complete().unwrap();
        }
    }

    async fn claim(&self, lanes: usize) -> Vec<ClaimedLane> {
        let room = u32::try_from(512 / lanes).unwrap().min(128);
        self.store.claim(&ClaimRequest { claim: CLAIM, room, ..claim_request(now()) }).await.unwrap()
    }

    async fn measured<T>(&self, name: &str, count: usize, work: impl Future<Output = T>) -> T {
        let (server, client, begin) = (self.server_micros(), client_micros(), Instant::now());
        let answer = work.await;
        let (server, client) = (self.server_micros() - server, client_micros() - client);
        let each = |micros: f64| micros / as_f64(count);
        println!(
            "{name:<28} {:>9.1} {:>9.1} {:>9.1} {:>11.0}",
            each(server),
            each(client),
            each(server + client),
            as_f64(count) / begin.elapsed().as_secs_f64()
        );
        answer
    }

    /// The current processes of the server.
    fn backends(&self) -> Vec<String> {
        let postmaster = self.postmaster();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let stat = |entry: fs::DirEntry| {
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            micros_of_child(&stat, &postmaster).map(|_| entry.path().join("schedstat").to_string_lossy().into_owned())
        };
        processes.filter_map(stat).collect()
    }

    fn postmaster(&self) -> String {
        let pid_file = fs::read_to_string(self.cluster.data_folder().join("postmaster.pid")).unwrap();
        pid_file.lines().next().unwrap().to_owned()
    }

    /// Processor time of the server's processes so far.
    fn server_micros(&self) -> f64 {
        let postmaster = self.postmaster();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let stats = processes.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
        stats.filter_map(|stat| micros_of_child(&stat, &postmaster)).sum()
    }

    /// Measures claims with one dead lane of half a million due deliveries, a thousand healthy lanes, and one lane of
    /// 100,000 deliveries that wait for a retry.
    async fn backlog(&self) {
        for statement in BACKLOG {
            self.cluster.execute(&self.database.name, statement).await.unwrap();
        }
        println!("claims of 64 lanes, 8 each, with 500,000 due and 100,000 waiting deliveries in the queue");
        let mut claimed = Vec::new();
        for _ in 0..20 {
            let begin = Instant::now();
            let request = ClaimRequest { claim: CLAIM, room: 8, ..claim_request(now()) };
            let lanes = self.store.claim(&request).await.unwrap();
            let count: usize = lanes.iter().map(|lane| lane.deliveries.len()).sum();
            claimed.push((begin.elapsed(), lanes.len(), count));
        }
        for (took, lanes, deliveries) in claimed {
            println!("  {:>7.1} ms  {lanes:>3} lanes  {deliveries:>4} deliveries", took.as_secs_f64() * 1e3);
        }
    }
}

fn is_pooled() -> bool {
    std::env::args().any(|argument| argument == "pooled")
}

/// Processor time in microseconds, and the number of deliveries.
#[derive(Default)]
struct Spent {
    server: f64,
    client: f64,
    count: usize,
    took: Duration,
    at: Option<Instant>,
}

impl Spent {
    fn so_far(backends: &[String]) -> Self {
        let server = backends.iter().map(|path| micros_on_processor(path)).sum();
        let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
        let client = threads.map(|entry| micros_on_processor(&entry.path().join("schedstat").to_string_lossy())).sum();
        Self { server, client, at: Some(Instant::now()), ..Self::default() }
    }

    fn add(&mut self, begin: &Self, end: &Self, count: usize) {
        self.server += end.server - begin.server;
        self.client += end.client - begin.client;
        self.count += count;
        self.took += begin.at.zip(end.at).map(|(begin, end)| end - begin).unwrap_or_default();
    }

    fn print(&self, name: &str) {
        let count = as_f64(self.count);
        let (server, client) = (self.server / count, self.client / count);
        let a_second = count / self.took.as_secs_f64();
        println!("{name:<28} {server:>9.1} {client:>9.1} {:>9.1} {a_second:>11.0}", server + client);
    }
}

/// The first field of `schedstat`: nanoseconds on a processor.
fn micros_on_processor(path: &str) -> f64 {
    let nanos = fs::read_to_string(path).unwrap_or_default();
    nanos.split_whitespace().next().map_or(0.0, |nanos| nanos.parse::<f64>().unwrap() / 1_000.0)
}

/// Lane 0 is dead, lanes 1 to 1,000 are healthy with two deliveries each, lane 1,001 waits for retries.
const BACKLOG: [&str; 5] = [
    "INSERT INTO webhook_subscriptions SELECT sha256(('lane' || i)::bytea)::bytea, 'https://id.example', 'u' || i,
        'https://hooks.example/in', '*', '', 'enabled', '\\x01', '', NULL, NULL, now(), now(), NULL
        FROM generate_series(0, 1001) AS i",
    "UPDATE webhook_subscriptions SET id = substring(id FOR 16) WHERE octet_length(id) > 16;
     INSERT INTO webhook_lanes SELECT substring(sha256(('lane' || i)::bytea) FOR 16), i, TRUE,
        now() - INTERVAL '1 hour' + i * INTERVAL '1 millisecond', 0, 0, NULL, NULL, 0 FROM generate_series(0, 1001) AS i",
    "INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, created_at, deliveries, payload)
            SELECT substring(sha256(('event' || i)::bytea) FOR 16), 'https://id.example', 'u', 'a',
        now(), 1, convert_to(repeat('x', 300), 'UTF8') FROM generate_series(1, 602000) AS i",
    "INSERT INTO webhook_due SELECT substring(sha256(('lane' || CASE WHEN i <= 500000 THEN 0 WHEN i <= 502000
            THEN 1 + i % 1000 ELSE 1001 END)::bytea) FOR 16), substring(sha256(('event' || i)::bytea) FOR 16),
        substring(sha256(('event' || i)::bytea) FOR 16), CASE WHEN i % 3 = 0 OR i > 502000 THEN 1 ELSE 0 END,
        CASE WHEN i <= 502000 THEN now() - INTERVAL '1 hour' + i * INTERVAL '1 millisecond'
            ELSE now() + INTERVAL '1 hour' END, 0, now(), 0 FROM generate_series(1, 602000) AS i",
    "CHECKPOINT",
];

/// See `man 5 proc`: after the name in brackets, the parent is the 2nd field, user and system time the 12th and 13th.
fn micros_of_child(stat: &str, parent: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (*fields.get(1)? == parent).then(|| micros(&fields))
}

fn client_micros() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    micros(&stat.rsplit_once(')').unwrap().1.split_whitespace().collect::<Vec<&str>>())
}

/// Converts ticks, of which Linux counts 100 a second.
fn micros(fields: &[&str]) -> f64 {
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap() * 10_000.0).sum()
}

fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn completions(lanes: &[ClaimedLane]) -> Vec<Completion> {
    delivered(CLAIM, lanes, now())
}

fn subscription(owner: &OwnerId) -> InsertSubscriptionRequest {
    let mut new = new_subscription_request(owner);
    new.subscription.events = SubscribedEvents::parse(["order.*"]).unwrap();
    (new.subscription.created_at, new.subscription.updated_at) = (now(), now());
    new
}

fn event(owner: &OwnerId) -> NewEvent {
    let mut new = new_event(owner, now());
    new.event.event_type = EventType::parse("order.created").unwrap();
    new.event.payload = Payload::from_bytes(vec![b'x'; 300]);
    new
}

fn now() -> Timestamp {
    let since_epoch = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    Timestamp::from_unix_millis(i64::try_from(since_epoch.as_millis()).unwrap()).unwrap()
}
