use std::sync::Arc;

use async_trait::async_trait;

use super::audit::AuditLog;
use super::catalogue::EventTypes;
use super::change_feed::ChangeFeed;
use super::credentials::CredentialStore;
use super::figures::StoreFigures;
use super::keys::{KeyStore, KeyUsageStore};
use super::owners::{Erasure, OwnerStore};
use super::retention::Retention;
use super::schema::Schema;
use super::sessions::SessionStore;
use super::system::ReadinessCheck;
use super::webhooks::delivery_commands::DeliveryCommands;
use super::webhooks::delivery_log::DeliveryLog;
use super::webhooks::events::EventStore;
use super::webhooks::operator_log::OperatorLog;
use super::webhooks::pulled_events::PulledEvents;
use super::webhooks::queue::DeliveryQueue;
use super::webhooks::subscriptions::{SealedSecretStore, SubscriptionStore};
use crate::ApiKey;
use crate::sessions::Session;

/// The connections, threads and tasks that a store keeps.
#[async_trait]
pub trait Close: Send + Sync {
    /// Finishes the writes that have begun and closes the connections. Every later call of the store fails with
    /// [`StoreError::Unavailable`](super::StoreError::Unavailable). A store without connections keeps this default.
    async fn close(&self) {}

    /// Returns the name of a thread or task of the store that has ended, although calls need it: such a store would
    /// fail until the process ends. Never returns while all of them run. After [`Close::close`] the answer has no
    /// meaning. A store without threads and tasks keeps this default.
    async fn part_ended(&self) -> &'static str {
        std::future::pending().await
    }
}

/// All ports of one database. An adapter implements them on one type, and the binary builds this bundle where it
/// chooses the database; no other code knows which database it is.
#[derive(Clone)]
pub struct Store {
    /// Stores API keys.
    pub keys: KeyStores,
    /// Stores sessions.
    pub sessions: SessionStores,
    /// Stores what hosts set for owners.
    pub owners: Arc<dyn OwnerStore>,
    /// Erases owners.
    pub erasure: Arc<dyn Erasure>,
    /// Shows who changed what.
    pub audit: Arc<dyn AuditLog>,
    /// Deletes old data.
    pub retention: Arc<dyn Retention>,
    /// Report changes of keys and sessions to the other processes on this database; none if one process uses the
    /// database alone. A store that is composed of several has one for each, in their order: an owner's changes are in
    /// the feed of the owner's [`Home`](crate::Home).
    pub changes: Vec<Arc<dyn ChangeFeed>>,
    /// The ports of the use cases of webhooks.
    pub webhooks: WebhookStores,
    /// The catalogue of event types.
    pub event_types: Arc<dyn EventTypes>,
    /// The queue that dispatchers empty.
    pub queue: Arc<dyn DeliveryQueue>,
    /// The load, for operators.
    pub figures: Arc<dyn StoreFigures>,
    /// Whether the database works now.
    pub readiness: Arc<dyn ReadinessCheck>,
    /// Migrates the database.
    pub schema: Arc<dyn Schema>,
    /// Closes the database.
    pub closing: Arc<dyn Close>,
}

/// The ports of API keys.
#[derive(Clone)]
pub struct KeyStores {
    /// Creates, lists, rotates and revokes keys.
    pub store: Arc<dyn KeyStore>,
    /// Verifies keys.
    pub credentials: Arc<dyn CredentialStore<ApiKey>>,
    /// Counts verifications.
    pub usage: Arc<dyn KeyUsageStore>,
}

/// The ports of sessions.
#[derive(Clone)]
pub struct SessionStores {
    /// Opens, lists and ends sessions.
    pub store: Arc<dyn SessionStore>,
    /// Verifies sessions.
    pub credentials: Arc<dyn CredentialStore<Session>>,
}

/// The ports that the use cases of webhooks read and write. The queue is not one of them: dispatchers use it.
#[derive(Clone)]
pub struct WebhookStores {
    /// Stores subscriptions.
    pub subscriptions: Arc<dyn SubscriptionStore>,
    /// Stores the secrets of subscriptions under another key.
    pub secrets: Arc<dyn SealedSecretStore>,
    /// Accepts events.
    pub events: Arc<dyn EventStore>,
    /// Shows deliveries.
    pub log: Arc<dyn DeliveryLog>,
    /// Retries, cancels and recovers deliveries.
    pub commands: Arc<dyn DeliveryCommands>,
    /// Shows operators the webhooks of all owners.
    pub operator_log: Arc<dyn OperatorLog>,
    /// Keeps the events that are pulled.
    pub pulled: Arc<dyn PulledEvents>,
}

impl Store {
    /// A database that one process uses alone.
    pub fn single<Adapter>(adapter: &Arc<Adapter>) -> Self
    where
        Adapter: KeyStore
            + CredentialStore<ApiKey>
            + KeyUsageStore
            + SessionStore
            + CredentialStore<Session>
            + OwnerStore
            + Erasure
            + AuditLog
            + Retention
            + SubscriptionStore
            + SealedSecretStore
            + EventStore
            + DeliveryLog
            + DeliveryCommands
            + OperatorLog
            + PulledEvents
            + EventTypes
            + DeliveryQueue
            + StoreFigures
            + ReadinessCheck
            + Schema
            + Close
            + 'static,
    {
        Self {
            keys: KeyStores::of(adapter),
            sessions: SessionStores::of(adapter),
            owners: Arc::clone(adapter) as _,
            erasure: Arc::clone(adapter) as _,
            audit: Arc::clone(adapter) as _,
            retention: Arc::clone(adapter) as _,
            changes: Vec::new(),
            webhooks: WebhookStores::of(adapter),
            event_types: Arc::clone(adapter) as _,
            queue: Arc::clone(adapter) as _,
            figures: Arc::clone(adapter) as _,
            readiness: Arc::clone(adapter) as _,
            schema: Arc::clone(adapter) as _,
            closing: Arc::clone(adapter) as _,
        }
    }

    /// The same database, when several processes share it and learn of each other's changes from `changes`.
    #[must_use]
    pub fn shared(self, changes: Arc<dyn ChangeFeed>) -> Self {
        Self { changes: vec![changes], ..self }
    }

    /// See [`Close::close`].
    pub async fn close(&self) {
        self.closing.close().await;
    }
}

impl KeyStores {
    /// The ports of one adapter.
    pub fn of<Adapter>(adapter: &Arc<Adapter>) -> Self
    where
        Adapter: KeyStore + CredentialStore<ApiKey> + KeyUsageStore + 'static,
    {
        Self { store: Arc::clone(adapter) as _, credentials: Arc::clone(adapter) as _, usage: Arc::clone(adapter) as _ }
    }
}

impl SessionStores {
    /// The ports of one adapter.
    pub fn of<Adapter>(adapter: &Arc<Adapter>) -> Self
    where
        Adapter: SessionStore + CredentialStore<Session> + 'static,
    {
        Self { store: Arc::clone(adapter) as _, credentials: Arc::clone(adapter) as _ }
    }
}

impl WebhookStores {
    /// The ports of one adapter.
    pub fn of<Adapter>(adapter: &Arc<Adapter>) -> Self
    where
        Adapter: SubscriptionStore
            + SealedSecretStore
            + EventStore
            + DeliveryLog
            + DeliveryCommands
            + OperatorLog
            + PulledEvents
            + 'static,
    {
        Self {
            subscriptions: Arc::clone(adapter) as _,
            secrets: Arc::clone(adapter) as _,
            events: Arc::clone(adapter) as _,
            log: Arc::clone(adapter) as _,
            commands: Arc::clone(adapter) as _,
            operator_log: Arc::clone(adapter) as _,
            pulled: Arc::clone(adapter) as _,
        }
    }
}
