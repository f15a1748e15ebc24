//! The cost of each step of a delivery to the writer: `cargo run --release -p adapters-sqlite --example writer_time`.
//!
//! Publishes, claims and completes in the batches that a busy instance sees, to one receiver and fanned out to ten, and
//! then claims from a lane of a million due deliveries. Arguments: the number of deliveries, and of due ones.
//!
//! It measures the time of the writer's thread on a processor, by Linux' `schedstat`: neither flushes nor other work of
//! the machine count.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement: what fails here ends it")]

use std::time::Duration;

use adapters_sqlite::{SqliteSettings, SqliteStore};
use domain::ports::{
    ClaimId, ClaimRequest, ClaimedLane, Close as _, DeliveryQueue, EventStore, Schema as _, SubscriptionStore,
};
use domain::webhooks::{EventType, NewEvent, Payload, SubscribedEvents};
use domain::{OwnerId, Timestamp};
use futures_util::future::join_all;
use storage_conformance::requests::{at, claim_request, delivered, new_event, new_subscription_request, user};

/// Callers that publish at once, each one event.
const CALLERS: usize = 128;

struct Bench {
    store: SqliteStore,
    now: Timestamp,
    owner: OwnerId,
    claim: ClaimId,
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().unwrap());
    let deliveries = arguments.next().unwrap_or(50_000);
    let due = arguments.next().unwrap_or(1_000_000);
    let folder = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    for receivers in [1, 10] {
        let mut bench = Bench::new(&folder.path().join(format!("{receivers}.db")), receivers).await;
        bench.measure_steps(receivers, deliveries).await;
        bench.store.close().await;
    }
    let mut bench = Bench::new(&folder.path().join("due.db"), 1).await;
    bench.measure_claims(due).await;
    bench.store.close().await;
}

impl Bench {
    async fn new(path: &std::path::Path, receivers: usize) -> Self {
        let store = SqliteStore::open(SqliteSettings { path: path.to_owned(), readers: 2 }).await.unwrap();
        store.migrate().await.unwrap();
        let bench = Self { store, now: at(0), owner: user("alice"), claim: ClaimId::from_number(0) };
        for _ in 0..receivers {
            let mut new = new_subscription_request(&bench.owner);
            new.subscription.events = SubscribedEvents::parse(["order.*"]).unwrap();
            bench.store.insert_within(&new).await.unwrap();
        }
        bench
    }

    fn event(&self) -> NewEvent {
        let mut new = new_event(&self.owner, self.now);
        let data = format!(r#"{{"order":"{}"}}"#, "x".repeat(250));
        new.event.event_type = EventType::parse("order.created").unwrap();
        new.event.payload = Payload::compose(&new.event.event_type, self.now, &data, 10_000).unwrap();
        new
    }

    async fn publish(&mut self, events: usize) -> Duration {
        let mut spent = Duration::ZERO;
        for _ in 0..events.div_ceil(CALLERS) {
            self.tick();
            let calls: Vec<[NewEvent; 1]> = (0..CALLERS).map(|_| [self.event()]).collect();
            let start = writer_time();
            for published in join_all(calls.iter().map(|events| self.store.publish(events))).await {
                published.unwrap();
            }
            spent += since(start);
        }
        spent
    }

    async fn claim(&mut self, lanes_max: u32, room: u32) -> Vec<ClaimedLane> {
        self.tick();
        let request = ClaimRequest { lanes_max, room, ..claim_request(self.now) };
        self.claim = request.claim;
        self.store.claim(&request).await.unwrap()
    }

    async fn complete(&mut self, claimed: &[ClaimedLane]) -> Duration {
        self.tick();
        let completions = delivered(self.claim, claimed, self.now);
        let start = writer_time();
        for chunk in completions.chunks(256) {
            assert!(self.store.complete(chunk).await.unwrap().iter().all(|held| *held));
        }
        since(start)
    }

    async fn measure_steps(&mut self, receivers: usize, deliveries: usize) {
        let events = deliveries / receivers;
        let publishing = self.publish(events).await;
        let (mut claiming, mut completing, mut done) = (Duration::ZERO, Duration::ZERO, 0);
        loop {
            let start = writer_time();
            let claimed = self.claim(64, 128).await;
            claiming += since(start);
            if claimed.is_empty() {
                break;
            }
            done += claimed.iter().map(|lane| lane.deliveries.len()).sum::<usize>();
            completing += self.complete(&claimed).await;
        }
        let count = f64::from(u32::try_from(done).unwrap());
        let micros = |spent: Duration| spent.as_secs_f64() * 1e6 / count;
        println!(
            "{receivers} receivers, {done} deliveries: publish {:.1} µs, claim {:.1} µs, complete {:.1} µs, in all {:.1} µs",
            micros(publishing),
            micros(claiming),
            micros(completing),
            micros(publishing + claiming + completing),
        );
    }

    async fn measure_claims(&mut self, due: usize) {
        for level in [1_000, due] {
            for _ in 0..level / 500 {
                let events: Vec<NewEvent> = (0..500).map(|_| self.event()).collect();
                self.store.publish(&events).await.unwrap();
            }
            let mut times = Vec::new();
            for _ in 0..20 {
                let start = writer_time();
                let claimed = self.claim(64, 8).await;
                times.push(since(start));
                self.complete(&claimed).await;
            }
            times.sort();
            println!("{level} due: a claim of 8 takes {:?} (median), {:?} (longest)", times[10], times[19]);
        }
    }

    fn tick(&mut self) {
        self.now = self.now.plus(Duration::from_millis(2));
    }
}

/// How long the writer's thread was on a processor.
fn writer_time() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let writer = threads
        .into_iter()
        .find(|thread| std::fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.trim() == "sqlite-writer"));
    let statistics = std::fs::read_to_string(writer.unwrap().join("schedstat")).unwrap();
    Duration::from_nanos(statistics.split(' ').next().unwrap().parse().unwrap())
}

/// The writer's time since then.
fn since(start: Duration) -> Duration {
    writer_time().saturating_sub(start)
}
