use std::collections::HashMap;
use std::future::pending;
use std::pin::Pin;

use domain::ports::{ClaimedLane, StoreError};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::POLL_INTERVAL;
use crate::claiming::Claiming;
use crate::completions::Completions;
use crate::dispatcher::Dispatcher;
use crate::host_caps::HostCaps;
use crate::lanes::Lanes;
use crate::outage::Outage;
use crate::secrets::SecretCache;
use crate::sending::{Ended, Flight};
use crate::stopping::Stopping;
use crate::writing::Written;

/// A future that a run keeps across turns.
pub(crate) type Held<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One run of a dispatcher: the one task that holds all of its state.
///
/// Each turn starts what can start, and then waits for one event. The files `claiming`, `sending`, `writing` and `stopping`
/// handle the events.
pub(crate) struct Run<'a> {
    pub(crate) dispatcher: &'a Dispatcher,
    pub(crate) lanes: Lanes,
    pub(crate) hosts: HostCaps,
    pub(crate) secrets: SecretCache,
    pub(crate) claiming: Claiming<'a>,
    hint: Held<'a, ()>,
    pub(crate) attempts: JoinSet<Ended>,
    pub(crate) flights: HashMap<Id, Flight>,
    pub(crate) completions: Completions,
    pub(crate) writing: Option<Held<'a, Written>>,
    pub(crate) write_outage: Outage,
    pub(crate) stopping: Option<Stopping>,
    next_poll: Instant,
    timer: Pin<Box<Sleep>>,
}

/// An event that a run waits for.
enum Happening {
    StopWanted,
    Claimed(Result<Vec<ClaimedLane>, StoreError>),
    Written(Written),
    Hint,
    Ended(Result<(Id, Ended), JoinError>),
    TimePassed,
}

impl<'a> Run<'a> {
    pub(crate) fn new(dispatcher: &'a Dispatcher) -> Self {
        let now = Instant::now();
        Self {
            dispatcher,
            lanes: Lanes::default(),
            hosts: HostCaps::new(dispatcher.settings.concurrency_per_host),
            secrets: SecretCache::default(),
            claiming: Claiming::new(now),
            hint: dispatcher.queue.hint(),
            attempts: JoinSet::new(),
            flights: HashMap::new(),
            completions: Completions::new(),
            writing: None,
            write_outage: Outage::of("storing the results of attempts"),
            stopping: None,
            next_poll: now,
            timer: Box::pin(sleep_until(now)),
        }
    }

    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        loop {
            let now = Instant::now();
            self.poll_if_due(now);
            self.cut_off_if_due(now);
            self.begin_claim_if_wanted(now);
            self.begin_write_if_due(now);
            if self.is_over(now) {
                break;
            }
            self.publish_counts();
            match self.next_happening(stop, now).await {
                Happening::StopWanted => self.begin_to_stop(),
                Happening::Claimed(answer) => self.claimed(answer),
                Happening::Written(written) => self.written(written),
                Happening::Hint => {
                    self.hint = self.dispatcher.queue.hint();
                    self.claiming.is_wanted = true;
                }
                Happening::Ended(ended) => self.attempts_ended(ended),
                Happening::TimePassed => {}
            }
        }
        self.report_losses();
    }

    /// Waits for the next event. If there are several, the order below decides: rare events come before frequent ones.
    async fn next_happening(&mut self, stop: &CancellationToken, now: Instant) -> Happening {
        let deadline = self.next_deadline(now);
        if self.timer.deadline() != deadline {
            self.timer.as_mut().reset(deadline);
        }
        let (is_stopping, hint_matters) = (self.stopping.is_some(), !self.claiming.is_wanted);
        let Self { claiming, writing, hint, attempts, timer, .. } = self;
        tokio::select! {
            biased;
            () = stop.cancelled(), if !is_stopping => Happening::StopWanted,
            answer = held(&mut claiming.under_way) => Happening::Claimed(answer),
            written = held(writing) => Happening::Written(written),
            () = hint, if hint_matters && !is_stopping => Happening::Hint,
            Some(ended) = attempts.join_next_with_id() => Happening::Ended(ended),
            () = timer => Happening::TimePassed,
        }
    }

    /// When the next turn starts if there is no event.
    fn next_deadline(&self, now: Instant) -> Instant {
        let others = [self.completions.due_at(now), self.claim_due_at(), self.stop_deadline()];
        others.into_iter().flatten().fold(self.next_poll, Instant::min)
    }

    fn poll_if_due(&mut self, now: Instant) {
        if now >= self.next_poll {
            self.next_poll = now + POLL_INTERVAL;
            self.claiming.is_wanted = true;
            self.give_back_what_waited_too_long(now);
        }
    }

    fn publish_counts(&self) {
        let counters = &self.dispatcher.counters;
        counters.in_flight.set(self.lanes.in_flight());
        counters.waiting.set(self.lanes.waiting());
        counters.unwritten.set(self.completions.len());
    }
}

/// Waits for the future, if there is one, and removes it when it is ready.
async fn held<T>(future: &mut Option<Held<'_, T>>) -> T {
    let Some(waiting) = future else { return pending().await };
    let output = waiting.await;
    *future = None;
    output
}
