//! A durable toy store keeps every promise of API keys. `docs/writing-an-adapter.md` goes through it.

#![expect(unreachable_pub, reason = "the files of the store are copied into a library")]

mod call;
mod codec;
mod crash;
mod journal;
mod keys;
mod store;

use std::path::Path;

use domain::audit::AuditFilter;
use domain::ports::{KeyStore, Store};
use tempfile::TempDir;

async fn open(folder: &Path) -> Store {
    store::open_store(&folder.join("journal")).await.expect("a journal")
}

/// An empty store, and the folder that must outlive it.
async fn fresh() -> (Store, TempDir) {
    let folder = TempDir::new().expect("a folder for the journal");
    (open(folder.path()).await, folder)
}

mod key_promises {
    use super::*;
    use std::sync::Arc;
    use storage_conformance::keys::durability;

    async fn fresh_store() -> (Arc<dyn KeyStore>, TempDir) {
        let (store, folder) = fresh().await;
        (store.keys, folder)
    }

    storage_conformance::key_store_tests!(fresh_store());

    #[tokio::test]
    async fn what_was_answered_is_durable() {
        let (store, folder) = fresh().await;
        let written = durability::write(&*store.keys).await;
        drop(store);
        written.expect_in(&*open(folder.path()).await.keys).await;
    }
}

/// Replaying a call writes its events to the log in memory again.
#[tokio::test]
async fn events_of_key_changes_are_durable() {
    let (store, folder) = fresh().await;
    storage_conformance::keys::durability::write(&*store.keys).await;
    let events =
        async |store: &Store| store.audit.list(&AuditFilter::default(), None, 100).await.expect("a list").events;
    let written = events(&store).await;
    drop(store);
    assert_eq!(events(&open(folder.path()).await).await, written);
    assert_ne!(written, []);
}
