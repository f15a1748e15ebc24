use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};

use super::REFUSED_CUT_OFF_WITHIN;
use super::delays::Delays;
use super::fleet::{Fleet, Key, accepted_for};
use crate::harness::{Connection, DEADLINE, FaultProxy, Line, until};

const REVOCATIONS: usize = 10;
const QUESTION_INTERVAL: Duration = Duration::from_millis(10);
/// How long the test watches an instance: longer than the bound.
const WATCHED: Duration = Duration::from_millis(5_500);
/// The longest time until a request that needs the database is answered, as `docs/operations/databases.md` says, with a
/// margin for a busy machine.
const ANSWER_WITHIN: Duration = Duration::from_secs(6);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_with_cut_connections_refuses_within_five_seconds() {
    assert_refused_when_cut_off(Line::Cut).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_with_silent_connections_refuses_within_five_seconds() {
    assert_refused_when_cut_off(Line::Silent).await;
}

/// One instance loses its feed and its pool; another instance revokes a key. Keys in memory stay good until the
/// instance answers 503. A good key never gets a 401, and a revoked key never becomes good again.
async fn assert_refused_when_cut_off(line: Line) {
    let mut fleet = Fleet::of(1).await;
    let proxy = FaultProxy::before(fleet.database()).await;
    fleet.join_through(&proxy).await;
    let (alice, there) = (fleet.user("alice"), &fleet.instances[1]);
    let good = fleet.used_key(&fleet.user("bob")).await;
    let unknown = Key { full_key: "svc_live_never_seen".into(), id: String::new() };
    let revoked = join_all((0..REVOCATIONS).map(|_| fleet.used_key(&alice))).await;

    proxy.set(line);
    let revoke_and_watch = revoked.iter().map(async |key| {
        assert_eq!(alice.revoke(&key.id).await.status, 200);
        (Instant::now(), watch(there.address(), key).await)
    });
    let (revoked_there, good_there, unknown_there) =
        tokio::join!(join_all(revoke_and_watch), watch(there.address(), &good), watch(there.address(), &unknown));

    let taken_for_good = |(answered, watched): &(Instant, Watched)| accepted_for(watched.last_good(), *answered);
    let delays: Delays = revoked_there.iter().map(taken_for_good).collect();
    delays.expect(&format!("still accepted on a connection that is {line:?}"), 1_000, REFUSED_CUT_OFF_WITHIN);
    assert_eq!(unknown_there.statuses(), [503], "503 for an unknown key: {unknown_there}");
    assert_eq!(good_there.statuses(), [200, 503], "good, then 503, and never a 401: {good_there}");
    for (_, watched) in &revoked_there {
        assert!(matches!(*watched.statuses(), [200, 503] | [503]), "a refused key stays refused: {watched}");
    }

    proxy.set(Line::Whole);
    for (key, status) in revoked.iter().map(|key| (key, 401)).chain([(&good, 200)]) {
        until("the instance reads the feed again", async || {
            let seen = there.send(&key.question()).await.status;
            assert!([status, 503].contains(&seen), "{seen} for a key that is {status}");
            seen == status
        })
        .await;
    }
}

/// The answers to one repeated question, in their order: the time of the question, and the status.
struct Watched(Vec<(Instant, u16)>);

/// Repeats the question for [`WATCHED`], and until the instance answers 503. Every answer comes in time.
async fn watch(address: SocketAddr, key: &Key) -> Watched {
    let (mut connection, question) = (Connection::open(address).await.expect("it listens"), key.question());
    let (start, mut seen) = (Instant::now(), Vec::new());
    while start.elapsed() < WATCHED || !matches!(seen.last(), Some((_, 503))) {
        assert!(start.elapsed() < DEADLINE, "never 503");
        let asked = Instant::now();
        let status = connection.exchange(&question).await.expect("an answer").status;
        assert!(asked.elapsed() <= ANSWER_WITHIN, "answered {status} after {:?}", asked.elapsed());
        seen.push((asked, status));
        sleep(QUESTION_INTERVAL).await;
    }
    Watched(seen)
}

impl Watched {
    /// The time of the last question that got a 200.
    fn last_good(&self) -> Option<Instant> {
        self.0.iter().rev().find(|(_, status)| *status == 200).map(|(asked, _)| *asked)
    }

    /// The statuses in their order, and how long each lasted.
    fn statuses(&self) -> Vec<u16> {
        let mut statuses: Vec<u16> = self.0.iter().map(|(_, status)| *status).collect();
        statuses.dedup();
        statuses
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.0[0].0;
        for run in self.0.chunk_by(|(_, before), (_, after)| before == after) {
            let (first, last) = (run[0], run[run.len() - 1]);
            write!(formatter, "{} from {:?} to {:?}; ", first.1, first.0 - start, last.0 - start)?;
        }
        Ok(())
    }
}
