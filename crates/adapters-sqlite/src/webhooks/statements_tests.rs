//! How SQLite runs the statements: which indexes they use, and that they are prepared once.

use std::sync::Arc;
use std::time::Duration;

use diesel::SqliteConnection;
use diesel_mapping::webhooks::EventQuery;
use domain::memory::unique_cause;
use domain::ports::{
    AttemptCursor, CancelDeliveryRequest, ChangeSubscriptionRequest, Completion, CountRecoverableRequest,
    DeleteSubscriptionRequest, DisableSetByRequest, ListAttemptsRequest, ListDeliveriesRequest, ListEventsRequest,
    ListFailedRequest, ListSubscriptionsRequest, RecoverRequest, RetryDeliveryRequest, RetryFailedRequest,
    RetryRequest, Schema as _, SubscriptionStore,
};
use domain::webhooks::{
    ClaimEnd, DeliveryFilter, DirectClaims, DisableReason, EventFilter, NewEvent, PauseLengths, Recoverable,
    Subscription, SubscriptionChange,
};
use domain::{DeliveryId, KeyId, OwnerId, Timestamp};
use storage_conformance::requests::{claim_request, delivered, named_event, new_event, new_subscription_request, user};
use tempfile::TempDir;

use super::*;
use crate::statements_tests::{Statements, plan, program};
use crate::{SqliteSettings, SqliteStore};

const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

/// Indexes of a few rows only: deleted rows before the purge, and claimed rows.
const SHORT_INDEXES: [&str; 2] = ["webhook_subscriptions_deleted", "webhook_due_claims"];

/// A store with one subscription, and a connection to the store that records its statements.
async fn noted() -> (Statements, SqliteConnection, Subscription, SqliteStore, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(SqliteSettings { path: folder.path().join("test.db"), readers: 1 }).await.unwrap();
    store.migrate().await.unwrap();
    let new = new_subscription_request(&user("alice"));
    store.insert_within(&new).await.unwrap();
    let mut connection = store.file.connect().unwrap();
    let statements = Statements::of(&mut connection);
    (statements, connection, new.subscription, store, folder)
}

/// An event with this number as the publisher's id.
fn event(owner: &OwnerId, number: u64) -> NewEvent {
    named_event(new_event(owner, NOW), &number.to_string(), "{}")
}

/// Publishes three events and claims their deliveries. The first delivery ends, the second waits for a retry, the third is
/// given back.
fn deliver(connection: &mut SqliteConnection, subscription: &Subscription, first: u64) -> Vec<DeliveryId> {
    let events: Vec<NewEvent> = (first..first + 3).map(|number| event(&subscription.owner, number)).collect();
    publish_events::publish_events(connection, &events, None).unwrap();
    let only = NewEvent { only: Some(subscription.id), ..event(&subscription.owner, first + 3) };
    publish_events::publish_events(connection, &[only], None).unwrap();
    let request = claim_request(NOW);
    let claimed = claim::claim(connection, &request).unwrap();
    let deliveries: Vec<DeliveryId> = claimed[0].deliveries.iter().map(|delivery| delivery.id).collect();
    let later = NOW.plus(Duration::from_mins(5));
    let completion = |(number, done): (usize, Completion)| {
        let ClaimEnd::Delivered(attempt) = done.end else { panic!("a success") };
        let (retry_at, pauses) = (Some(later), PauseLengths::default());
        let end = match number % 3 {
            0 => ClaimEnd::Delivered(attempt),
            1 => ClaimEnd::Failed { attempt, retry_after: None, retry_at, pauses },
            _ => ClaimEnd::GivenBack { at: NOW, due_at: later },
        };
        Completion { end, ..done }
    };
    let completions = delivered(request.claim, &claimed[..1], NOW).into_iter().enumerate();
    let completions: Vec<Completion> = completions.map(completion).collect();
    complete::complete(connection, &completions).unwrap();
    deliveries
}

fn look(connection: &mut SqliteConnection, subscription: &Subscription, delivery: DeliveryId) {
    let (owner, max) = (&subscription.owner, 10);
    let (filter, before) = (DeliveryFilter::default(), Some(delivery));
    let page = ListDeliveriesRequest { owner: owner.clone(), filter, before, max };
    list_deliveries::list_deliveries(connection, &page).unwrap();
    find_delivery::find_history(connection, owner, delivery).unwrap();
    let after = AttemptCursor { ended_at: Timestamp::MIN, delivery, number: 0 };
    let attempts = ListAttemptsRequest { owner: owner.clone(), subscription: None, after, max };
    follow_attempts::follow_attempts(connection, &attempts).unwrap();
    let page = ListSubscriptionsRequest { owner: owner.clone(), before: None, max };
    find_subscription::list_subscriptions(connection, &page).unwrap();
    find_subscription::list_with_health(connection, &page).unwrap();
    find_subscription::find_with_health(connection, owner, subscription.id).unwrap();
    let failed = ListFailedRequest { owner: owner.clone(), subscription: None, published_since: NOW, max };
    list_failures::list_failed(connection, &failed).unwrap();
    let (retry, filter) = (RetryRequest { at: NOW, published_since: NOW }, Recoverable::All.into());
    let lost = CountRecoverableRequest { owner: owner.clone(), subscription: subscription.id, retry, filter, max };
    list_failures::count_recoverable(connection, &lost).unwrap();
    subscription_secrets::list_secrets(connection, None, 10).unwrap();
    find_subscription::list_all(connection, None, 10).unwrap();
    for owner in [None, Some(owner.clone())] {
        let filter = EventFilter { owner, ..EventFilter::default() };
        let query = EventQuery::new(&ListEventsRequest { filter, before: None, max });
        let page = operator_log::list_events(connection, &query).unwrap();
        operator_log::find_event(connection, page.events[0].event.id).unwrap();
    }
    operator_log::failing(connection, None, 10).unwrap();
}

fn change(connection: &mut SqliteConnection, subscription: &Subscription, delivery: DeliveryId) {
    let (owner, id) = (&subscription.owner, subscription.id);
    let retry = RetryRequest { at: NOW, published_since: NOW };
    let request = RetryDeliveryRequest { owner: owner.clone(), id: delivery, retry, cause: unique_cause() };
    retry_delivery::retry_delivery(connection, id, &request).unwrap();
    let request = CancelDeliveryRequest { owner: owner.clone(), id: delivery, at: NOW, cause: unique_cause() };
    cancel_delivery::cancel_delivery(connection, id, &request).unwrap();
    let switch = |connection: &mut SqliteConnection, enabled| {
        let change = SubscriptionChange { enabled: Some(enabled), ..SubscriptionChange::default() };
        let request = ChangeSubscriptionRequest { owner: owner.clone(), id, change, at: NOW, cause: unique_cause() };
        change_subscription::change_subscription(connection, &request).unwrap();
    };
    switch(connection, false);
    for enables in [true, false] {
        let (owner, filter, cause) = (owner.clone(), Recoverable::All.into(), unique_cause());
        let request = RecoverRequest { owner, subscription: id, retry, filter, after: None, max: 10, enables, cause };
        recover_subscription::recover_subscription(connection, &request).unwrap();
    }
    let (ids, cause) = (vec![delivery], unique_cause());
    let request = RetryFailedRequest { owner: owner.clone(), subscription: id, ids, retry, cause };
    retry_failures::retry_failures(connection, &request).unwrap();
    let claims = Arc::new(DirectClaims::default());
    claims.offer(Some(&claim_request(NOW)));
    publish_events::publish_events(connection, &[event(owner, 1_000)], claims.begin(NOW)).unwrap();
    switch(connection, false);
    switch(connection, true);
    end_closed::end_closed(connection, NOW, 10).unwrap();
    claim::end_left_claims(connection, NOW).unwrap();
    let (keys, reason) = (vec![KeyId::from_bytes([7; 16])], DisableReason::KeyLeaked);
    let request = DisableSetByRequest { keys, reason, at: NOW, max: 10, cause: unique_cause() };
    disable_set_by::disable_set_by(connection, &request).unwrap();
    purge_history::search(connection, Vec::new(), &[0]).unwrap();
    purge_history::search_pulled(connection, Vec::new(), &[0]).unwrap();
    purge_history::purge_chunk(connection, id.as_bytes(), &[0], 10).unwrap();
    let events = purge_history::old_events(connection, &[], &[0xFF; 16], 10).unwrap();
    purge_history::due_events(connection, Vec::new(), &[0; 16], &[0xFF; 16]).unwrap();
    delete_events(connection, &events).unwrap();
    purge_history::forgotten_subscriptions(connection, NOW, 10).unwrap();
    delete_subscriptions(connection, &[vec![0; 16]]).unwrap();
}

#[tokio::test]
async fn every_statement_finds_its_rows_by_an_index() {
    let (statements, mut connection, subscription, store, _folder) = noted().await;
    let deliveries = deliver(&mut connection, &subscription, 1);
    look(&mut connection, &subscription, deliveries[0]);
    change(&mut connection, &subscription, deliveries[0]);
    let performed = statements.performed();
    assert!(performed.len() > 40, "only {} statements were noted", performed.len());
    let mut plain = store.file.connect().unwrap();
    for statement in performed {
        for step in plan(&mut plain, &statement) {
            let scans = step.starts_with("SCAN") && !SHORT_INDEXES.iter().any(|index| step.contains(index));
            // The count of a recovery groups a limited number of rows.
            let sorts = step.contains("USE TEMP B-TREE") && step != "USE TEMP B-TREE FOR GROUP BY";
            let reads_all = scans && step.contains("webhook_") || sorts;
            assert!(!reads_all, "{step}: {statement}");
        }
    }
}

/// A subscription may have a million deliveries, of which ten have failed.
#[tokio::test]
async fn failed_deliveries_are_found_by_their_index() {
    let (statements, mut connection, subscription, store, _folder) = noted().await;
    let deliveries = deliver(&mut connection, &subscription, 1);
    look(&mut connection, &subscription, deliveries[0]);
    change(&mut connection, &subscription, deliveries[0]);
    let mut plain = store.file.connect().unwrap();
    let performed = statements.performed().into_iter();
    let about_failed: Vec<String> =
        performed.filter(|one| one.starts_with("SELECT") && one.contains("'schedule_spent'")).collect();
    assert_eq!(about_failed.len(), 4, "{about_failed:#?}");
    for statement in about_failed {
        let steps = plan(&mut plain, &statement);
        assert!(steps.iter().any(|step| step.contains("webhook_deliveries_failed")), "{steps:#?}: {statement}");
        assert!(!steps.iter().any(|step| step.contains("webhook_deliveries USING PRIMARY KEY")), "{steps:#?}");
    }
}

#[tokio::test]
async fn the_statements_of_a_delivery_are_prepared_once() {
    let (statements, mut connection, subscription, _store, _folder) = noted().await;
    deliver(&mut connection, &subscription, 1);
    deliver(&mut connection, &subscription, 10);
    let (performed, kept) = (statements.performed(), statements.kept());
    let again: Vec<&String> = performed.iter().filter(|statement| !kept.contains(*statement)).collect();
    assert!(again.is_empty() && performed.len() > 10, "{again:#?} {kept:#?}");
}

/// An index that covers a part of a table by `IN` with more than two values costs a temporary table for each insert.
#[tokio::test]
async fn a_delivery_ends_without_a_temporary_table() {
    let (statements, mut connection, subscription, store, _folder) = noted().await;
    deliver(&mut connection, &subscription, 1);
    let performed = statements.performed();
    let inserts: Vec<&String> = performed.iter().filter(|statement| statement.starts_with("INSERT")).collect();
    assert!(inserts.len() > 3, "{inserts:#?}");
    let mut plain = store.file.connect().unwrap();
    for statement in inserts {
        let steps = program(&mut plain, statement);
        assert!(!steps.contains(&"OpenEphemeral".to_owned()), "{statement}");
    }
}

/// Lists read each subscription of their owner one by one, so they leave out the deleted ones without deliveries.
#[tokio::test]
async fn lists_look_at_no_deleted_subscription_without_deliveries() {
    let (_, mut connection, subscription, store, _folder) = noted().await;
    for _ in 0..50 {
        let unused = new_subscription_request(&subscription.owner);
        store.insert_within(&unused).await.unwrap();
        delete(&store, &unused.subscription).await;
    }
    let looked_at = |connection: &mut _| find_delivery::subscriptions_of(connection, &subscription.owner).unwrap();
    assert_eq!(looked_at(&mut connection), [subscription.id]);
    deliver(&mut connection, &subscription, 1);
    delete(&store, &subscription).await;
    assert_eq!(looked_at(&mut connection), [subscription.id], "its deliveries are still listed");
}

async fn delete(store: &SqliteStore, subscription: &Subscription) {
    let (owner, id) = (subscription.owner.clone(), subscription.id);
    store.delete(&DeleteSubscriptionRequest { owner, id, at: NOW, cause: unique_cause() }).await.unwrap();
}
