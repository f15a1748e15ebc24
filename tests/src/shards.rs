//! Three Postgres servers, or sixteen schemas of one, as one store: two instances on them answer as on one, and a
//! stopped server fails only the calls of its users.

use std::time::Duration;

use domain::{Home, OwnerId};
use futures_util::future::join_all;
use serde_json::{Value, json};
use throwaway_postgres::{Cluster, ClusterSettings};
use tokio::time::Instant;

use crate::harness::{Gatepost, Request, Setup, Storage, in_time, until};
use crate::webhooks::host::{Consumer, Host, setup};
use crate::webhooks::pulls::{receive, subscribed};
use crate::webhooks::receiver::{Behaviour, Receiver};

const SHARDS: usize = 3;
/// A revoked key is refused everywhere within this time.
const REFUSED_WITHIN: Duration = Duration::from_secs(3);
/// Every call has an answer within this time.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

async fn servers() -> Vec<Cluster> {
    let settings = ClusterSettings { durable: false, connections_max: 100 };
    let servers = join_all((0..SHARDS).map(|_| Cluster::start(settings))).await;
    servers.into_iter().map(|server| server.expect("a Postgres server")).collect()
}

/// `gatepost serve` over a database of each server.
async fn serving(servers: &[Cluster]) -> Setup {
    let mut databases = Vec::new();
    for server in servers {
        databases.push(Storage::direct(server.clone()).await);
    }
    setup(&Storage::divided(&databases, SHARDS)).await
}

/// A user of each shard.
pub(crate) fn subjects(gatepost: &Gatepost, name: &str, shards: usize) -> Vec<String> {
    let mut subjects = (0..).map(|n| format!("{name}-{n}"));
    (0..shards).map(|wanted| subjects.find(|subject| shard_of(gatepost, subject, shards) == wanted).unwrap()).collect()
}

/// The shard in which a user is.
pub(crate) fn shard_of(gatepost: &Gatepost, subject: &str, shards: usize) -> usize {
    Home::of(&OwnerId::new(gatepost.provider().issuer(), subject).unwrap()).shard(shards)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_on_three_servers_answer_as_on_one() {
    two_instances_answer_as_on_one(serving(&servers().await).await, SHARDS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_on_sixteen_schemas_of_a_server_answer_as_on_one() {
    let settings = ClusterSettings { durable: false, connections_max: 2 * 16 * 13 + 20 };
    let server = Cluster::start(settings).await.expect("a Postgres server");
    let storage = Storage::divided(&[Storage::direct(server).await], 16);
    two_instances_answer_as_on_one(setup(&storage).await, 16).await;
}

pub(crate) async fn two_instances_answer_as_on_one(setup: Setup, shards: usize) {
    let (here, there) = tokio::join!(setup.clone().start(), setup.twin().start());
    let subjects = subjects(&here, "user", shards);
    let mut ids = Vec::new();
    for subject in &subjects {
        let user = here.user(subject);
        let creations = (0..40).map(|call| {
            let instance = if call % 2 == 0 { &here } else { &there };
            let user = user.at(instance.address());
            async move { user.create("one of many").await }
        });
        let answers = join_all(creations).await;
        let stored: Vec<Value> = answers.iter().filter(|one| one.status == 200).map(|one| one.json()).collect();
        assert!(answers.iter().all(|one| [200, 400].contains(&one.status)), "refusals are values");
        assert_eq!((stored.len(), user.at(there.address()).keys().await.len()), (10, 10), "the maximum is exact");
        let (key, id) = (stored[0]["key"].as_str().unwrap(), stored[0]["keyId"].as_str().unwrap());
        for instance in [&here, &there] {
            assert_eq!(instance.whoami(key).await.status, 200);
        }
        assert_eq!(user.revoke(id).await.status, 200);
        let revoked = Instant::now();
        assert_eq!(here.whoami(key).await.status, 401);
        let is_refused = async || there.whoami(key).await.status == 401;
        in_time(revoked, REFUSED_WITHIN, "the other instance refuses", is_refused).await;
        ids.push(stored[1]["keyId"].as_str().unwrap().to_owned());
    }
    let [first, second, ..] = subjects.as_slice() else { panic!("several users") };
    assert_eq!(here.user(first).revoke(&ids[1]).await.status, 403, "another user's key, in another shard");
    assert_eq!(here.user(second).revoke("key_01h455vb4pex5vsknk084sn02q").await.status, 404);
    assert_eq!(here.whoami("svc_live_unknown").await.status, 401);
    deliver(&here, &there, &subjects).await;
    let (status, log) = setup.twin().with("DATABASE_SHARDS", &(shards + 1).to_string()).start_refused().await;
    assert!(!status.success() && log.contains("DATABASE_SHARDS"), "{log}");
}

/// Each user gets the events that another instance publishes.
async fn deliver(here: &Gatepost, there: &Gatepost, subjects: &[String]) {
    let receiver = Receiver::start(Behaviour::ok()).await;
    for subject in subjects {
        let key = here.user(subject).keys().await[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(here.user(subject).revoke(&key).await.status, 200, "to make room for another");
        Consumer::new(here, subject).await.subscribe(&receiver.url(), &["*"]).await;
        let published = Host(there.address()).publish(subject, "invoice.paid", json!({ "of": subject })).await;
        assert_eq!(published["deliveries"], 1, "{published}");
    }
    assert_eq!(receiver.expect(subjects.len()).await.len(), subjects.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_fails_its_users_and_nobody_else() {
    only_users_of_the_server_are_failed(1).await;
}

/// The first server has the clock of all instances.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_server_that_stops_fails_its_users_and_nobody_else() {
    only_users_of_the_server_are_failed(0).await;
}

async fn only_users_of_the_server_are_failed(stopped: usize) {
    let servers = servers().await;
    let gatepost = serving(&servers).await.start().await;
    let subjects = subjects(&gatepost, "user", SHARDS);
    let receiver = Receiver::start(Behaviour::ok()).await;
    let mut keys = Vec::new();
    for subject in &subjects {
        keys.push(gatepost.user(subject).created("first").await.0);
        assert_eq!(gatepost.whoami(&keys[keys.len() - 1]).await.status, 200, "it is remembered now");
        Consumer::new(&gatepost, subject).await.subscribe(&receiver.url(), &["*"]).await;
    }
    servers[stopped].stop().await.expect("the server stops");
    let called = Instant::now();
    assert_eq!(gatepost.user(&subjects[stopped]).create("lost").await.status, 503);
    assert!(called.elapsed() < ANSWERED_WITHIN, "{:?}", called.elapsed());
    until("a key of the stopped server is not trusted any more", async || {
        let (called, status) = (Instant::now(), gatepost.whoami(&keys[stopped]).await.status);
        assert!(called.elapsed() < ANSWERED_WITHIN, "{:?}", called.elapsed());
        status == 503
    })
    .await;
    for shard in (0..SHARDS).filter(|shard| *shard != stopped) {
        let (user, called) = (gatepost.user(&subjects[shard]), Instant::now());
        let (new, _) = user.created("while the other is down").await;
        assert_eq!((gatepost.whoami(&new).await.status, gatepost.whoami(&keys[shard]).await.status), (200, 200));
        assert!(called.elapsed() < Duration::from_secs(2), "it waited for the stopped server: {:?}", called.elapsed());
        Host(gatepost.address()).publish(&subjects[shard], "invoice.paid", json!({})).await;
    }
    assert_eq!(receiver.expect(2).await.len(), 2, "webhooks of the others are delivered");
    for path in ["/readyz", "/readyz?for=verify"] {
        let ready = gatepost.send(&Request::new("GET", path)).await;
        assert_eq!(ready.status, 200, "{path}: an instance takes requests while a server answers: {}", ready.text());
    }

    servers[stopped].start_again().await.expect("the server starts");
    let user = gatepost.user(&subjects[stopped]);
    until("the server's users are served again", async || {
        let created = user.create("back").await.status;
        gatepost.whoami(&keys[stopped]).await.status == 200 && [200, 400].contains(&created)
    })
    .await;
    Host(gatepost.address()).publish(&subjects[stopped], "invoice.paid", json!({})).await;
    assert_eq!(receiver.expect(3).await.len(), 3);
}

/// Neither the operational events of the others wait for the server, nor their readers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_that_starts_without_a_server_serves_the_others() {
    let servers = servers().await;
    let setup = serving(&servers).await;
    let gatepost = setup.twin().start().await;
    let user = &subjects(&gatepost, "user", SHARDS)[0];
    let (receiver, consumer) = (Receiver::start(Behaviour::ok()).await, Consumer::new(&gatepost, user).await);
    consumer.subscribe(&receiver.url(), &["gatepost.key.created"]).await;
    let log = subscribed(&consumer).await;
    drop(gatepost);
    servers[1].stop().await.expect("the server stops");

    let foreign = setup.twin().with("ENCRYPTION_KEY", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
    let (status, written) = foreign.start_refused().await;
    assert_eq!(status.code(), Some(1), "{written}");
    assert!(written.contains("another ENCRYPTION_KEY"), "{written}");

    let gatepost = setup.twin().start().await;
    gatepost.user(user).created("while a server is down").await;
    assert_eq!(receiver.expect(1).await.len(), 1);
    let consumer = consumer.at(gatepost.address());
    let reading = receive(&consumer, &log, json!({ "wait": 30 }));
    let publishing = async {
        // The reader waits when the consumer is listed.
        let consumers = async || consumer.get(&format!("{log}/consumers")).await["consumers"] != json!([]);
        until("the consumer is listed", consumers).await;
        Host(gatepost.address()).publish(user, "a", json!({})).await;
        Instant::now()
    };
    let (answer, published) = tokio::join!(reading, publishing);
    assert_eq!(answer.json()["events"].as_array().expect("events").len(), 1);
    assert!(published.elapsed() < Duration::from_secs(20), "it must not wait for the end");
}
