//! The promises of [`domain::ports::EventTypes`], the catalogue of event types.

pub mod changes;
pub mod entries;
mod sample;
mod suite;

use std::sync::Arc;

use domain::ports::{AuditLog, EventTypes};

pub use suite::PROMISES;

/// A catalogue, and the audit log that has its changes.
pub struct CatalogueStore {
    pub(crate) types: Arc<dyn EventTypes>,
    pub(crate) audit: Arc<dyn AuditLog>,
}

impl CatalogueStore {
    /// These two.
    pub fn new(types: Arc<dyn EventTypes>, audit: Arc<dyn AuditLog>) -> Self {
        Self { types, audit }
    }

    /// One store that has both.
    pub fn of<Store: EventTypes + AuditLog + 'static>(store: &Arc<Store>) -> Self {
        Self::new(Arc::clone(store) as _, Arc::clone(store) as _)
    }
}
