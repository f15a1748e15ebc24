use std::collections::BTreeSet;
use std::time::Duration;

use domain::ports::{Publication, StoreError};
use domain::webhooks::NewEvent;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::periods::day_of_id;
use super::prepare_history::PrepareHistory;
use super::publish_events::Publish;
use crate::attempt::{DEADLINE, Failure, attempts_on};
use crate::pool::Connections;

/// The most waiting calls. Further calls wait for a place.
const WAITING_MAX: usize = 4_096;
/// How long a call may wait for its turn. The rest of its deadline is for the database.
const TURN_TIMEOUT: Duration = Duration::from_secs(2);
/// The most events in one transaction, unless one call has more; takes about 20 ms.
const GROUP_EVENTS_MAX: usize = 512;
/// The most bytes of payloads in one transaction, unless one call has more.
const GROUP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Publishes for all callers, one group at a time: while one transaction waits for the disk, the next group gathers.
/// One flush serves the whole group, and each lane is locked once.
#[derive(Clone)]
pub(crate) struct Publisher {
    calls: mpsc::Sender<Call>,
    connections: Connections,
}

struct Call {
    events: Vec<NewEvent>,
    called_at: Instant,
    answer: oneshot::Sender<Result<Publication, StoreError>>,
}

impl Publisher {
    pub(crate) fn new(connections: Connections, runtime: &Handle) -> Self {
        let (calls, waiting) = mpsc::channel(WAITING_MAX);
        runtime.spawn(publish_all(connections.clone(), waiting));
        Self { calls, connections }
    }

    /// Closes the connection. Every later call fails.
    pub(crate) fn close(&self) {
        self.connections.close();
    }

    /// Publishes, and returns after the commit. A caller that goes away before its turn publishes nothing.
    pub(super) async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let (answer, answered) = oneshot::channel();
        let call = Call { events: events.to_vec(), called_at: Instant::now(), answer };
        let sent = tokio::time::timeout(TURN_TIMEOUT, self.calls.send(call)).await;
        sent.map_err(|_| busy())?.map_err(|_| unavailable("the store is closed"))?;
        answered.await.unwrap_or_else(|_| Err(unavailable("the publication was interrupted")))
    }
}

async fn publish_all(connections: Connections, mut waiting: mpsc::Receiver<Call>) {
    let mut left_over = None;
    loop {
        let first = match left_over.take() {
            Some(call) => call,
            None => match waiting.recv().await {
                Some(call) => call,
                None => return,
            },
        };
        let mut group = Group::default();
        group.add(first);
        while let Ok(call) = waiting.try_recv() {
            if !group.has_room_for(&call) {
                left_over = Some(call);
                break;
            }
            group.add(call);
        }
        publish_group(&connections, group.calls).await;
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

    /// Adds a call, unless its caller is gone, or the call has waited too long and must be refused.
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

    /// A caller that is gone does not get its answer.
    fn end(self, answer: Result<Publication, StoreError>) {
        let _ = self.answer.send(answer);
    }
}

async fn publish_group(connections: &Connections, calls: Vec<Call>) {
    match publish(connections, &calls).await {
        Ok(answers) => {
            for (call, answer) in calls.into_iter().zip(answers) {
                call.end(Ok(answer));
            }
        }
        Err(failure) if calls.len() > 1 && failure.is_about_the_content() => {
            for call in calls {
                let published = publish(connections, std::slice::from_ref(&call)).await;
                let answer = published.map(|mut answers| answers.remove(0)).map_err(StoreError::from);
                call.end(answer);
            }
        }
        Err(failure) => {
            let error = StoreError::from(failure);
            for call in calls {
                let error = for_another(&error);
                call.end(Err(error));
            }
        }
    }
}

/// Publishes within the deadline of the call that has waited longest.
async fn publish(connections: &Connections, calls: &[Call]) -> Result<Vec<Publication>, Failure> {
    let Some(first) = calls.iter().map(|call| call.called_at).min() else { return Ok(Vec::new()) };
    let events: Vec<&[NewEvent]> = calls.iter().map(|call| call.events.as_slice()).collect();
    let work = Publish { calls: &events };
    let publishing = async {
        match attempts_on(connections, &work).await {
            Err(failure) if failure.lacks_a_partition() => {
                prepare_days(connections, &events).await?;
                attempts_on(connections, &work).await
            }
            outcome => outcome,
        }
    };
    let published = tokio::time::timeout_at(first + DEADLINE, publishing).await;
    published.unwrap_or_else(|_| Err(unavailable("Postgres did not answer in time").into()))
}

/// Creates the periods of the log for the days of these events. Usually they exist: see
/// [`DeliveryCommands::prepare_history`](domain::ports::DeliveryCommands::prepare_history).
async fn prepare_days(connections: &Connections, calls: &[&[NewEvent]]) -> Result<(), Failure> {
    let days: BTreeSet<i64> = calls.iter().copied().flatten().map(|new| day_of_id(new.event.id.as_bytes())).collect();
    for day in days {
        attempts_on(connections, &PrepareHistory { first_day: day, last_day: day, width: 1 }).await?;
    }
    Ok(())
}

fn busy() -> StoreError {
    unavailable("too many events are waiting to be published")
}

fn unavailable(why: &str) -> StoreError {
    StoreError::Unavailable(why.into())
}

/// The same error for another caller of the group.
fn for_another(error: &StoreError) -> StoreError {
    match error {
        StoreError::Unavailable(source) => StoreError::Unavailable(source.to_string().into()),
        StoreError::Corrupt { table, column, row } => StoreError::Corrupt { table, column, row: row.clone() },
        StoreError::Duplicate { what } => StoreError::Duplicate { what },
    }
}

#[cfg(test)]
mod tests {
    use domain::memory::SeededEntropy;
    use domain::webhooks::{Event, EventType, Payload};
    use domain::{EventId, Timestamp, UserId};

    use super::*;

    fn call(events: usize, payload_bytes: usize) -> (Call, oneshot::Receiver<Result<Publication, StoreError>>) {
        let created_at = Timestamp::MIN;
        let event = Event {
            id: EventId::mint(created_at, &SeededEntropy::new(1)),
            owner: UserId::new("https://id.example", "alice").unwrap(),
            event_type: EventType::parse("a").unwrap(),
            payload: Payload::from_bytes(vec![0; payload_bytes]),
            created_at,
        };
        let events = vec![NewEvent { event, publication: None, only: None }; events];
        let (answer, answered) = oneshot::channel();
        (Call { events, called_at: Instant::now(), answer }, answered)
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
