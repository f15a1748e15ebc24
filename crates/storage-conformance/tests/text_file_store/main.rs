//! A toy adapter, `store.rs`, keeps every promise. `docs/writing-an-adapter.md` goes through it.

mod file;
mod store;

use std::future::ready;
use std::sync::Arc;

use domain::ports::KeyStore;
use storage_conformance::keys::durability;
use store::TextFileStore;
use tempfile::TempDir;

fn open(folder: &TempDir) -> Arc<dyn KeyStore> {
    Arc::new(TextFileStore::open(folder.path().join("keys")).expect("a file of keys"))
}

/// A store, and the folder that must outlive it.
fn fresh_store() -> (Arc<dyn KeyStore>, TempDir) {
    let folder = TempDir::new().expect("a folder for the keys");
    (open(&folder), folder)
}

storage_conformance::key_store_tests!(ready(fresh_store()));

#[tokio::test]
async fn what_was_answered_is_durable() {
    let (store, folder) = fresh_store();
    let written = durability::write(&*store).await;
    drop(store);
    written.expect_in(&*open(&folder)).await;
}
