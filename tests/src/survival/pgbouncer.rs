//! Postgres behind a real PgBouncer, in each of its modes.
//!
//! `GATEPOST_TEST_POOL_MODE=transaction` puts one in front of every Postgres of the suite.

use throwaway_postgres::Cluster;
use tokio::task::JoinSet;

use crate::concurrency::two_processes_store_exactly_the_maximum;
use crate::harness::{Gatepost, Setup, Storage, until};
use crate::revocation::propagation::two_instances_on;
use crate::shards::two_instances_answer_as_on_one;
use crate::webhooks::host::setup;
use crate::webhooks::killed_process::{kill_9_loses_no_accepted_event, what_was_being_sent_arrives_soon_after_a_kill};
use crate::webhooks::three_calls::a_subscribed_receiver_gets_the_signed_event;

/// Sessions take turns, so that each transaction is likely to meet one that others have used.
const TRANSACTIONS: &str = "pool_mode = transaction\ndefault_pool_size = 20\nmin_pool_size = 5\nserver_round_robin = 1";

/// A database with one shard behind a PgBouncer with these settings, which must allow as many sessions as one shard
/// needs.
pub(crate) async fn pooled(settings: &str) -> Storage {
    let cluster = Cluster::shared().await.expect("a Postgres server").clone();
    let database = cluster.database().await.expect("a database");
    Storage::pooled(cluster, &database, settings).undivided()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_served_in_every_mode_with_transactions() {
    for settings in [
        TRANSACTIONS,
        "pool_mode = transaction\ndefault_pool_size = 1",
        "pool_mode = transaction\ndefault_pool_size = 20\nmin_pool_size = 5\nserver_reset_query_always = 1",
        "pool_mode = session\ndefault_pool_size = 60",
        "pool_mode = session\ndefault_pool_size = 60\nserver_reset_query =",
    ] {
        let storage = pooled(settings).await;
        let mut gatepost = serve(&storage).await;
        let keys = create_at_once(&gatepost).await;
        gatepost.restart().await;
        for key in &keys {
            assert_eq!(gatepost.whoami(key).await.status, 200, "{settings}");
        }
        gatepost.assert_healthy();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_without_transactions_is_refused_at_the_start() {
    let storage = pooled("pool_mode = statement\ndefault_pool_size = 20").await;
    let setup = Setup::serve(&storage).await;
    for migrate in ["true", "false"] {
        let (status, written) = setup.clone().with("MIGRATE", migrate).start_refused().await;
        assert_eq!(status.code(), Some(1), "{written}");
        assert!(written.contains("use pool_mode=transaction or pool_mode=session"), "{written}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mode_may_change_while_gatepost_runs() {
    let storage = pooled("pool_mode = session\ndefault_pool_size = 60").await;
    let mut gatepost = serve(&storage).await;
    let before = create_at_once(&gatepost).await;
    storage.pooler().expect("PgBouncer").change(TRANSACTIONS).expect("changes its mode");
    let (cluster, database) = storage.server().expect("Postgres");
    let name = &database.name;
    let end = format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'");
    cluster.execute("postgres", &end).await.expect("ends the sessions");
    let alice = gatepost.user("alice");
    until("keys are stored again", async || alice.create("after").await.status == 200).await;
    for key in &before {
        assert_eq!(gatepost.whoami(key).await.status, 200);
    }
    gatepost.assert_healthy();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_maximum_is_exact_where_transactions_share_sessions() {
    two_processes_store_exactly_the_maximum(&pooled(TRANSACTIONS).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revocations_arrive_where_transactions_share_sessions() {
    two_instances_on(pooled(TRANSACTIONS).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_are_served_in_every_mode_with_transactions() {
    for settings in [TRANSACTIONS, "pool_mode = session\ndefault_pool_size = 150"] {
        let database = pooled(settings).await;
        two_instances_answer_as_on_one(setup(&Storage::divided(&[database], 3)).await, 3).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_arrive_where_transactions_share_sessions() {
    a_subscribed_receiver_gets_the_signed_event(pooled(TRANSACTIONS).await).await;
    kill_9_loses_no_accepted_event(pooled(TRANSACTIONS).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_of_a_killed_process_end_soon_where_transactions_share_sessions() {
    what_was_being_sent_arrives_soon_after_a_kill(pooled(TRANSACTIONS).await).await;
}

async fn serve(storage: &Storage) -> Gatepost {
    Setup::serve(storage).await.with("API_KEYS_MAX_ACTIVE", "100").start().await
}

async fn create_at_once(gatepost: &Gatepost) -> Vec<String> {
    let alice = gatepost.user("alice");
    let mut calls = JoinSet::new();
    for number in 0..40 {
        let user = alice.clone();
        calls.spawn(async move { user.created(&format!("key {number}")).await.0 });
    }
    let keys = calls.join_all().await;
    assert_eq!(alice.keys().await.len(), keys.len());
    keys
}
