//! The reference adapter keeps every promise.

use std::future::ready;
use std::sync::Arc;

use domain::memory::MemoryKeyStore;
use domain::ports::KeyStore;

fn fresh_store() -> Arc<dyn KeyStore> {
    Arc::new(MemoryKeyStore::default())
}

storage_conformance::key_store_tests!(ready(fresh_store()));
