//! Sessions on a Postgres that several instances share: an ended session is refused on every instance, and no statement
//! reads the sessions of other users.
#![expect(clippy::print_stdout, reason = "the test prints its figures")]

use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::audit::Origin;
use domain::memory::{ManualClock, SeededEntropy};
use domain::organizations::Memberships;
use domain::ports::{Close as _, CredentialStore, KeyStores, SessionStores};
use domain::sessions::{OpenSession, OpenedSession, SESSIONS_MAX, Session, SessionRole, SessionUse, Sessions};
use domain::{CredentialDigest, OwnerId};
use storage_conformance::requests::{at, user};
use throwaway_postgres::{Cluster, Database};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use verifier::{CredentialStores, FEED_POLL_INTERVAL, FEED_READ_TIMEOUT, Verifier, VerifierSettings};

use crate::databases;

/// One process: its connections, its memory, and the tasks that keep it right.
struct Instance {
    clock: Arc<ManualClock>,
    verifier: Arc<Verifier>,
    sessions: Sessions,
    _running: DropGuard,
}

impl Instance {
    async fn start(database: &Database, seed: u64) -> Self {
        let store = Arc::new(open(database, 4).await);
        let clock = Arc::new(ManualClock::new(at(0)));
        let stores =
            CredentialStores { keys: KeyStores::of(&store), sessions: SessionStores::of(&store), members: None };
        let verifier = Verifier::new(stores, vec![store], clock.clone(), VerifierSettings::default());
        let stop = CancellationToken::new();
        tokio::spawn(verifier.clone().run(stop.clone()));
        let entropy = Arc::new(SeededEntropy::new(seed));
        let sessions = Sessions::new(verifier.session_stores(), verifier.clone(), clock.clone(), entropy);
        Self { clock, verifier, sessions, _running: stop.drop_guard() }
    }

    async fn accepts(&self, opened: &OpenedSession) -> bool {
        self.verifier.verify_session(opened.secret.expose()).await.unwrap().is_some()
    }

    /// The time until the last question that it answers with yes, without the time of the answer.
    async fn refuses_after(&self, opened: &OpenedSession) -> Duration {
        let began = Instant::now();
        let refused = async {
            let mut last = Duration::ZERO;
            loop {
                let asked = began.elapsed();
                if !self.accepts(opened).await {
                    break last;
                }
                last = asked;
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(Duration::from_secs(30), refused).await.expect("an ended session must be refused")
    }
}

async fn open(database: &Database, pool_size: usize) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: database.url.clone(), pool_size }).await.unwrap()
}

async fn sign_in(sessions: &Sessions, owner: &OwnerId) -> OpenedSession {
    let (role, memberships) = (SessionRole::User, Ok(Memberships::default()));
    let request = OpenSession { role, memberships, user_agent: None, address: None };
    sessions.open(owner, request, &Origin::SERVICE).await.unwrap()
}

/// In each of the three ways in which a session is ended. The bound is that of keys: a poll of the feed, and a read.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_that_ends_on_one_instance_is_refused_on_the_other() {
    let database = databases::migrated().await;
    let (here, there) = tokio::join!(Instance::start(&database, 1), Instance::start(&database, 2));
    let mut delays = Vec::new();
    for round in 0..60 {
        let owner = user(&format!("round {round}"));
        let opened = sign_in(&here.sessions, &owner).await;
        assert!(there.accepts(&opened).await && here.accepts(&opened).await);
        match round % 3 {
            0 => drop(here.sessions.end(&owner, opened.session.id, &Origin::SERVICE).await.unwrap()),
            1 => drop(here.sessions.end_all(&owner, None, &Origin::SERVICE).await.unwrap()),
            _ => {
                here.clock.advance(Duration::from_millis(1));
                for _ in 0..SESSIONS_MAX {
                    sign_in(&here.sessions, &owner).await;
                }
            }
        }
        assert!(!here.accepts(&opened).await, "refused at once where it was ended");
        delays.push(there.refuses_after(&opened).await);
    }
    delays.sort_unstable();
    println!("refused on the other instance after {:?} at the median, {:?} at worst", delays[30], delays[59]);
    assert!(delays[59] <= FEED_POLL_INTERVAL + FEED_READ_TIMEOUT, "{delays:?}");
}

/// Also for statements that were planned while the table was empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_rows_read_does_not_depend_on_the_sessions_of_others() {
    let (few, many) = (rows_read(100).await, rows_read(20_000).await);
    assert!(few > 50, "the server counts the reads: {few}");
    // One statement that goes through all of them once reads 20,000 rows.
    assert!(many < few + 5_000, "{few} rows beside few sessions, {many} beside many");
}

/// The number of rows that ten turns of one owner read, while others have this many sessions.
async fn rows_read(others: u32) -> u64 {
    let (cluster, database) = (Cluster::shared().await.unwrap(), databases::migrated().await);
    let store = Arc::new(open(&database, 1).await);
    let (clock, entropy) = (Arc::new(ManualClock::new(at(0))), Arc::new(SeededEntropy::new(1)));
    let sessions = Sessions::new(SessionStores::of(&store), Arc::new(()), clock, entropy);
    // Enough for the server to keep its plans.
    for _ in 0..8 {
        turn(&store, &sessions).await;
    }
    let plant = format!(
        "INSERT INTO sessions SELECT substring(sha256(i::text::bytea) FOR 16), sha256(i::text::bytea),
            'https://id.example', 'user ' || i, 'user', now(), '2036-01-01', '2036-01-01', NULL, NULL
            FROM generate_series(1, {others}) AS i;
        SELECT pg_stat_reset()"
    );
    cluster.execute(&database.name, &plant).await.unwrap();
    for _ in 0..10 {
        turn(&store, &sessions).await;
    }
    store.close().await;
    cluster.rows_read(&database.name, "sessions").await.unwrap()
}

/// Opens sessions, looks them up, notes uses, lists and ends them. A purge reads the whole table, and is left out.
async fn turn(store: &PostgresStore, sessions: &Sessions) {
    let owner = user("alice");
    let opened = sign_in(sessions, &owner).await;
    let (id, digest) = (opened.session.id, opened.secret.digest());
    let look_ups: &dyn CredentialStore<Session> = store;
    assert_eq!(look_ups.find_by_digest(&digest).await.unwrap().as_ref(), Some(&opened.session));
    let several = [digest, CredentialDigest::from_bytes([0; 32])];
    assert_eq!(look_ups.find_by_digests(&several).await.stored.len(), 1);
    look_ups.record_uses(&[SessionUse { id, at: at(0).plus(Duration::from_secs(1)) }]).await.unwrap();
    sign_in(sessions, &owner).await;
    assert_eq!(sessions.end(&owner, id, &Origin::SERVICE).await.unwrap().len(), 1);
    assert_eq!(sessions.end_all(&owner, None, &Origin::SERVICE).await.unwrap(), []);
}
