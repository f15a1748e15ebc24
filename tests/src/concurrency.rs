//! The maximum holds under concurrency: the count is exact in every round, and no call fails because of it.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::harness::{Connection, Gatepost, Response, Setup, Storage, User, on_both_databases};

const ROUNDS: usize = 50;
const CALLS: usize = 64;
const MAX_ACTIVE: usize = 10;

on_both_databases!(one_process_stores_exactly_the_maximum);

async fn one_process_stores_exactly_the_maximum(storage: Storage) {
    storm(&[Setup::serve(&storage).await.start().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_over_postgres_store_exactly_the_maximum() {
    two_processes_store_exactly_the_maximum(&Storage::postgres().await).await;
}

pub(crate) async fn two_processes_store_exactly_the_maximum(storage: &Storage) {
    let setup = Setup::serve(storage).await;
    let twin = setup.twin();
    // Both start at once, so that they also race for the migrations.
    let (one, two) = tokio::join!(setup.start(), twin.start());
    storm(&[one, two]).await;
}

/// In each round, all calls of a new user go to the instances at once.
async fn storm(instances: &[Gatepost]) {
    for round in 0..ROUNDS {
        let user = instances[0].user(&format!("user of round {round}"));
        let answers = create_at_once(instances, &user).await;
        let stored = answers.iter().filter(|answer| answer.status == 200).count();
        for refusal in answers.iter().filter(|answer| answer.status != 200) {
            assert_eq!(refusal.status, 400, "round {round}: {}", refusal.text());
            assert_eq!(refusal.json()["code"], "api_key_limit_reached", "round {round}");
        }
        assert_eq!(stored, MAX_ACTIVE, "round {round}: answered as stored");
        for instance in instances {
            let keys = user.at(instance.address()).keys().await;
            let active = keys.iter().filter(|key| key["revokedAt"] == Value::Null).count();
            assert_eq!((active, keys.len()), (MAX_ACTIVE, MAX_ACTIVE), "round {round}: stored");
        }
    }
}

/// Every connection sends its request except the last byte. When all connections have done so, all send that byte.
async fn create_at_once(instances: &[Gatepost], user: &User) -> Vec<Response> {
    let gate = Arc::new(Barrier::new(CALLS));
    let mut calls = JoinSet::new();
    for call in 0..CALLS {
        let request = user.request("POST").json(&json!({ "label": format!("call {call}") }));
        let address = instances[call % instances.len()].address();
        calls.spawn(call_through_the_gate(address, request.bytes(), Arc::clone(&gate)));
    }
    calls.join_all().await
}

async fn call_through_the_gate(address: SocketAddr, request: Vec<u8>, gate: Arc<Barrier>) -> Response {
    let mut connection = Connection::open(address).await.unwrap();
    let (most, last) = request.split_at(request.len() - 1);
    connection.send(most).await.unwrap();
    gate.wait().await;
    connection.send(last).await.unwrap();
    connection.receive("POST").await.unwrap()
}
