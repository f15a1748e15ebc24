//! A chart reads the rows of its hours and of its user's subscriptions, whatever else is counted.

use adapters_postgres::PostgresStore;
use domain::ports::{
    Close as _, DeliveryLog, DeliveryQueue, OutcomesRequest, Retained, Retention as _, Schema as _,
    SubscriptionStore as _,
};
use domain::webhooks::SubscriptionOutcomes;
use domain::{Hour, HourRange};
use storage_conformance::requests::{at, new_subscription_request, user};
use throwaway_postgres::{Cluster, Database};

use crate::operator_plans::{open, rows_read, run};

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
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    let owner = user("alice");
    let store = open(&database).await;
    store.migrate().await.unwrap();
    let range = HourRange::until(at(0), SHOWN);
    for _ in 0..OWN {
        let new = new_subscription_request(&owner);
        store.insert_within(&new).await.unwrap();
        let id = new.subscription.id;
        let counted = |hour: Hour| SubscriptionOutcomes { id, hour, counts: [1, 0, 0].into() };
        store.add_outcomes(&range.hours().map(counted).collect::<Vec<_>>()).await.unwrap();
    }
    plant(&database, range.last).await;
    store.close().await;
    let request = OutcomesRequest { owner, subscription: None, hours: range };
    let shown = OWN * u64::from(SHOWN);
    let chart = async |store: &PostgresStore| {
        let counts = store.outcomes(&request).await.unwrap().unwrap();
        assert_eq!(counts.values().map(|counts| counts.delivered).sum::<u64>(), shown);
    };
    let read = rows_read(&database, "deliveries_by_hour", chart).await;
    assert!((shown..=2 * shown).contains(&read), "{shown} rows are shown, and {read} were read");

    let before = Hour::from_number(range.last.number() - 150).start();
    let purge = async |store: &PostgresStore| {
        assert_eq!(store.purge(Retained::Outcomes, before, 1_000).await.unwrap(), 1_000);
    };
    let purged = rows_read(&database, "deliveries_by_hour", purge).await;
    assert!(purged <= 4_000, "a purge of 1,000 rows must not read {purged}");
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
    run(database, &plant).await;
}
