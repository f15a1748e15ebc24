use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::task::JoinSet;

use crate::harness::{Setup, Storage, User, on_both_databases, until};

on_both_databases!(kill_9_loses_nothing_that_was_answered);

const ROUNDS: usize = 4;
const WRITERS: usize = 8;
const ANSWERS_BEFORE_THE_KILL: usize = 60;

/// The answers that a client received: the key's id and full key, and whether its revocation was answered. A call that
/// was cut off may or may not have taken effect.
#[derive(Clone)]
struct Told {
    user: User,
    id: String,
    full_key: String,
    revocation: Call,
}

#[derive(Clone, Copy)]
enum Call {
    NotMade,
    CutOff,
    Answered,
}

async fn kill_9_loses_nothing_that_was_answered(storage: Storage) {
    let mut gatepost = Setup::serve(&storage).await.with("API_KEYS_MAX_ACTIVE", "10000").start().await;
    for round in 0..ROUNDS {
        let told = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(AtomicUsize::new(0));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let user = gatepost.user(&format!("writer {writer} of round {round}"));
            writers.spawn(write_until_cut_off(user, Arc::clone(&told), Arc::clone(&answers)));
        }
        until("enough answers", async || answers.load(Ordering::Relaxed) >= ANSWERS_BEFORE_THE_KILL).await;
        gatepost.kill().await;
        writers.join_all().await;
        gatepost.start_again().await;
        let told = told.lock().unwrap().clone();
        assert!(told.len() >= ANSWERS_BEFORE_THE_KILL / 2, "too few calls: {}", told.len());
        for key in &told {
            assert_kept(key, &gatepost).await;
        }
    }
}

/// Creates keys, revokes every second key, and records the answers.
async fn write_until_cut_off(user: User, told: Arc<Mutex<Vec<Told>>>, answers: Arc<AtomicUsize>) {
    for number in 0.. {
        let request = user.request("POST").json(&serde_json::json!({ "label": format!("key {number}") }));
        let Ok(created) = user.try_send(&request).await else { return };
        assert_eq!(created.status, 200, "{}", created.text());
        answers.fetch_add(1, Ordering::Relaxed);
        let created = created.json();
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        let mut key = Told { user: user.clone(), id: text("keyId"), full_key: text("key"), revocation: Call::NotMade };
        if number % 2 == 1 {
            let request = user.request("DELETE").json(&serde_json::json!({ "keyId": key.id }));
            key.revocation = Call::CutOff;
            if let Ok(revoked) = user.try_send(&request).await {
                assert_eq!(revoked.status, 200, "{}", revoked.text());
                answers.fetch_add(1, Ordering::Relaxed);
                key.revocation = Call::Answered;
            }
        }
        told.lock().unwrap().push(key);
    }
}

async fn assert_kept(told: &Told, gatepost: &crate::harness::Gatepost) {
    let keys = told.user.keys().await;
    let record = keys.iter().find(|key| key["id"] == told.id.as_str()).expect("an answered creation is stored");
    let works = gatepost.whoami(&told.full_key).await.status == 200;
    let revoked = record["revokedAt"] != Value::Null;
    assert_eq!(works, !revoked);
    match told.revocation {
        Call::NotMade => assert!(!revoked, "a key that nobody revoked"),
        Call::CutOff => {}
        Call::Answered => assert!(revoked, "an answered revocation is stored"),
    }
}
