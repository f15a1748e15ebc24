//! A drop of a day locks the tables of the log, one after another. Every transaction takes them in the same order:
//! otherwise it waits for the drop, and the drop for it. See `TABLES` in `src/webhooks/periods.rs`.

use std::time::Duration;

use adapters_postgres::PostgresStore;
use domain::memory::unique_cause;
use domain::ports::{
    AttemptCursor, CancelDeliveryRequest, Completion, CountRecoverableRequest, DeleteSubscriptionRequest,
    DeliveryCommands as _, DeliveryLog, DeliveryQueue as _, EventStore as _, ListAttemptsRequest,
    ListDeliveriesRequest, ListEventsRequest, ListFailedRequest, OperatorLog, Retained, Retention as _,
    RetryDeliveryRequest, RetryFailedRequest, RetryRequest, SubscriptionStore,
};
use domain::webhooks::{
    AttemptRecord, ClaimEnd, DeliveryFilter, DeliveryStateKind, EventFilter, FailureReason, PauseLengths, Recoverable,
};
use domain::{DeliveryId, SubscriptionId, Timestamp};
use throwaway_postgres::{Cluster, Database, Pooler};
use tokio_postgres::Client;

use crate::world::{
    alice, at, connect, delivered, disable, event, instance, named, open, recovery, request, subscribe,
};

const TABLES: [&str; 3] = ["webhook_deliveries", "webhook_events", "webhook_attempts"];

/// Enough turns for the server to keep the plans of all statements.
const TURNS: usize = 7;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tables_of_the_log_are_locked_in_one_order() {
    let (store, database) = instance().await;
    passes_in_order(&store, &database).await;
}

/// Behind a pooler, statements are planned each time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tables_of_the_log_are_locked_in_one_order_behind_a_pooler() {
    let (_, database) = instance().await;
    let pgbouncer = Pooler::start(Cluster::shared().await.unwrap(), "pool_mode = transaction").unwrap();
    let store = open(&pgbouncer.before(&database).url).await;
    passes_in_order(&store, &database).await;
}

async fn passes_in_order(store: &PostgresStore, database: &Database) {
    for (place, table) in TABLES.iter().enumerate() {
        let used = async {
            for _ in 0..TURNS {
                use_everything(store).await;
            }
        };
        let stopped = stop_at(database, place, used).await;
        assert!(stopped > 5 * TURNS, "{table}: {stopped} transactions were stopped");
    }
}

/// Stops each transaction at the table at this place, and looks at the locks that it has. Returns how many were stopped.
///
/// Two connections take turns to lock the table: the next one queues behind the transaction that was stopped, so that the
/// one after it is stopped too.
async fn stop_at(database: &Database, place: usize, used: impl Future<Output = ()>) -> usize {
    let lock = format!("BEGIN; LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", TABLES[place]);
    let waiting = format!(
        "SELECT pid, application_name = 'gatepost' FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND locktype = 'relation' AND relation = '{}'::regclass
            AND datname = current_database()",
        TABLES[place]
    );
    let later: Vec<String> = TABLES[place + 1..].iter().map(|table| format!("'{table}'::regclass")).collect();
    let held = format!(
        "SELECT relation::regclass::text || ': ' || query FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE pid = $1 AND granted AND relation = ANY(ARRAY[{}]::oid[])",
        later.join(", ")
    );
    let (mut holder, mut next, observer) = (connect(database).await, connect(database).await, connect(database).await);
    holder.batch_execute(&lock).await.unwrap();
    let mut used = std::pin::pin!(used);
    let mut stopped = 0;
    loop {
        let pid = tokio::select! {
            () = &mut used => break,
            pid = first_waiting(&observer, &waiting, true) => pid,
        };
        stopped += 1;
        let held = observer.query(&held, &[&pid]).await.unwrap();
        assert!(held.is_empty(), "{} comes before {}", TABLES[place], held[0].get::<_, String>(0));
        let queued = async {
            first_waiting(&observer, &waiting, false).await;
            holder.batch_execute("COMMIT").await.unwrap();
        };
        let over = tokio::select! {
            () = &mut used => true,
            ((), locked) = async { tokio::join!(queued, next.batch_execute(&lock)) } => { locked.unwrap(); false }
        };
        if over {
            break;
        }
        std::mem::swap(&mut holder, &mut next);
    }
    stopped
}

/// The process of the service, or of the test, that waits for the table.
async fn first_waiting(observer: &Client, waiting: &str, is_of_service: bool) -> i32 {
    loop {
        let rows = observer.query(waiting, &[]).await.unwrap();
        if let Some(row) = rows.iter().find(|row| row.get::<_, bool>(1) == is_of_service) {
            return row.get(0);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Every call that uses one of the tables.
async fn use_everything(store: &PostgresStore) {
    let owner = alice();
    let lane = subscribe(store).await;
    let publish = async |count| {
        let events: Vec<_> = (0..count).map(|_| event()).collect();
        store.publish(&events).await.unwrap();
    };
    let claim = async |now: Timestamp| {
        let request = request(now);
        let claimed = delivered(request.claim, &store.claim(&request).await.unwrap(), now);
        assert!(!claimed.is_empty(), "something is due at {now}");
        claimed
    };
    publish(6).await;
    let mut claimed = claim(at(1)).await;
    let mixed: Vec<Completion> =
        claimed.drain(..4).zip([Some(at(9)), None, None]).map(|(done, retry_at)| failed(done, retry_at)).collect();
    let ids: Vec<DeliveryId> = mixed.iter().map(|done| done.delivery).collect();
    store.complete(&mixed[..1]).await.unwrap();
    store.complete(&[&mixed[1..], &claimed[..1]].concat()).await.unwrap();
    store.complete(&claimed[1..]).await.unwrap();
    for state in [None, Some(DeliveryStateKind::Waiting), Some(DeliveryStateKind::Failed)] {
        let filter = DeliveryFilter { state, ..DeliveryFilter::default() };
        let request = ListDeliveriesRequest { owner: owner.clone(), filter, before: None, max: 20 };
        DeliveryLog::list(store, &request).await.unwrap();
    }
    let retry = RetryRequest { at: at(10), published_since: at(0) };
    command_by_hand(store, lane, &ids, retry).await;
    read_everything(store, lane, retry).await;
    store.recover(&recovery(lane, retry)).await.unwrap();
    publish(2).await;
    claim(at(30)).await;
    // Some of the day's deliveries are queued, and the others are deleted.
    while store.purge(Retained::Webhooks, at(0).plus(Duration::from_hours(48)), 2).await.unwrap() > 0 {}
    publish(1).await;
    disable(store, lane, at(31)).await;
    // The disabled subscription misses events. One of them is new, the other one is published again.
    for id in ["first", "second"] {
        let events = ["first", id].map(|id| named(&format!("{lane} {id}"), id));
        store.publish(&events).await.unwrap();
    }
    store.end_closed(at(200_000), 1_000).await.unwrap();
    let deletion = DeleteSubscriptionRequest { owner, id: lane, at: at(200_000), cause: unique_cause() };
    SubscriptionStore::delete(store, &deletion).await.unwrap();
}

/// Finds, retries and cancels each of these deliveries, and retries all failed ones.
async fn command_by_hand(store: &PostgresStore, lane: SubscriptionId, ids: &[DeliveryId], retry: RetryRequest) {
    let owner = alice();
    for &id in ids {
        DeliveryLog::find(store, &owner, id).await.unwrap().unwrap();
        let again = RetryDeliveryRequest { owner: owner.clone(), id, retry, cause: unique_cause() };
        store.retry(&again).await.unwrap();
        let cancellation = CancelDeliveryRequest { owner: owner.clone(), id, at: at(11), cause: unique_cause() };
        store.cancel(&cancellation).await.unwrap();
    }
    let (ids, cause) = (ids.to_vec(), unique_cause());
    let all = RetryFailedRequest { owner, subscription: lane, ids, retry, cause };
    store.retry_failed(&all).await.unwrap();
}

async fn read_everything(store: &PostgresStore, lane: SubscriptionId, retry: RetryRequest) {
    let (owner, subscription, published_since) = (alice(), Some(lane), at(0));
    let failed = ListFailedRequest { owner: owner.clone(), subscription, published_since, max: 10 };
    store.failed(&failed).await.unwrap();
    let lost = CountRecoverableRequest {
        owner: owner.clone(),
        subscription: lane,
        retry,
        filter: Recoverable::All.into(),
        max: 10,
    };
    store.count_recoverable(&lost).await.unwrap();
    SubscriptionStore::find(store, &owner, lane).await.unwrap().unwrap();
    let after = AttemptCursor { ended_at: at(0), delivery: DeliveryId::from_bytes([0; 16]), number: 0 };
    let attempts = ListAttemptsRequest { owner, subscription, after, max: 20 };
    store.attempts_after(&attempts).await.unwrap();
    let events = ListEventsRequest { filter: EventFilter::default(), before: None, max: 10 };
    let page = store.list_events(&events).await.unwrap();
    OperatorLog::find_event(store, page.events[0].event.id).await.unwrap();
}

fn failed(done: Completion, retry_at: Option<Timestamp>) -> Completion {
    let ClaimEnd::Delivered(attempt) = done.end else { panic!("a success") };
    let attempt = AttemptRecord { failure: Some(FailureReason::Status), status: Some(500), ..attempt };
    let end = ClaimEnd::Failed { attempt, retry_after: None, retry_at, pauses: PauseLengths::default() };
    Completion { end, ..done }
}
