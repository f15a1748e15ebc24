//! After a crash: a journal that ends in the middle of a record.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use adapters_journal::open_store;
use domain::ports::{Insertion, KeyStore, Retained, Store};
use domain::{KeyId, ListView};
use storage_conformance::requests::{at, new_key_request, revoke_request, user};
use tempfile::TempDir;

use crate::open;

/// A file of this name in the working directory makes a test the process that is killed.
const KILL_ME: &str = "kill-me";

/// Stores one more key of alice and returns its id.
pub(crate) async fn store_key(store: &dyn KeyStore) -> KeyId {
    let request = new_key_request(&user("alice"), u32::MAX);
    let answer = store.insert_within(&request).await;
    assert!(matches!(answer, Ok(Insertion::Stored(_))), "{answer:?}");
    request.key.id
}

async fn stored(store: &dyn KeyStore) -> Vec<KeyId> {
    let keys = store.list(&user("alice"), ListView::at(at(0))).await.expect("a list");
    keys.into_iter().map(|key| key.id).rev().collect()
}

/// A journal of three keys: its bytes, and after each key its length and all ids so far, sorted as lists show them.
async fn journal_of_three() -> (Vec<u8>, Vec<(usize, Vec<KeyId>)>) {
    let folder = TempDir::new().expect("a folder");
    let (store, path) = (open(folder.path()).await, folder.path().join("journal"));
    let mut answered = vec![(0, Vec::new())];
    for _ in 0..3 {
        store_key(&*store.keys.store).await;
        answered.push((fs::read(&path).expect("a journal").len(), stored(&*store.keys.store).await));
    }
    (fs::read(&path).expect("a journal"), answered)
}

async fn opened(bytes: &[u8], folder: &Path) -> std::io::Result<Store> {
    fs::write(folder.join("journal"), bytes).expect("a journal");
    open_store(&folder.join("journal")).await
}

#[tokio::test]
async fn a_cut_anywhere_loses_nothing_that_was_answered() {
    let (bytes, answered) = journal_of_three().await;
    let folder = TempDir::new().expect("a folder");
    for length in 0..=bytes.len() {
        let store = opened(&bytes[..length], folder.path()).await.expect("a journal with a torn end opens");
        let (_, expected) = answered.iter().rfind(|(end, _)| *end <= length).expect("an empty journal is whole");
        assert_eq!(stored(&*store.keys.store).await, *expected, "cut after {length} bytes");
    }
}

#[tokio::test]
async fn a_torn_end_is_overwritten() {
    let (bytes, _) = journal_of_three().await;
    let folder = TempDir::new().expect("a folder");
    let torn = opened(&bytes[..bytes.len() - 1], folder.path()).await.expect("a journal");
    let new = store_key(&*torn.keys.store).await;
    let reopened = stored(&*open(folder.path()).await.keys.store).await;
    assert_eq!((reopened.len(), reopened.contains(&new)), (3, true));
}

#[tokio::test]
async fn damage_is_cut_off_at_the_end_and_refused_elsewhere() {
    let (bytes, answered) = journal_of_three().await;
    let folder = TempDir::new().expect("a folder");
    for index in [answered[0].0, answered[1].0, answered[2].0].map(|start| start + 20) {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1;
        let opened = opened(&damaged, folder.path()).await;
        assert_eq!(opened.is_ok(), index > answered[2].0, "damage at {index}");
    }
    let zeros = [&bytes[..answered[2].0], &[0; 64]].concat();
    let store = opened(&zeros, folder.path()).await.expect("zeros at the end are cut off");
    assert_eq!(stored(&*store.keys.store).await, answered[2].1);
}

/// A purge of some keys among many deletes the same keys when it is replayed.
#[tokio::test]
async fn a_replayed_purge_deletes_the_same_keys() {
    let folder = TempDir::new().expect("a folder");
    let store = open(folder.path()).await;
    for _ in 0..10 {
        let id = store_key(&*store.keys.store).await;
        store.keys.store.revoke(&revoke_request(&user("alice"), id, at(0))).await.expect("a revocation");
    }
    store.retention.purge(Retained::Keys, at(1_000), 5).await.expect("a purge");
    let kept = stored(&*store.keys.store).await;
    assert_eq!(kept.len(), 5);
    assert_eq!(stored(&*open(folder.path()).await.keys.store).await, kept);
}

/// The process that is killed: it stores keys without end, and prints each id once the store has answered.
#[tokio::test]
async fn the_process_that_is_killed() {
    if !Path::new(KILL_ME).exists() {
        return;
    }
    let store = open(Path::new(".")).await;
    loop {
        let id = store_key(&*store.keys.store).await;
        writeln!(std::io::stdout(), "stored {id}").expect("somebody reads");
    }
}

#[tokio::test]
async fn a_killed_process_loses_nothing_that_it_answered() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join(KILL_ME), "").expect("a file");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "crash::the_process_that_is_killed", "--nocapture"]).current_dir(folder.path());
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut answered: Vec<KeyId> = Vec::new();
    for line in lines {
        let line = line.expect("a line");
        answered.extend(line.strip_prefix("stored ").map(|id| id.parse::<KeyId>().expect("an id")));
        if answered.len() == 20 {
            child.kill().expect("a process to kill");
        }
    }
    child.wait().expect("an end");
    assert!(answered.len() >= 20, "{answered:?}");
    let kept = stored(&*open(folder.path()).await.keys.store).await;
    assert!(answered.iter().all(|id| kept.contains(id)), "{} of {}", kept.len(), answered.len());
}
