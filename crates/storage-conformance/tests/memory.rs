//! The reference adapter keeps every promise.

use std::future::ready;
use std::sync::Arc;

use domain::memory::MemoryKeyStore;
use domain::ports::KeyStore;
use storage_conformance::Instances;

fn fresh_store() -> Arc<dyn KeyStore> {
    Arc::new(MemoryKeyStore::default())
}

storage_conformance::key_store_tests!(ready(fresh_store()));

mod shared {
    use super::*;

    /// It has but one instance.
    fn instances() -> Instances {
        let store = Arc::new(MemoryKeyStore::default());
        [store.clone(), store]
    }

    storage_conformance::change_feed_tests!(ready((instances(), ())));
}
