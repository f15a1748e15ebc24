//! Calls that start together, and calls that are dropped before they end.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Barrier;

/// The most polls before a drop. More than a call should need.
const POLLS_MAX: u32 = 40;
/// How many times a call is dropped by time, each time a little later.
const MOMENTS: u32 = 20;
const MOMENT: Duration = Duration::from_micros(150);
/// How long a few later calls may take. If they take longer, they wait for a lock that the dropped call left behind.
const HELD_UP_AFTER: Duration = Duration::from_secs(4);

/// A call to make, on any thread.
pub(crate) type Call<Answer> = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Makes each call in a separate task, and starts them all at once. Returns the answers in the order of the calls.
pub(crate) async fn all_at_once<Answer: Send + 'static>(calls: Vec<Call<Answer>>) -> Vec<Answer> {
    let gate = Arc::new(Barrier::new(calls.len()));
    let start = |call: Call<Answer>| {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            gate.wait().await;
            call.await
        })
    };
    let tasks: Vec<_> = calls.into_iter().map(start).collect();
    let mut answers = Vec::with_capacity(tasks.len());
    for task in tasks {
        answers.push(task.await.expect("no parallel call may panic"));
    }
    answers
}

/// When a call is dropped.
#[derive(Clone, Copy)]
pub(crate) enum DropAt {
    /// After this number of polls.
    Poll(u32),
    /// After this time.
    Moment(Duration),
}

pub(crate) fn moments() -> Vec<DropAt> {
    (1..=POLLS_MAX).map(DropAt::Poll).chain((0..MOMENTS).map(|n| DropAt::Moment(MOMENT * n))).collect()
}

impl fmt::Display for DropAt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Poll(polls) => write!(formatter, "dropped after {polls} polls"),
            Self::Moment(moment) => write!(formatter, "dropped after {moment:?}"),
        }
    }
}

impl DropAt {
    /// Runs the call and drops it at its moment, unless it has ended.
    pub(crate) async fn call<Answer>(self, call: impl Future<Output = Answer>) {
        match self {
            Self::Poll(polls) => drop_after_polls(call, polls).await,
            Self::Moment(moment) => drop(tokio::time::timeout(moment, call).await),
        }
    }
}

async fn drop_after_polls<Answer>(call: impl Future<Output = Answer>, polls: u32) {
    let mut call = pin!(call);
    let mut polled = 0;
    poll_fn(|context| {
        polled += 1;
        let ended = call.as_mut().poll(context).is_ready() || polled >= polls;
        if ended { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Makes later calls, which must end in time.
pub(crate) async fn not_held_up(dropped: DropAt, later_calls: impl Future<Output = ()>) {
    let ended = tokio::time::timeout(HELD_UP_AFTER, later_calls).await;
    assert!(ended.is_ok(), "later calls must not be held up for {HELD_UP_AFTER:?} by a call {dropped}");
}
