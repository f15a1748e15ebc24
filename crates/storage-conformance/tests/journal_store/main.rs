//! A durable toy store for all ports keeps every promise. `docs/writing-an-adapter.md` goes through it.

#![expect(unreachable_pub, reason = "the files of the store are copied into a library")]

mod call;
mod codec;
mod crash;
mod journal;
mod keys;
mod sessions;
mod store;
mod webhooks;

use std::path::Path;
use std::sync::Arc;

use domain::audit::AuditTarget;
use store::JournalStore;
use tempfile::TempDir;

async fn open(folder: &Path) -> Arc<JournalStore> {
    Arc::new(JournalStore::open(&folder.join("journal")).await.expect("a journal"))
}

/// An empty store, and the folder that must outlive it.
async fn fresh() -> (Arc<JournalStore>, TempDir) {
    let folder = TempDir::new().expect("a folder for the journal");
    (open(folder.path()).await, folder)
}

mod key_promises {
    use super::*;
    use domain::ports::KeyStore;
    use storage_conformance::keys::durability;

    async fn fresh_store() -> (Arc<dyn KeyStore>, TempDir) {
        let (store, folder) = fresh().await;
        (store, folder)
    }

    storage_conformance::key_store_tests!(fresh_store());

    #[tokio::test]
    async fn what_was_answered_is_durable() {
        let (store, folder) = fresh().await;
        let written = durability::write(&*store).await;
        drop(store);
        written.expect_in(&*open(folder.path()).await).await;
    }
}

mod change_feed_promises {
    use super::*;
    use storage_conformance::Instances;

    /// One process has the file to itself, so there is one instance.
    async fn instances() -> (Instances, TempDir) {
        let (store, folder) = fresh().await;
        ([store.clone(), store], folder)
    }

    storage_conformance::change_feed_tests!(instances());
}

mod session_promises {
    use super::*;
    use domain::ports::SessionStore;
    use storage_conformance::sessions::durability;

    async fn fresh_store() -> (Arc<dyn SessionStore>, TempDir) {
        let (store, folder) = fresh().await;
        (store, folder)
    }

    storage_conformance::session_store_tests!(fresh_store());

    #[tokio::test]
    async fn what_was_answered_is_durable() {
        let (store, folder) = fresh().await;
        let written = durability::write(&*store).await;
        drop(store);
        written.expect_in(&*open(folder.path()).await).await;
    }
}

mod session_feed_promises {
    use super::*;
    use storage_conformance::{Instances, SharedSessionStore};

    /// One process has the file to itself, so there is one instance.
    async fn instances() -> (Instances<dyn SharedSessionStore>, TempDir) {
        let (store, folder) = fresh().await;
        ([store.clone(), store], folder)
    }

    storage_conformance::session_feed_tests!(instances());
}

mod webhook_promises {
    use super::*;
    use storage_conformance::WebhookStore;
    use storage_conformance::webhooks::durability;

    async fn fresh_store() -> (Arc<dyn WebhookStore>, TempDir) {
        let (store, folder) = fresh().await;
        (store, folder)
    }

    storage_conformance::webhook_store_tests!(fresh_store());

    #[tokio::test]
    async fn what_was_answered_is_durable() {
        let (store, folder) = fresh().await;
        let written = durability::write(&*store).await;
        drop(store);
        written.expect_in(&*open(folder.path()).await).await;
        let opened_again = open(folder.path()).await;
        written.expect_in(&*opened_again).await;
        written.expect_delivered_by(&*opened_again).await;
    }
}

mod audit_promises {
    use super::*;
    use domain::audit::{AuditFilter, Cause, Origin};
    use domain::memory::SeededEntropy;
    use domain::ports::AuditLog;
    use domain::{Timestamp, UserId};
    use storage_conformance::audit::AuditedStores;

    async fn fresh_stores() -> (Arc<AuditedStores>, TempDir) {
        let (store, folder) = fresh().await;
        (Arc::new(AuditedStores::of(&store)), folder)
    }

    storage_conformance::audit_log_tests!(fresh_stores());

    #[tokio::test]
    async fn what_was_answered_is_durable() {
        let (store, folder) = fresh().await;
        let cause = Cause::new(&Origin::of_operator("desk"), Timestamp::MAX, &SeededEntropy::new(1));
        let event = cause.data_read(&UserId::new("https://id.example", "alice").expect("valid"), AuditTarget::Keys);
        AuditLog::record(&*store, &event).await.expect("it is recorded");
        drop(store);
        let opened_again = open(folder.path()).await;
        let page = AuditLog::list(&*opened_again, &AuditFilter::default(), None, 10).await.expect("a list");
        assert_eq!(page.events, [event]);
    }
}
