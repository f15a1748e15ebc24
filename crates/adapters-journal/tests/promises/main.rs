//! The store keeps every promise of API keys, also when its process is killed.

mod crash;

use std::path::Path;

use adapters_journal::{JournalStore, open_store};
use domain::audit::AuditFilter;
use domain::memory::{MemoryAuditLog, MemoryOwnerStore, MemoryOwners, unique_cause};
use domain::ports::{ChangeOwnerRequest, SetOwnerStateRequest, Store};
use domain::{OwnerChange, OwnerName, OwnerRecord, OwnerStateChange, Patch, Timestamp};
use storage_conformance::KeyPorts;
use storage_conformance::requests::user;
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
        let (records, audit) = (MemoryOwners::default(), MemoryAuditLog::default());
        let owners = MemoryOwnerStore::of(records.clone());
        JournalStore::open(&folder.join("journal"), records, owners, &audit).await.expect("a journal")
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

mod owner_promises {
    use super::*;
    use domain::memory::{MemorySessionStore, MemoryWebhookStore};
    use std::sync::Arc;
    use storage_conformance::owners::OwnedStores;

    async fn fresh_stores() -> (Arc<OwnedStores>, TempDir) {
        let folder = TempDir::new().expect("a folder for the journal");
        let (records, audit) = (MemoryOwners::default(), MemoryAuditLog::default());
        let webhooks = MemoryWebhookStore::default().obeying(records.clone()).writing_to(audit.clone());
        let sessions = MemorySessionStore::default().obeying(records.clone());
        let owners = MemoryOwnerStore::of(records.clone()).beside(&webhooks, &sessions).writing_to(audit.clone());
        let path = folder.path().join("journal");
        let journal = Arc::new(JournalStore::open(&path, records, owners, &audit).await.expect("a journal"));
        let stores = OwnedStores {
            owners: journal.clone(),
            keys: journal,
            sessions: Arc::new(sessions),
            webhooks: Arc::new(webhooks),
            audit: Arc::new(audit),
            feed: None,
        };
        (Arc::new(stores), folder)
    }

    storage_conformance::owner_store_tests!(fresh_stores());
}

/// A record of an owner is found again, with its state.
#[tokio::test]
async fn records_of_owners_are_durable() {
    let folder = TempDir::new().expect("a folder for the journal");
    let owner = user("alice");
    let store = open(folder.path()).await;
    let change = OwnerChange {
        name: Patch::Set(OwnerName::parse("Acme").expect("a name")),
        max_active_keys: Patch::Set(7),
        ..OwnerChange::default()
    };
    let request = ChangeOwnerRequest { owner: owner.clone(), change, cause: unique_cause() };
    store.owners.change(&request).await.expect("a change");
    let state = OwnerStateChange::Suspend { reason: None };
    let at = Timestamp::MIN;
    let request = SetOwnerStateRequest { owner: owner.clone(), state, at, cause: unique_cause() };
    let written = store.owners.set_state(&request).await.expect("a change");
    drop(store);
    assert_eq!(open(folder.path()).await.owners.find(&owner).await.expect("a record"), written);
    assert_ne!(written, OwnerRecord::default());
}

/// Replaying a call writes its events to the log in memory again.
#[tokio::test]
async fn events_of_key_changes_are_durable() {
    let folder = TempDir::new().expect("a folder for the journal");
    let store = open(folder.path()).await;
    store_key(&*store.keys.store).await;
    let events =
        async |store: &Store| store.audit.list(&AuditFilter::default(), None, 100).await.expect("a list").events;
    let written = events(&store).await;
    drop(store);
    assert_eq!(events(&open(folder.path()).await).await, written);
    assert_ne!(written, []);
}
