use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::unique_cause;
use domain::ports::{ChangeSubscriptionRequest, ClaimRequest, RecoverRequest, RetryRequest, SubscriptionStore as _};
use domain::webhooks::{NewEvent, Recoverable, SubscriptionChange};
use domain::{OwnerId, SubscriptionId, Timestamp};
use storage_conformance::requests::{claim_request, named_event, new_event, new_subscription_request, user};
use throwaway_postgres::{Cluster, Database};

use crate::databases;

pub(crate) use storage_conformance::requests::{at, delivered};

pub(crate) use crate::databases::connect;

pub(crate) const LEASE: Duration = Duration::from_mins(1);

pub(crate) async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 4 }).await.unwrap()
}

/// Instances on one fresh database.
pub(crate) async fn instances(count: usize) -> (Vec<PostgresStore>, Database) {
    let database = databases::migrated().await;
    let stores = futures_util::future::join_all((0..count).map(|_| open(&database.url))).await;
    (stores, database)
}

/// One instance on a fresh database.
pub(crate) async fn instance() -> (PostgresStore, Database) {
    let (mut stores, database) = instances(1).await;
    (stores.remove(0), database)
}

pub(crate) async fn query(database: &Database, sql: &str) -> String {
    Cluster::shared().await.unwrap().execute(&database.name, sql).await.unwrap()
}

/// Enables a subscription of alice and makes ten of its deliveries due.
pub(crate) fn recovery(subscription: SubscriptionId, retry: RetryRequest) -> RecoverRequest {
    RecoverRequest {
        owner: alice(),
        subscription,
        retry,
        filter: Recoverable::All.into(),
        after: None,
        max: 10,
        cause: unique_cause(),
        enables: true,
    }
}

pub(crate) fn alice() -> OwnerId {
    user("alice")
}

pub(crate) async fn subscribe(store: &PostgresStore) -> SubscriptionId {
    let request = new_subscription_request(&alice());
    store.insert_within(&request).await.unwrap();
    request.subscription.id
}

pub(crate) async fn disable(store: &PostgresStore, id: SubscriptionId, at: Timestamp) {
    let change = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    let request = ChangeSubscriptionRequest { owner: alice(), id, change, at, cause: unique_cause() };
    store.update(&request).await.unwrap();
}

pub(crate) fn event() -> NewEvent {
    event_at(at(0))
}

pub(crate) fn event_at(created_at: Timestamp) -> NewEvent {
    new_event(&alice(), created_at)
}

pub(crate) fn named(id: &str, content: &str) -> NewEvent {
    named_event(event(), id, content)
}

pub(crate) fn request(now: Timestamp) -> ClaimRequest {
    ClaimRequest { room: 16, ..claim_request(now) }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
