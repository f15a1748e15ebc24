//! A rolling upgrade: instances of the version before, and instances of this version, on one Postgres under load. See
//! `docs/operations/upgrades.md`.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::harness::{Connection, Gatepost, Request, Response, Storage, old_binary, until};
use crate::webhooks::host::{Consumer, by_host, setup};
use crate::webhooks::killed_process::eventually_arrived;
use crate::webhooks::receiver::{Behaviour, Receiver};

const INSTANCES: usize = 2;
const CLIENTS: usize = 24;
const PAUSE: Duration = Duration::from_millis(20);
/// The requests in each step of the upgrade.
const REQUESTS: u64 = 400;

/// Every instance is replaced, one after the other. No request fails, a key that one version revokes is refused by the
/// other, and every event arrives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_fails_no_request() {
    let storage = Storage::postgres().await;
    let new = setup(&storage).await;
    let old = new.clone().running(old_binary());
    let mut instances = old.start_twins(INSTANCES).await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let consumer = Consumer::new(&instances[0], "alice").await;
    consumer.subscribe(&receiver.url(), &["*"]).await;
    let (key, _) = instances[0].user("alice").created("ci").await;
    let balancer = Arc::new(Balancer::default());
    for instance in &instances {
        balancer.add(instance.address());
    }
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        clients.spawn(Client { number, key: key.clone(), balancer: Arc::clone(&balancer) }.run());
    }
    balancer.answers(REQUESTS).await;
    for _ in 0..INSTANCES {
        let replacement = new.twin().start().await;
        balancer.add(replacement.address());
        both_refuse_what_either_revokes(&instances[0], &replacement).await;
        balancer.answers(REQUESTS).await;
        let mut replaced = instances.remove(0);
        balancer.remove(replaced.address()).await;
        replaced.stop().await;
        balancer.answers(REQUESTS).await;
        instances.push(replacement);
    }
    balancer.is_over.store(true, Ordering::Relaxed);
    clients.join_all().await;
    assert_eq!(*balancer.failures.lock().unwrap(), Vec::<String>::new());
    every_event_arrives_once(&balancer, &receiver).await;
}

async fn both_refuse_what_either_revokes(one: &Gatepost, other: &Gatepost) {
    for (here, there) in [(one, other), (other, one)] {
        let user = here.user("bob");
        let (key, id) = user.created("for a moment").await;
        assert_eq!(there.whoami(&key).await.status, 200);
        assert_eq!(user.revoke(&id).await.status, 200);
        until("the other version refuses the key", async || there.whoami(&key).await.status == 401).await;
    }
}

async fn every_event_arrives_once(balancer: &Balancer, receiver: &Receiver) {
    let accepted = balancer.accepted.lock().unwrap().clone();
    assert!(accepted.len() > 100, "{}", accepted.len());
    let arrived = eventually_arrived(receiver, &accepted).await;
    let again: Vec<_> = arrived.iter().filter(|(_, times)| **times > 1).collect();
    assert!(again.is_empty(), "of {} events, these arrived again: {again:?}", accepted.len());
}

/// The addresses that get requests, and the results of the requests.
#[derive(Default)]
struct Balancer {
    addresses: Mutex<Vec<Arc<SocketAddr>>>,
    turn: AtomicUsize,
    answered: AtomicU64,
    failures: Mutex<Vec<String>>,
    accepted: Mutex<BTreeSet<String>>,
    is_over: AtomicBool,
}

impl Balancer {
    fn add(&self, address: SocketAddr) {
        self.addresses.lock().unwrap().push(Arc::new(address));
    }

    /// Sends no more requests there, and waits until the earlier ones are answered.
    async fn remove(&self, address: SocketAddr) {
        let removed = {
            let mut addresses = self.addresses.lock().unwrap();
            let place = addresses.iter().position(|one| **one == address).unwrap();
            addresses.remove(place)
        };
        until("nobody is being answered", async || Arc::strong_count(&removed) == 1).await;
    }

    fn next(&self) -> Arc<SocketAddr> {
        let addresses = self.addresses.lock().unwrap();
        Arc::clone(&addresses[self.turn.fetch_add(1, Ordering::Relaxed) % addresses.len()])
    }

    async fn answers(&self, more: u64) {
        let enough = self.answered.load(Ordering::Relaxed) + more;
        until("requests are answered", async || self.answered.load(Ordering::Relaxed) >= enough).await;
    }

    async fn send(&self, request: &Request, expected: u16) -> Option<Response> {
        let address = self.next();
        let answer = async { Connection::open(*address).await?.exchange(request).await }.await;
        match answer {
            Ok(answer) if answer.status == expected => {
                self.answered.fetch_add(1, Ordering::Relaxed);
                return Some(answer);
            }
            Ok(answer) => self.fail(request, &format!("{} {}", answer.status, answer.text())),
            Err(error) => self.fail(request, &error.to_string()),
        }
        None
    }

    fn fail(&self, request: &Request, why: &str) {
        self.failures.lock().unwrap().push(format!("{} {}: {why}", request.method, request.path));
    }
}

/// Sends one kind of request, again and again: verifies, publishes, or lists.
struct Client {
    number: usize,
    key: String,
    balancer: Arc<Balancer>,
}

impl Client {
    async fn run(self) {
        while !self.balancer.is_over.load(Ordering::Relaxed) {
            match self.number % 3 {
                0 => drop(self.balancer.send(&self.with_key("/api/whoami"), 200).await),
                1 => drop(self.balancer.send(&self.with_key("/api/webhooks/deliveries?limit=5"), 200).await),
                _ => self.publish().await,
            }
            sleep(PAUSE).await;
        }
    }

    fn with_key(&self, path: &str) -> Request {
        Request::new("GET", path).header("x-api-key", &self.key)
    }

    async fn publish(&self) {
        let event: Value = json!({ "userId": "alice", "type": "order.paid", "data": { "client": self.number } });
        let request = by_host("POST", "events").json(&event);
        if let Some(answer) = self.balancer.send(&request, 202).await {
            let id = answer.json()["event"]["id"].as_str().unwrap().to_owned();
            self.balancer.accepted.lock().unwrap().insert(id);
        }
    }
}
