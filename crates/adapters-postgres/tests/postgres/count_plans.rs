//! A chart reads the rows of its hours and of its user's subscriptions, whatever else is counted.

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::{SeededEntropy, unique_cause};
use domain::ports::{
    Close as _, DeliveryLog, DeliveryQueue, InsertSubscriptionRequest, OutcomesRequest, Retained, Retention as _,
    Schema as _, SubscriptionStore as _,
};
use domain::webhooks::{
    Description, SealedOptions, SealedSecret, Signing, SubscribedEvents, Subscription, SubscriptionOutcomes,
    SubscriptionStatus, TargetUrl,
};
use domain::{Hour, HourRange, OwnerId, SubscriptionId, Timestamp};
use throwaway_postgres::{Cluster, Database};

/// The hours for which all subscriptions have counts.
const HOURS: u32 = 200;
/// How many subscriptions of other users there are.
const OTHERS: u32 = 1_000;
/// How many subscriptions the user has.
const OWN: u64 = 3;
/// The hours of a chart.
const SHOWN: u32 = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chart_reads_its_own_rows() {
    let cluster = Cluster::shared().await.unwrap();
    let database = cluster.database().await.unwrap();
    let owner = OwnerId::new("https://id.example", "alice").unwrap();
    let store = open(&database).await;
    store.migrate().await.unwrap();
    let range = HourRange::until(now(), SHOWN);
    for seed in 0..OWN {
        let id = subscribe(&store, &owner, seed).await;
        let counted = |hour: Hour| SubscriptionOutcomes { id, hour, counts: [1, 0, 0].into() };
        store.add_outcomes(&range.hours().map(counted).collect::<Vec<_>>()).await.unwrap();
    }
    plant(&database, range.last).await;
    store.close().await;
    let before = cluster.rows_read(&database.name, "deliveries_by_hour").await.unwrap();
    let store = open(&database).await;
    let request = OutcomesRequest { owner: owner.clone(), subscription: None, hours: range };
    let counts = store.outcomes(&request).await.unwrap().unwrap();
    assert_eq!(counts.values().map(|counts| counts.delivered).sum::<u64>(), OWN * u64::from(SHOWN));
    store.close().await;
    let read = cluster.rows_read(&database.name, "deliveries_by_hour").await.unwrap() - before;
    let shown = OWN * u64::from(SHOWN);
    assert!((shown..=2 * shown).contains(&read), "{shown} rows are shown, and {read} were read");

    let store = open(&database).await;
    assert_eq!(
        store.purge(Retained::Outcomes, Hour::from_number(range.last.number() - 150).start(), 1_000).await.unwrap(),
        1_000
    );
    store.close().await;
    let purged = cluster.rows_read(&database.name, "deliveries_by_hour").await.unwrap() - before - read;
    assert!(purged <= 4_000, "a purge of 1,000 rows must not read {purged}");
}

async fn open(database: &Database) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: database.url.clone(), pool_size: 1 }).await.unwrap()
}

fn now() -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120).unwrap()
}

async fn subscribe(store: &PostgresStore, owner: &OwnerId, seed: u64) -> SubscriptionId {
    let subscription = Subscription {
        id: SubscriptionId::mint(now(), &SeededEntropy::new(seed)),
        owner: owner.clone(),
        url: TargetUrl::from_stored("https://hooks.example/in").unwrap(),
        events: SubscribedEvents::parse(["*"]).unwrap(),
        filter: None,
        url_set_by: None,
        description: Description::default(),
        status: SubscriptionStatus::Enabled,
        created_at: now(),
        updated_at: now(),
        created_by: None,
        options: SealedOptions::default(),
        signing: Signing::default(),
    };
    let secret = SealedSecret::from_bytes(vec![1]);
    store
        .insert_within(&InsertSubscriptionRequest {
            subscription: subscription.clone(),
            secret: secret.clone(),
            max: 10,
            cause: unique_cause(),
        })
        .await
        .unwrap();
    subscription.id
}

/// Counts of the subscriptions of others, in many hours.
async fn plant(database: &Database, last: Hour) {
    let (last, hours) = (last.number(), HOURS);
    let plant = format!(
        "INSERT INTO deliveries_by_hour
            SELECT {last} - hour, substring(sha256(i::text::bytea) FOR 16), 1, 1, 1
            FROM generate_series(0, {hours} - 1) AS hour, generate_series(1, {OTHERS}) AS i;
        ANALYZE deliveries_by_hour;"
    );
    let (client, connection) = tokio_postgres::connect(&database.url, tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    client.batch_execute(&plant).await.unwrap();
    drop(client);
    driver.await.unwrap().unwrap();
}
