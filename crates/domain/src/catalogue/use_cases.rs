use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::event_type_entry::EventTypeEntry;
use super::live_types::{InvalidEventCounts, LiveTypes, PublicationRefusal, UncataloguedTypes, Warning};
use crate::ports::{Clock, Entropy, EventTypes, InvalidPayloadSchema, PayloadSchemas, StoreError};
use crate::webhooks::EventType;

/// The catalogue was not read in this process.
const UNREAD: u8 = 0;
/// No publication needs a check.
const NO_CHECKS: u8 = 1;
/// Publications are checked.
const CHECKS: u8 = 2;

/// The use cases of the catalogue of event types. `catalogue_changes` has those that change it.
///
/// A process has the types in memory with their compiled schemas. Its own changes count at once; [`Catalogue::follow`]
/// reads those of other processes. A process whose catalogue is empty and open pays one atomic load for a publication.
pub struct Catalogue {
    pub(super) store: Arc<dyn EventTypes>,
    pub(super) schemas: Arc<dyn PayloadSchemas>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
    uncatalogued: UncataloguedTypes,
    state: AtomicU8,
    live: RwLock<Arc<LiveTypes>>,
}

/// Why the types in memory stay as they were.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The schema of this type, which another version has stored, does not compile.
    #[error("the schema of the event type {0} does not compile")]
    Schema(EventType, #[source] InvalidPayloadSchema),
}

impl Catalogue {
    /// The catalogue on these ports.
    pub fn new(
        store: Arc<dyn EventTypes>,
        schemas: Arc<dyn PayloadSchemas>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        uncatalogued: UncataloguedTypes,
    ) -> Self {
        Self { store, schemas, clock, entropy, uncatalogued, state: AtomicU8::new(UNREAD), live: RwLock::default() }
    }

    /// All entries, sorted by name.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        self.store.list().await
    }

    /// The entry of this type.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        self.store.find(name).await
    }

    /// Reads the changes since the last call, of all processes.
    ///
    /// # Errors
    ///
    /// See [`FollowError`].
    pub async fn follow(&self) -> Result<(), FollowError> {
        let live = self.live();
        let is_read = self.state.load(Ordering::Acquire) != UNREAD;
        if is_read && self.store.last_revision().await? == live.revision {
            return Ok(());
        }
        let entries = self.store.list().await?;
        let read = LiveTypes::of(entries, &live, &*self.schemas).await;
        let read = read.map_err(|(name, error)| FollowError::Schema(name, error))?;
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        // Of two calls, the one that has read more counts.
        if read.revision >= live.revision {
            let is_free = read.is_empty() && self.uncatalogued == UncataloguedTypes::Open;
            *live = Arc::new(read);
            self.state.store(if is_free { NO_CHECKS } else { CHECKS }, Ordering::Release);
        }
        Ok(())
    }

    /// Checks events that are about to be published, each a type and its data. Returns the warnings, by rising index.
    ///
    /// # Errors
    ///
    /// See [`PublicationRefusal`].
    pub async fn check<'a>(
        &self,
        events: impl Iterator<Item = (&'a EventType, &'a str)>,
    ) -> Result<Vec<Warning>, PublicationRefusal> {
        match self.state.load(Ordering::Acquire) {
            NO_CHECKS => return Ok(Vec::new()),
            UNREAD => self.follow().await.map_err(|error| match error {
                FollowError::Store(error) => error,
                FollowError::Schema(..) => StoreError::Unavailable(error.into()),
            })?,
            _ => {}
        }
        self.live().check(events, self.uncatalogued)
    }

    /// How many events broke the schema of their type since this process started, for each type that is checked or was,
    /// sorted by name. Does not wait.
    pub fn invalid_events(&self) -> Vec<InvalidEventCounts> {
        self.live().invalid_events()
    }

    fn live(&self) -> Arc<LiveTypes> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }
}
