//! The store keeps every promise of API keys, also when its process is killed.

mod crash;

use std::path::Path;

use adapters_journal::{JournalStore, open_store};
use domain::audit::AuditFilter;
use domain::memory::{MemoryAuditLog, SeededEntropy};
use domain::ports::Store;
use storage_conformance::KeyPorts;
use tempfile::TempDir;

use crash::store_key;

async fn open(folder: &Path) -> Store {
    open_store(&folder.join("journal")).await.expect("a journal")
}

mod key_promises {
    use super::*;
    use std::sync::Arc;
    use storage_conformance::keys::durability;

    async fn open_keys(folder: &Path) -> JournalStore {
        JournalStore::open(&folder.join("journal"), &MemoryAuditLog::default()).await.expect("a journal")
    }

    async fn fresh_store() -> (Arc<dyn KeyPorts>, TempDir) {
        let folder = TempDir::new().expect("a folder for the journal");
        (Arc::new(open_keys(folder.path()).await), folder)
    }

    storage_conformance::key_store_tests!(fresh_store());

    #[tokio::test]
    async fn what_was_answered_is_durable() {
        let (store, folder) = fresh_store().await;
        let written = durability::write(&*store).await;
        drop(store);
        written.expect_in(&open_keys(folder.path()).await).await;
    }
}

/// Replaying a call writes its events to the log in memory again.
#[tokio::test]
async fn events_of_key_changes_are_durable() {
    let folder = TempDir::new().expect("a folder for the journal");
    let store = open(folder.path()).await;
    store_key(&*store.keys.store, &SeededEntropy::new(5)).await;
    let events =
        async |store: &Store| store.audit.list(&AuditFilter::default(), None, 100).await.expect("a list").events;
    let written = events(&store).await;
    drop(store);
    assert_eq!(events(&open(folder.path()).await).await, written);
    assert_ne!(written, []);
}
