//! Promises on the hardest server, which together execute each statement, and of all parallel calls: behind a PgBouncer that gives
//! each transaction another session, in the schema of a shard, with every transaction serializable even if it asks for
//! another level, and with conflicts (40001) in one of 23 changing statements and deadlocks (40P01) in one of 97, which
//! Postgres and compatible servers may raise at any time. See decision 118.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use adapters_postgres::{PostgresSettings, PostgresStore, Shard};
use domain::ports::{
    Close as _, DeliveryQueue as _, EventTypes as _, KeyStore as _, Retained, Schema as _, StoreError,
};
use domain::{CredentialDigest, Hour, Timestamp};
use futures_util::future::{join_all, try_join_all};
use storage_conformance::audit::AuditedStores;
use storage_conformance::catalogue::CatalogueStore;
use storage_conformance::owners::OwnedStores;
use storage_conformance::requests::{at, revoke_all_request, user};
use storage_conformance::{KeyPorts, OF_EACH_KIND, Promise};
use storage_conformance::{audit, broken, catalogue, keys, owners, sessions, webhooks};
use throwaway_postgres::{Cluster, Database, Pooler};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::pgbouncer::TURNS;

/// Ends some of the statements that change a table. A sequence keeps its number when a transaction ends, so the next
/// attempt succeeds.
const CONFLICTS: &str = "
    CREATE SEQUENCE conflicts;
    CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        CASE
            WHEN nextval('public.conflicts') % 23 = 0 THEN
                RAISE EXCEPTION 'a conflict of the test' USING ERRCODE = 'serialization_failure';
            WHEN currval('public.conflicts') % 97 = 0 THEN
                RAISE EXCEPTION 'a deadlock of the test' USING ERRCODE = 'deadlock_detected';
            ELSE RETURN NULL;
        END CASE;
    END $$;
    DO $$ DECLARE changed regclass; BEGIN
        FOR changed IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
            AND relnamespace = 'gatepost_shard_1'::regnamespace AND relname <> '__diesel_schema_migrations'
        LOOP
            EXECUTE format('CREATE TRIGGER conflict AFTER INSERT OR UPDATE OR DELETE ON %s
                FOR EACH STATEMENT EXECUTE FUNCTION public.conflict()', changed);
        END LOOP;
    END $$";

/// The level in a transaction, and the level that the server gets: of one length, so that the length of the message
/// stays right.
const SAID: &[u8; 14] = b"READ COMMITTED";
const HEARD: &[u8; 14] = b"SERIALIZABLE  ";

/// The store has the second of two shards, so that no table is in the default schema.
const SHARD: Shard = Shard { number: 1, shards: 2, server: 0 };
const TEMPLATE: &str = "gatepost_with_conflicts";
/// The calls that most promises make at once.
const PARALLEL_CALLS: usize = 8;

/// The parts of such a server that live until the test ends.
struct HardServer {
    database: Database,
    _pooler: Pooler,
}

async fn fresh() -> (Arc<PostgresStore>, HardServer) {
    let (store, server, _) = open().await;
    (store, server)
}

/// A store on such a server, and the number of transactions that have become serializable.
async fn open() -> (Arc<PostgresStore>, HardServer, Arc<AtomicU64>) {
    let cluster = Cluster::shared().await.unwrap();
    let fill = async |empty: &Database| {
        let settings = PostgresSettings { url: empty.url.clone(), pool_size: 1 };
        let store = PostgresStore::open_shard(settings, SHARD, Arc::default()).await?;
        store.migrate().await?;
        store.close().await;
        cluster.execute(&empty.name, CONFLICTS).await.map(drop)
    };
    let database = cluster.copy_of(TEMPLATE, fill).await.unwrap();
    make_strict(&database).await;
    let (port, changed) = way_to(cluster.port()).await;
    let pooler = Pooler::start_before(port, TURNS).unwrap();
    let url = pooler.before(&database).url;
    let settings = PostgresSettings { url, pool_size: PARALLEL_CALLS };
    let store = PostgresStore::open_shard(settings, SHARD, Arc::default()).await.unwrap();
    warm(&store).await;
    (Arc::new(store), HardServer { database, _pooler: pooler }, changed)
}

/// Opens the connections for parallel calls. On a busy machine one may be late, and a call would fail.
async fn warm(store: &PostgresStore) {
    let (keys, unknown): (&dyn KeyPorts, _) = (store, [CredentialDigest::from_bytes([0x10; 32])]);
    let open = async || {
        try_join_all((0..PARALLEL_CALLS).map(|_| store.last_revision())).await?;
        try_join_all((0..PARALLEL_CALLS).map(|_| store.end_closed(Hour::from_number(1).start(), 1))).await?;
        let look_ups = join_all((0..PARALLEL_CALLS).map(|_| keys.find_by_digests(&unknown))).await;
        look_ups.into_iter().try_for_each(|answer| answer.complete().map(drop))
    };
    for _ in 0..4 {
        if open().await.is_ok() {
            return;
        }
    }
    open().await.expect("the connections open");
}

async fn make_strict(database: &Database) {
    let strict = format!("ALTER DATABASE {} SET default_transaction_isolation = 'serializable'", database.name);
    Cluster::shared().await.unwrap().execute("postgres", &strict).await.unwrap();
}

#[tokio::test]
async fn migrations_may_be_serializable() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    make_strict(&database).await;
    let store = PostgresStore::open(PostgresSettings { url: database.url, pool_size: 1 }).await.unwrap();
    assert_ne!(store.migrate().await.unwrap(), [""; 0]);
}

/// Opens a port that leads to the server. It ends with the runtime of the test.
async fn way_to(server: u16) -> (u16, Arc<AtomicU64>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let (port, changed) = (listener.local_addr().unwrap().port(), Arc::<AtomicU64>::default());
    let counter = Arc::clone(&changed);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else { continue };
            client.set_nodelay(true).unwrap();
            server.set_nodelay(true).unwrap();
            let ((from_client, mut to_client), (mut from_server, to_server)) =
                (client.into_split(), server.into_split());
            tokio::spawn(make_serializable(from_client, to_server, Arc::clone(&counter)));
            tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
        }
    });
    (port, changed)
}

/// Forwards the bytes of the client. Bytes that may begin [`SAID`] wait for the rest: no message ends with it.
async fn make_serializable(mut client: OwnedReadHalf, mut server: OwnedWriteHalf, changed: Arc<AtomicU64>) {
    let mut held = Vec::with_capacity(1 << 16);
    while client.read_buf(&mut held).await.is_ok_and(|read| read > 0) {
        while let Some(at) = held.windows(SAID.len()).position(|text| text == SAID) {
            held[at..at + SAID.len()].copy_from_slice(HEARD);
            changed.fetch_add(1, Ordering::Relaxed);
        }
        let begun = (1..SAID.len()).rev().find(|&length| held.ends_with(&SAID[..length])).unwrap_or(0);
        let rest = held.split_off(held.len() - begun);
        if server.write_all(&held).await.is_err() {
            return;
        }
        held = rest;
    }
}

/// The other tests of this file would pass without any serializable transaction.
#[tokio::test]
async fn transactions_become_serializable() {
    let (store, _server, changed) = open().await;
    let before = changed.load(Ordering::Relaxed);
    store.revoke_user_keys(&revoke_all_request(&user("alice"), at(0))).await.unwrap();
    assert!(changed.load(Ordering::Relaxed) > before);
}

/// A purge is one statement. Its commit comes after its answer.
#[tokio::test]
async fn a_purge_counts_nothing_if_its_commit_fails() {
    let (store, server, _) = open().await;
    let plant = "
        INSERT INTO gatepost_shard_1.api_keys SELECT uuid_send(gen_random_uuid()), sha256('key'), 'https://id.example.com', 'alice', 'old', '', now(), NULL,
            '2026-01-01', NULL, '', NULL;
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'this commit fails' USING ERRCODE = 'serialization_failure';
        END $$;
        CREATE CONSTRAINT TRIGGER refuse AFTER DELETE ON gatepost_shard_1.api_keys DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION refuse()";
    Cluster::shared().await.unwrap().execute(&server.database.name, plant).await.unwrap();
    let keys: &dyn KeyPorts = &*store;
    let purged = keys.purge(Retained::Keys, Timestamp::MAX, 10).await;
    assert!(matches!(purged, Err(StoreError::Unavailable(_))), "{purged:?}");
}

/// Checks each statement, and all parallel calls, which have conflicts of Postgres itself.
fn check<Store: ?Sized>(promises: &'static [Promise<Store>], of: impl Fn(Arc<PostgresStore>) -> Arc<Store>) {
    let is_chosen = |name: &str| OF_EACH_KIND.contains(&name) || name.contains("parallel");
    let broken = broken(promises.iter().filter(|promise| is_chosen(promise.name)), async || {
        let (store, server) = fresh().await;
        (of(store), server)
    });
    assert_eq!(broken, [""; 0]);
}

#[test]
fn promises_of_keys() {
    check(keys::PROMISES, |store| store);
}

#[test]
fn promises_of_sessions() {
    check(sessions::PROMISES, |store| store);
}

#[test]
fn promises_of_owners() {
    check(owners::PROMISES, |store| Arc::new(OwnedStores::of(&store).shared(store)));
}

#[test]
fn promises_of_the_audit_log() {
    check(audit::PROMISES, |store| Arc::new(AuditedStores::of(&store)));
}

#[test]
fn promises_of_the_catalogue() {
    check(catalogue::PROMISES, |store| Arc::new(CatalogueStore::of(&store)));
}

#[test]
fn promises_of_webhooks() {
    check(webhooks::PROMISES, |store| store);
}
