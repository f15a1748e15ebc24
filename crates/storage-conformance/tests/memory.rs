//! The reference adapters keep every promise.

use std::future::ready;
use std::sync::Arc;

mod keys {
    use super::*;
    use domain::memory::MemoryKeyStore;
    use storage_conformance::{Instances, KeyPorts};

    fn fresh_store() -> Arc<dyn KeyPorts> {
        Arc::new(MemoryKeyStore::default())
    }

    storage_conformance::key_store_tests!(ready(fresh_store()));

    mod shared {
        use super::*;

        /// The store has only one instance.
        fn instances() -> Instances {
            let store = Arc::new(MemoryKeyStore::default());
            [store.clone(), store]
        }

        storage_conformance::change_feed_tests!(ready((instances(), ())));
    }
}

mod sessions {
    use super::*;
    use domain::memory::MemorySessionStore;
    use storage_conformance::{Instances, SessionPorts, SharedSessionStore};

    fn fresh_store() -> Arc<dyn SessionPorts> {
        Arc::new(MemorySessionStore::default())
    }

    storage_conformance::session_store_tests!(ready(fresh_store()));

    mod shared {
        use super::*;

        /// The store has only one instance.
        fn instances() -> Instances<dyn SharedSessionStore> {
            let store = Arc::new(MemorySessionStore::default());
            [store.clone(), store]
        }

        storage_conformance::session_feed_tests!(ready((instances(), ())));
    }
}

mod webhooks {
    use super::*;
    use domain::memory::MemoryWebhookStore;
    use storage_conformance::WebhookStore;

    fn fresh_store() -> Arc<dyn WebhookStore> {
        Arc::new(MemoryWebhookStore::default())
    }

    storage_conformance::webhook_store_tests!(ready(fresh_store()));

    #[tokio::test]
    async fn publications_claim_for_the_dispatcher() {
        storage_conformance::webhooks::direct_claims::publications_claim_for_the_dispatcher(fresh_store()).await;
    }

    /// The store is not durable, so the suite looks for the answered writes in a store that stays open.
    #[tokio::test]
    async fn what_was_answered_is_there() {
        let store = MemoryWebhookStore::default();
        let written = storage_conformance::webhooks::durability::write(&store).await;
        written.expect_in(&store).await;
        written.expect_delivered_by(&store).await;
    }
}

mod owners {
    use super::*;
    use domain::memory::{
        MemoryAuditLog, MemoryChangeFeed, MemoryKeyStore, MemoryOwnerStore, MemoryOwners, MemorySessionStore,
        MemoryWebhookStore,
    };
    use storage_conformance::owners::OwnedStores;

    fn fresh_stores() -> Arc<OwnedStores> {
        let (log, feed, records) = (MemoryAuditLog::default(), MemoryChangeFeed::default(), MemoryOwners::default());
        let webhooks = MemoryWebhookStore::default().obeying(records.clone()).writing_to(log.clone());
        let keys = MemoryKeyStore::reporting_to(feed.clone()).obeying(records.clone()).writing_to(log.clone());
        let sessions = MemorySessionStore::reporting_to(feed.clone()).obeying(records.clone()).writing_to(log.clone());
        let owners =
            MemoryOwnerStore::of(records).beside(&webhooks, &sessions).counting(&keys).reporting_to(feed.clone());
        Arc::new(OwnedStores {
            owners: Arc::new(owners.writing_to(log.clone())),
            keys: Arc::new(keys),
            sessions: Arc::new(sessions),
            webhooks: Arc::new(webhooks),
            audit: Arc::new(log),
            feed: Some(Arc::new(feed)),
        })
    }

    storage_conformance::owner_store_tests!(ready(fresh_stores()));
}

mod audit {
    use super::*;
    use domain::memory::{MemoryAuditLog, MemoryKeyStore, MemorySessionStore, MemoryWebhookStore};
    use storage_conformance::audit::AuditedStores;

    fn fresh_stores() -> Arc<AuditedStores> {
        let log = MemoryAuditLog::default();
        Arc::new(AuditedStores::new(
            Arc::new(MemoryKeyStore::default().writing_to(log.clone())),
            Arc::new(MemorySessionStore::default().writing_to(log.clone())),
            Arc::new(MemoryWebhookStore::default().writing_to(log.clone())),
            Arc::new(log),
        ))
    }

    storage_conformance::audit_log_tests!(ready(fresh_stores()));
}

mod catalogue {
    use super::*;
    use domain::memory::{MemoryAuditLog, MemoryEventTypes};
    use storage_conformance::catalogue::CatalogueStore;

    fn fresh_store() -> Arc<CatalogueStore> {
        let log = MemoryAuditLog::default();
        let types = MemoryEventTypes::default().writing_to(log.clone());
        Arc::new(CatalogueStore::new(Arc::new(types), Arc::new(log)))
    }

    storage_conformance::catalogue_tests!(ready(fresh_store()));
}
