//! Dropped calls with a stalled commit: watchers of the audit log see their events, and their connection is used again.

use std::sync::{Arc, Mutex};

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{AuditLog, AuditWatcher, Insertion, KeyStore as _, Schema as _, StoreError};
use storage_conformance::requests::{at, new_key_request, revoke_request, user};
use throwaway_postgres::{Cluster, Database};
use tokio_postgres::Client;

use crate::databases::{connect, until_calls_wait};

/// Makes the commit of a key wait for a lock of the test. It fails for the user `refused`.
const STALLS: &str = "
    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(1);
        IF NEW.owner_subject = 'refused' THEN RAISE EXCEPTION 'refused by the test'; END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER stall AFTER INSERT ON api_keys DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION stall()";
const CONNECTIONS: &str = "
    SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'gatepost'";

#[derive(Default)]
struct Seen(Mutex<Vec<AuditEvent>>);

impl AuditWatcher for Seen {
    fn written(&self, events: &[AuditEvent]) {
        self.0.lock().unwrap().extend_from_slice(events);
    }
}

struct World {
    store: PostgresStore,
    seen: Arc<Seen>,
    database: Database,
    raw: Client,
}

impl World {
    /// A store with one connection for its calls, so that each call waits for the end of the one before.
    async fn fresh() -> Self {
        let cluster = Cluster::shared().await.unwrap();
        let database = cluster.database().await.unwrap();
        let store = PostgresStore::open(PostgresSettings { url: database.url.clone(), pool_size: 1 }).await.unwrap();
        store.migrate().await.unwrap();
        cluster.execute(&database.name, STALLS).await.unwrap();
        let seen = Arc::new(Seen::default());
        store.watch(Arc::clone(&seen) as _);
        let raw = connect(&database).await;
        Self { store, seen, database, raw }
    }

    async fn insert(&self, subject: &str) -> Result<Insertion, StoreError> {
        self.store.insert_within(&new_key_request(&user(subject), 100)).await
    }

    /// Drops the call while its commit waits, and lets the commit continue when the next call needs the connection. Returns
    /// the stored and the seen events.
    async fn leave(&self, call: impl Future) -> (Vec<String>, Vec<String>) {
        self.raw.batch_execute("SELECT pg_advisory_lock(1)").await.unwrap();
        tokio::select! {
            _ = call => panic!("the commit waits"),
            () = until_calls_wait(&self.raw, 1) => {}
        }
        tokio::join!(self.stored_and_seen(), self.raw.batch_execute("SELECT pg_advisory_unlock(1)")).0
    }

    /// The subjects of the users with stored events, and of those with seen events.
    async fn stored_and_seen(&self) -> (Vec<String>, Vec<String>) {
        let subjects = |events: &[AuditEvent]| {
            let mut subjects: Vec<_> = events.iter().map(|event| event.owner.subject().to_owned()).collect();
            subjects.sort_unstable();
            subjects
        };
        // Waits for the connection, and so for the end of the earlier calls.
        let stored = AuditLog::list(&self.store, &AuditFilter::default(), None, 100).await.unwrap().events;
        let seen = self.seen.0.lock().unwrap().clone();
        (subjects(&stored), subjects(&seen))
    }

    async fn connections(&self) -> String {
        Cluster::shared().await.unwrap().execute(&self.database.name, CONNECTIONS).await.unwrap()
    }
}

#[tokio::test]
async fn what_is_committed_after_the_caller_has_left_is_seen() {
    let world = World::fresh().await;
    assert_eq!(world.leave(world.insert("alice")).await, (vec!["alice".into()], vec!["alice".into()]));
    world.insert("bob").await.unwrap();
    let both = vec!["alice".to_owned(), "bob".into()];
    assert_eq!(world.stored_and_seen().await, (both.clone(), both), "each once");
}

#[tokio::test]
async fn what_fails_after_the_caller_has_left_is_not_seen() {
    let world = World::fresh().await;
    assert_eq!(world.leave(world.insert("refused")).await, (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn callers_who_leave_cost_no_connection() {
    let world = World::fresh().await;
    world.insert("alice").await.unwrap();
    let before = world.connections().await;
    assert!(!before.is_empty() && !before.contains(' '), "one connection: {before}");
    for n in 0..5 {
        let (stored, _) = world.leave(world.insert(&format!("user-{n}"))).await;
        assert_eq!(stored.len(), n + 2, "the call that was left has ended");
    }
    assert_eq!(world.connections().await, before, "the connection is used again");
}

/// Each reader of the feed looks up each writer, and clients can hang up as often as they like.
#[tokio::test]
async fn callers_who_leave_make_no_writers() {
    const STALL_CHANGES: &str = "
        CREATE FUNCTION stall_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_advisory_xact_lock(1);
            RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER stall AFTER INSERT ON credential_changes DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION stall_change()";
    const WRITERS: &str = "SELECT count(*) || ' of ' || count(DISTINCT writer) FROM credential_changes";
    let world = World::fresh().await;
    let cluster = Cluster::shared().await.unwrap();
    cluster.execute(&world.database.name, STALL_CHANGES).await.unwrap();
    let Insertion::Stored(keys) = world.insert("alice").await.unwrap() else { panic!("there is room") };
    let [key] = &keys[..] else { panic!("one key is stored: {keys:?}") };
    let request = revoke_request(&key.owner, key.id, at(0));
    for _ in 0..5 {
        world.leave(world.store.revoke(&request)).await;
    }
    assert_eq!(cluster.execute(&world.database.name, WRITERS).await.unwrap().trim(), "5 of 1");
}
