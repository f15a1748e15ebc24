//! How SQLite runs the statements: which indexes they use, and that they are prepared once.

use domain::memory::unique_cause;
use domain::ports::Schema as _;
use std::sync::Arc;
use std::time::Duration;

use diesel::SqliteConnection;
use diesel_mapping::webhooks::EventQuery;
use domain::memory::SeededEntropy;
use domain::ports::{
    AttemptCursor, ClaimId, ClaimRequest, ClaimedDelivery, Completion, RetryRequest, SubscriptionStore,
};
use domain::webhooks::{
    AnswerHeaders, AttemptRecord, ClaimEnd, ContentDigest, DeliveryFilter, Description, DirectClaims, DisableReason,
    Event, EventFilter, EventType, FairShares, NewEvent, PauseLengths, Payload, PublicationKey, PublisherId,
    SealedSecret, SubscribedEvents, Subscription, SubscriptionChange, SubscriptionStatus, TargetUrl,
};
use domain::{DeliveryId, EventId, KeyId, SubscriptionId, Timestamp, UserId};
use tempfile::TempDir;

use super::*;
use crate::statements::{Statements, plan, program};
use crate::{SqliteSettings, SqliteStore};

const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

/// Indexes of a few rows only: what is deleted and not purged yet, and what is claimed.
const SHORT_INDEXES: [&str; 2] = ["webhook_subscriptions_deleted", "webhook_due_claims"];

/// A store with one subscription, and a connection to the store that records its statements.
async fn noted() -> (Statements, SqliteConnection, Subscription, SqliteStore, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(SqliteSettings { path: folder.path().join("test.db"), readers: 1 }).await.unwrap();
    store.migrate().await.unwrap();
    let subscription = Subscription {
        id: SubscriptionId::mint(NOW, &SeededEntropy::new(1)),
        owner: UserId::new("https://id.example", "alice").unwrap(),
        url: TargetUrl::from_stored("https://hooks.example/").unwrap(),
        events: SubscribedEvents::parse(["order.*"]).unwrap(),
        url_set_by: None,
        description: Description::default(),
        status: SubscriptionStatus::Enabled,
        created_at: NOW,
        updated_at: NOW,
    };
    store.insert_within(&subscription, &SealedSecret::from_bytes(vec![1; 32]), 10, &unique_cause()).await.unwrap();
    let mut connection = store.file.connect().unwrap();
    let statements = Statements::of(&mut connection);
    (statements, connection, subscription, store, folder)
}

fn event(owner: &UserId, seed: u64) -> NewEvent {
    let event_type = EventType::parse("order.created").unwrap();
    let key = PublicationKey {
        id: PublisherId::parse(&seed.to_string()).unwrap(),
        content: ContentDigest::of(&event_type, "{}"),
    };
    let event = Event {
        id: EventId::mint(NOW, &SeededEntropy::new(seed)),
        owner: owner.clone(),
        event_type,
        payload: Payload::from_bytes(*b"{}"),
        created_at: NOW,
    };
    NewEvent { event, publication: Some(key), only: None, trace: None }
}

fn claim_request() -> ClaimRequest {
    ClaimRequest {
        claim: ClaimId::from_number(1),
        at: NOW,
        until: NOW.plus(Duration::from_mins(1)),
        lanes_max: 64,
        room: 8,
        rooms: Vec::new(),
        shares: FairShares::new(u32::MAX),
        payload_bytes_max: u64::MAX,
    }
}

/// Publishes three events and claims their deliveries. The first delivery ends, the second waits for a retry, the third is
/// given back.
fn deliver(connection: &mut SqliteConnection, subscription: &Subscription, seed: u64) -> Vec<DeliveryId> {
    let events: Vec<NewEvent> = (seed..seed + 3).map(|seed| event(&subscription.owner, seed)).collect();
    publish_events::publish_events(connection, &events, None).unwrap();
    let only = NewEvent { only: Some(subscription.id), ..event(&subscription.owner, seed + 3) };
    publish_events::publish_events(connection, &[only], None).unwrap();
    let request = claim_request();
    let claim = request.claim;
    let claimed = claim::claim(connection, &request).unwrap();
    let deliveries: Vec<DeliveryId> = claimed[0].deliveries.iter().map(|delivery| delivery.id).collect();
    let later = NOW.plus(Duration::from_mins(5));
    let attempt = |number| AttemptRecord {
        number,
        started_at: NOW,
        duration: Duration::ZERO,
        failure: None,
        status: Some(200),
        headers: AnswerHeaders::default(),
        excerpt: Vec::new(),
    };
    let ends: [fn(AttemptRecord, Timestamp) -> ClaimEnd; 3] = [
        |attempt, _| ClaimEnd::Delivered(attempt),
        |attempt, later| ClaimEnd::Failed {
            attempt,
            retry_after: None,
            retry_at: Some(later),
            pauses: PauseLengths::default(),
        },
        |_, later| ClaimEnd::GivenBack { at: NOW, due_at: later },
    ];
    let completion = |(delivery, end): (&ClaimedDelivery, &fn(AttemptRecord, Timestamp) -> ClaimEnd)| Completion {
        subscription: subscription.id,
        delivery: delivery.id,
        claim,
        end: end(attempt(delivery.attempt), later),
    };
    let completions: Vec<Completion> = claimed[0].deliveries.iter().zip(ends.iter().cycle()).map(completion).collect();
    complete::complete(connection, &completions).unwrap();
    deliveries
}

fn look(connection: &mut SqliteConnection, subscription: &Subscription, delivery: DeliveryId) {
    let owner = &subscription.owner;
    list_deliveries::list_deliveries(connection, owner, &DeliveryFilter::default(), Some(delivery), 10).unwrap();
    find_delivery::find_history(connection, owner, delivery).unwrap();
    let after = AttemptCursor { ended_at: Timestamp::MIN, delivery, number: 0 };
    follow_attempts::follow_attempts(connection, owner, None, after, 10).unwrap();
    find_subscription::list_subscriptions(connection, owner, None, 10).unwrap();
    find_subscription::list_with_health(connection, owner, None, 10).unwrap();
    find_subscription::find_with_health(connection, owner, subscription.id).unwrap();
    list_failures::list_failed(connection, owner, None, NOW, 10).unwrap();
    let request = RetryRequest { at: NOW, published_since: NOW };
    list_failures::count_recoverable(connection, owner, subscription.id, request, 10).unwrap();
    subscription_secrets::list_secrets(connection, None, 10).unwrap();
    for owner in [None, Some(owner.clone())] {
        let query = EventQuery::new(&EventFilter { owner, ..EventFilter::default() }, None, 10);
        let page = operator_log::list_events(connection, &query).unwrap();
        operator_log::find_event(connection, page.events[0].event.id).unwrap();
    }
    operator_log::failing(connection, None, 10).unwrap();
}

fn change(connection: &mut SqliteConnection, subscription: &Subscription, delivery: DeliveryId) {
    let (owner, id) = (&subscription.owner, subscription.id);
    let request = RetryRequest { at: NOW, published_since: NOW };
    retry_delivery::retry_delivery(connection, owner, (id, delivery), request, &unique_cause()).unwrap();
    cancel_delivery::cancel_delivery(connection, owner, (id, delivery), NOW, &unique_cause()).unwrap();
    let switch = |enabled| SubscriptionChange { enabled: Some(enabled), ..SubscriptionChange::default() };
    change_subscription::change_subscription(connection, owner, id, &switch(false), NOW, &unique_cause()).unwrap();
    recover_subscription::recover_subscription(connection, owner, id, request, 10, &unique_cause()).unwrap();
    recover_subscription::recover_rest(connection, owner, id, request, 10, &unique_cause()).unwrap();
    retry_failures::retry_failures(connection, owner, id, &[delivery], request, &unique_cause()).unwrap();
    let seed = u64::from(delivery.as_bytes()[15]) + 1_000;
    let claims = Arc::new(DirectClaims::default());
    claims.offer(Some(&claim_request()));
    publish_events::publish_events(connection, &[event(owner, seed)], claims.begin(NOW)).unwrap();
    change_subscription::change_subscription(connection, owner, id, &switch(false), NOW, &unique_cause()).unwrap();
    change_subscription::change_subscription(connection, owner, id, &switch(true), NOW, &unique_cause()).unwrap();
    end_closed::end_closed(connection, NOW, 10).unwrap();
    claim::end_left_claims(connection, NOW).unwrap();
    let key = KeyId::from_bytes([7; 16]);
    disable_set_by::disable_set_by(connection, &[key], DisableReason::KeyLeaked, NOW, 10, &unique_cause()).unwrap();
    purge_history::search(connection, Vec::new(), &[0]).unwrap();
    purge_history::purge_chunk(connection, id.as_bytes(), &[0], 10).unwrap();
    let events = purge_history::old_events(connection, &[], &[0xFF; 16], 10).unwrap();
    purge_history::due_events(connection, Vec::new(), &[0; 16], &[0xFF; 16]).unwrap();
    purge_history::delete_events(connection, &events).unwrap();
    purge_history::forgotten_subscriptions(connection, NOW, 10).unwrap();
    purge_history::delete_subscriptions(connection, &[vec![0; 16]]).unwrap();
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
            let reads_all = scans && step.contains("webhook_") || step.contains("USE TEMP B-TREE");
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
    let entropy = SeededEntropy::new(2);
    for _ in 0..50 {
        let unused = Subscription { id: SubscriptionId::mint(NOW, &entropy), ..subscription.clone() };
        store.insert_within(&unused, &SealedSecret::from_bytes(vec![1; 32]), 10, &unique_cause()).await.unwrap();
        store.delete(&unused.owner, unused.id, NOW, &unique_cause()).await.unwrap();
    }
    let looked_at = |connection: &mut _| find_delivery::subscriptions_of(connection, &subscription.owner).unwrap();
    assert_eq!(looked_at(&mut connection), [subscription.id]);
    deliver(&mut connection, &subscription, 1);
    store.delete(&subscription.owner, subscription.id, NOW, &unique_cause()).await.unwrap();
    assert_eq!(looked_at(&mut connection), [subscription.id], "its deliveries are still listed");
}
