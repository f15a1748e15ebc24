use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{PoolFigures, Publication, StoreError, WAITING_BYTES_MAX, waiting_bytes};
use domain::webhooks::{DirectClaims, NewEvent};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::Instant;

use super::periods::day_of_id;
use super::prepare_history::PrepareHistory;
use super::publish_events::{Publish, Published};
use super::publish_questions::Locks;
use crate::attempt::{DEADLINE, Failure, attempts_on};
use crate::change_signal::ChangeSignal;
use crate::claimers::Claimers;
use crate::pool::Connections;

/// The most waiting calls. Further calls wait for a place.
const WAITING_MAX: usize = 4_096;
/// How long a call may wait for its turn. The rest of its deadline is for the database.
const TURN_TIMEOUT: Duration = Duration::from_secs(2);
/// The most events in one transaction, unless one call has more; takes about 20 ms.
const GROUP_EVENTS_MAX: usize = 512;
/// The most bytes of payloads in one transaction, unless one call has more.
const GROUP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How often a call meets a locked lane before it waits for the lock. Most locks last for a millisecond.
const TRIES_MAX: u32 = 3;

/// Publishes for all callers, one group at a time: while one transaction waits for the disk, the next group gathers.
/// One flush serves the whole group, and each lane is locked once.
///
/// No group waits for a lane that another transaction has locked: calls that need it are tried again in the next
/// groups, and then wait for it together on a second connection. See decision 49.
#[derive(Clone)]
pub(crate) struct Publisher {
    calls: mpsc::Sender<Call>,
    /// The queue of the second task, which the first one fills.
    blocked: mpsc::Sender<Call>,
    /// One permit for each byte of waiting calls.
    room: Arc<Semaphore>,
    connections: [Connections; 2],
}

/// The receivers of news of deliveries.
#[derive(Clone)]
pub(crate) struct Audience {
    /// The dispatcher of this process, which takes some at once.
    pub(crate) claims: Arc<DirectClaims>,
    pub(crate) claimers: Claimers,
    /// All dispatchers.
    pub(crate) signal: ChangeSignal,
}

struct Call {
    events: Vec<NewEvent>,
    called_at: Instant,
    /// How often it was left out of a group.
    tries: u32,
    /// Its part of the room.
    _room: OwnedSemaphorePermit,
    answer: oneshot::Sender<Result<Publication, StoreError>>,
}

impl Publisher {
    /// A publisher on two pools, of which it uses one connection each.
    pub(crate) fn new(connections: [Connections; 2], audience: Audience, runtime: &Handle) -> Self {
        let (calls, arriving) = mpsc::channel(WAITING_MAX);
        let (blocked, waiting) = mpsc::channel(WAITING_MAX);
        let [first, second] = connections.clone();
        let again = audience.clone();
        runtime.spawn(publish_all(Line { connections: first, blocked: Some(blocked.clone()), audience }, arriving));
        runtime.spawn(publish_all(Line { connections: second, blocked: None, audience: again }, waiting));
        Self { calls, blocked, room: room(), connections }
    }

    /// Returns when one of the tasks has ended.
    pub(crate) async fn ended(&self) {
        tokio::select! {
            () = self.calls.closed() => {}
            () = self.blocked.closed() => {}
        }
    }

    /// The state of the pools.
    pub(super) fn pools(&self) -> [PoolFigures; 2] {
        self.connections.each_ref().map(Connections::figures)
    }

    /// Closes the connections. Every later call fails.
    pub(crate) fn close(&self) {
        self.connections.iter().for_each(Connections::close);
    }

    /// Publishes, and returns after the commit. A call that is dropped before its turn has no effect.
    pub(super) async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let room = Arc::clone(&self.room).try_acquire_many_owned(waiting_bytes(events)).map_err(|_| busy())?;
        let (answer, answered) = oneshot::channel();
        let call = Call { events: events.to_vec(), called_at: Instant::now(), tries: 0, _room: room, answer };
        let sent = tokio::time::timeout(TURN_TIMEOUT, self.calls.send(call)).await;
        sent.map_err(|_| busy())?.map_err(|_| unavailable("the store is closed"))?;
        answered.await.unwrap_or_else(|_| Err(unavailable("the publication was interrupted")))
    }
}

/// One of the two connections that publish.
struct Line {
    connections: Connections,
    /// The queue for calls that meet locked lanes. `None` if this line waits for them.
    blocked: Option<mpsc::Sender<Call>>,
    audience: Audience,
}

async fn publish_all(line: Line, mut arriving: mpsc::Receiver<Call>) {
    let mut ready: VecDeque<Call> = VecDeque::new();
    loop {
        if ready.is_empty() {
            let Some(call) = arriving.recv().await else { return };
            ready.push_back(call);
        }
        let mut group = Group::default();
        while let Some(call) = ready.pop_front().or_else(|| arriving.try_recv().ok()) {
            if !group.has_room_for(&call) {
                ready.push_front(call);
                break;
            }
            group.add(call);
        }
        for call in line.publish_group(group.calls).await {
            ready.extend(line.try_again(call));
        }
    }
}

impl Line {
    /// The call, if it is tried again in the next group. Otherwise it waits for its lanes on the other line.
    fn try_again(&self, mut call: Call) -> Option<Call> {
        call.tries += 1;
        let elsewhere = self.blocked.as_ref().filter(|_| call.tries >= TRIES_MAX);
        let Some(elsewhere) = elsewhere else { return Some(call) };
        if let Err(TrySendError::Full(call) | TrySendError::Closed(call)) = elsewhere.try_send(call) {
            call.end(Err(busy()));
        }
        None
    }

    fn locks(&self) -> Locks {
        if self.blocked.is_some() { Locks::Skip } else { Locks::Wait }
    }

    /// Returns the calls that met a locked lane.
    async fn publish_group(&self, calls: Vec<Call>) -> Vec<Call> {
        match self.publish(&calls).await {
            Ok(answers) => calls.into_iter().zip(answers).filter_map(|(call, answer)| call.end_if(answer)).collect(),
            Err(failure) if calls.len() > 1 && failure.is_about_the_content() => {
                let mut blocked = Vec::new();
                for call in calls {
                    match self.publish(std::slice::from_ref(&call)).await {
                        Ok(mut answers) => blocked.extend(call.end_if(answers.remove(0))),
                        Err(failure) => call.end(Err(failure.into())),
                    }
                }
                blocked
            }
            Err(failure) => {
                let error = Arc::new(StoreError::from(failure));
                for call in calls {
                    call.end(Err(StoreError::for_another(&error)));
                }
                Vec::new()
            }
        }
    }

    /// Publishes within the deadline of the call that has waited longest.
    async fn publish(&self, calls: &[Call]) -> Result<Vec<Option<Publication>>, Failure> {
        let Some(first) = calls.iter().map(|call| call.called_at).min() else { return Ok(Vec::new()) };
        let events: Vec<&[NewEvent]> = calls.iter().map(|call| call.events.as_slice()).collect();
        let Audience { claims, claimers, signal } = &self.audience;
        let work = Publish { calls: &events, locks: self.locks(), claims, by: claimers.own() };
        let publishing = async {
            match attempts_on(&self.connections, &work).await {
                Err(failure) if failure.lacks_a_partition() => {
                    prepare_days(&self.connections, &events).await?;
                    attempts_on(&self.connections, &work).await
                }
                outcome => outcome,
            }
        };
        let published = tokio::time::timeout_at(first + DEADLINE, publishing).await;
        let late = |_| Err(unavailable("Postgres did not answer in time").into());
        let Published { answers, has_waiting } = published.unwrap_or_else(late)?;
        if has_waiting {
            signal.notify_of_deliveries();
        }
        Ok(answers)
    }
}

#[derive(Default)]
struct Group {
    calls: Vec<Call>,
    events: usize,
    bytes: usize,
}

impl Group {
    fn has_room_for(&self, call: &Call) -> bool {
        self.calls.is_empty()
            || self.events + call.events.len() <= GROUP_EVENTS_MAX && self.bytes + call.bytes() <= GROUP_BYTES_MAX
    }

    /// Adds a call, unless it was dropped, or has waited too long and must be refused.
    fn add(&mut self, call: Call) {
        if call.answer.is_closed() {
            return;
        }
        if call.called_at.elapsed() >= TURN_TIMEOUT {
            call.end(Err(busy()));
            return;
        }
        self.events += call.events.len();
        self.bytes += call.bytes();
        self.calls.push(call);
    }
}

impl Call {
    fn bytes(&self) -> usize {
        self.events.iter().map(|new| new.event.payload.bytes().len()).sum()
    }

    /// Ends the call if there is an answer. Otherwise returns it.
    fn end_if(self, answer: Option<Publication>) -> Option<Self> {
        let Some(answer) = answer else { return Some(self) };
        self.end(Ok(answer));
        None
    }

    /// A dropped call does not get its answer.
    fn end(self, answer: Result<Publication, StoreError>) {
        let _ = self.answer.send(answer);
    }
}

/// Creates the periods of the log for the days of these events. Usually they exist: see
/// [`Retention::prepare_history`](domain::ports::Retention::prepare_history).
async fn prepare_days(connections: &Connections, calls: &[&[NewEvent]]) -> Result<(), Failure> {
    let days: BTreeSet<i64> = calls.iter().copied().flatten().map(|new| day_of_id(new.event.id.as_bytes())).collect();
    for day in days {
        attempts_on(connections, &PrepareHistory { first_day: day, last_day: day, width: 1 }).await?;
    }
    Ok(())
}

fn room() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(WAITING_BYTES_MAX as usize))
}

fn busy() -> StoreError {
    unavailable("too many events are waiting to be published")
}

fn unavailable(why: &str) -> StoreError {
    StoreError::Unavailable(why.into())
}

#[cfg(test)]
mod tests {
    use domain::memory::SeededEntropy;
    use domain::webhooks::{Event, EventType, Payload};
    use domain::{EventId, OwnerId, Timestamp};

    use futures_util::FutureExt;

    use super::*;
    use crate::server::{Purpose, Server};

    fn call(events: usize, payload_bytes: usize) -> (Call, oneshot::Receiver<Result<Publication, StoreError>>) {
        let created_at = Timestamp::MIN;
        let event = Event {
            id: EventId::mint(created_at, &SeededEntropy::new(1)),
            owner: OwnerId::new("https://id.example", "alice").unwrap(),
            event_type: EventType::parse("a").unwrap(),
            payload: Payload::from_bytes(vec![0; payload_bytes]),
            created_at,
        };
        let events = vec![NewEvent { event, publication: None, only: None, trace: None }; events];
        let (answer, answered) = oneshot::channel();
        let room = room().try_acquire_owned().unwrap();
        (Call { events, called_at: Instant::now(), tries: 0, _room: room, answer }, answered)
    }

    /// A publisher on no server, and the calls that wait for it.
    fn publisher() -> (Publisher, mpsc::Receiver<Call>) {
        let server = Server::parse("postgres://nobody@127.0.0.1:1/none?sslmode=disable", None).unwrap();
        let connections = ["first", "second"]
            .map(|name| Connections::new(name, server.clone(), Purpose::Calls, 1, Handle::current()).unwrap());
        let (calls, waiting) = mpsc::channel(WAITING_MAX);
        (Publisher { blocked: calls.clone(), calls, room: room(), connections }, waiting)
    }

    #[tokio::test]
    async fn waiting_calls_have_a_maximum_in_bytes() {
        let (publisher, mut waiting) = publisher();
        let publish = async |bytes| publisher.publish(&call(1, bytes).0.events).await;
        let mut calls: Vec<_> = (0..100).map(|_| Box::pin(publish(1024 * 1024))).collect();
        let refused = calls.iter_mut().filter_map(FutureExt::now_or_never);
        let refused = refused.filter(|answer| matches!(answer, Err(StoreError::Unavailable(_)))).count();
        assert_eq!(refused, 37, "63 MiB wait, and their events are a little larger than their payloads");
        let taken = waiting.recv().await;
        assert!(publish(1024 * 1024).now_or_never().is_some(), "the call that is published still needs its room");
        drop(taken);
        assert!(Box::pin(publish(1024 * 1024)).now_or_never().is_none(), "there is room for another call");
    }

    #[tokio::test]
    async fn a_call_that_needs_the_whole_room_gets_it() {
        let (publisher, _waiting) = publisher();
        let (large, _) = call(1, WAITING_BYTES_MAX as usize + 1);
        assert!(Box::pin(publisher.publish(&large.events)).now_or_never().is_none());
        assert!(Box::pin(publisher.publish(&call(1, 1).0.events)).now_or_never().is_some());
    }

    #[test]
    fn a_group_has_a_maximum_size_except_for_its_first_call() {
        for (first, second, fits) in [
            ((1, 10), (GROUP_EVENTS_MAX - 1, 10), true),
            ((1, 10), (GROUP_EVENTS_MAX, 10), false),
            ((1, 10), (1, GROUP_BYTES_MAX - 10), true),
            ((1, 10), (1, GROUP_BYTES_MAX - 9), false),
            ((0, 0), (GROUP_EVENTS_MAX + 1, 10_000), true),
        ] {
            let mut group = Group::default();
            let (first, _first) = call(first.0, first.1);
            if !first.events.is_empty() {
                group.add(first);
            }
            let (second, _second) = call(second.0, second.1);
            assert_eq!(group.has_room_for(&second), fits);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_is_gone_or_has_waited_too_long_gets_no_turn() {
        let mut group = Group::default();
        let (gone, answered) = call(1, 1);
        drop(answered);
        group.add(gone);
        let (late, mut refused) = call(1, 1);
        tokio::time::advance(TURN_TIMEOUT).await;
        group.add(late);
        assert!(matches!(refused.try_recv(), Ok(Err(StoreError::Unavailable(_)))));
        let (in_time, _answered) = call(1, 1);
        tokio::time::advance(TURN_TIMEOUT * 9 / 10).await;
        group.add(in_time);
        assert_eq!((group.calls.len(), group.events, group.bytes), (1, 1, 1));
    }
}
