//! The specimen of `docs/writing-an-adapter.md`: API keys and records of owners in memory, and every change of them in a
//! file. A method that
//! writes records its call first, and then does in memory what the call says. The other ports are stores in memory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::{
    MemoryAuditLog, MemoryEventTypes, MemoryKeyStore, MemoryOwnerStore, MemoryOwners, MemorySessionStore,
    MemoryWebhookStore,
};
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, Close, EraseRequest, Erasure, KeyStores, ListOwnersRequest, NotReady, OwnerStore,
    ReadinessCheck, Retention, Schema, SessionStores, SetOwnerStateRequest, Store, StoreError, WebhookStores,
};
use domain::{OwnerId, OwnerPage, OwnerRecord};
use tokio::sync::{Mutex, MutexGuard};

use crate::call::{Call, Memory};
use crate::journal::Journal;

pub(crate) type Answer<T> = Result<T, StoreError>;

/// API keys and the records of owners in memory, and every change of them in a file.
///
/// An adapter mints no id and reads no clock, so the outcome of a call depends only on its arguments and the calls
/// before it. Replaying the file therefore leads to the same store again.
pub struct JournalStore {
    pub(crate) memory: Memory,
    journal: Mutex<Journal>,
}

impl JournalStore {
    /// Opens the file and replays the calls in it. Their events are in the audit log again. The other parts of the store
    /// must obey the same records of owners.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or is damaged elsewhere than at its end.
    pub async fn open(
        path: &Path,
        records: MemoryOwners,
        owners: MemoryOwnerStore,
        audit: &MemoryAuditLog,
    ) -> io::Result<Self> {
        let (journal, calls) = Journal::open(path)?;
        let keys = MemoryKeyStore::default().obeying(records).writing_to(audit.clone());
        let memory = Memory { owners: owners.counting(&keys), keys };
        for call in calls {
            call.replay(&memory).await;
        }
        Ok(Self { memory, journal: Mutex::new(journal) })
    }

    /// Makes the call durable. The caller keeps the guard until memory has changed too, so that memory sees the calls
    /// in the order of the journal. It must not await in between: a dropped future then leaves all of the call or none
    /// of it.
    pub(crate) async fn record(&self, call: Call) -> Answer<MutexGuard<'_, Journal>> {
        let mut journal = self.journal.lock().await;
        // Blocks its thread while the disk works. A real adapter writes on a separate thread.
        journal.append(&call).map_err(|error| StoreError::Unavailable(error.into()))?;
        Ok(journal)
    }
}

/// Opens a store of all ports: API keys and records of owners in the file, and the rest in memory until your database has it.
///
/// # Errors
///
/// As [`JournalStore::open`].
pub async fn open_store(path: &Path) -> io::Result<Store> {
    let (audit, records) = (MemoryAuditLog::default(), MemoryOwners::default());
    let webhooks = Arc::new(MemoryWebhookStore::default().obeying(records.clone()).writing_to(audit.clone()));
    let sessions = Arc::new(MemorySessionStore::default().obeying(records.clone()).writing_to(audit.clone()));
    let owners = MemoryOwnerStore::of(records.clone()).beside(&webhooks, &sessions).writing_to(audit.clone());
    let keys = Arc::new(JournalStore::open(path, records, owners, &audit).await?);
    let event_types = MemoryEventTypes::default().writing_to(audit.clone());
    let parts: Vec<Arc<dyn Retention>> =
        vec![keys.clone(), sessions.clone(), webhooks.clone(), Arc::new(audit.clone())];
    Ok(Store {
        keys: KeyStores::of(&keys),
        sessions: SessionStores::of(&sessions),
        owners: Arc::clone(&keys) as _,
        erasure: Arc::clone(&keys) as _,
        audit: Arc::new(audit),
        retention: Arc::new(parts),
        changes: Vec::new(),
        webhooks: WebhookStores::of(&webhooks),
        event_types: Arc::new(event_types),
        queue: Arc::clone(&webhooks) as _,
        figures: webhooks,
        readiness: Arc::clone(&keys) as _,
        schema: Arc::clone(&keys) as _,
        closing: keys,
    })
}

#[async_trait]
impl OwnerStore for JournalStore {
    async fn find(&self, owner: &OwnerId) -> Answer<OwnerRecord> {
        self.memory.owners.find(owner).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Answer<ChangedOwner> {
        let _journal = self.record(Call::ChangeOwner(request.clone())).await?;
        self.memory.owners.change(request).await
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Answer<OwnerRecord> {
        let _journal = self.record(Call::SetOwnerState(request.clone())).await?;
        self.memory.owners.set_state(request).await
    }

    async fn list(&self, request: &ListOwnersRequest) -> Answer<OwnerPage> {
        self.memory.owners.list(request).await
    }
}

#[async_trait]
impl Erasure for JournalStore {
    async fn erasing(&self, max: u32) -> Answer<Vec<OwnerId>> {
        self.memory.owners.erasing(max).await
    }

    async fn erase(&self, request: &EraseRequest) -> Answer<u32> {
        let _journal = self.record(Call::Erase(request.clone())).await?;
        self.memory.owners.erase(request).await
    }

    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Answer<bool> {
        let _journal = self.record(Call::FinishErasure(owner.clone(), cause.clone())).await?;
        self.memory.owners.finish_erasure(owner, cause).await
    }
}

#[async_trait]
impl ReadinessCheck for JournalStore {
    async fn check(&self) -> Result<(), NotReady> {
        if self.journal.lock().await.is_broken() {
            return Err(NotReady { summary: "the journal does not take writes", source: None });
        }
        Ok(())
    }
}

/// There is no schema.
impl Schema for JournalStore {}

/// The file closes with the store.
impl Close for JournalStore {}
