use std::future::pending;
use std::sync::Arc;

use domain::ports::{ClaimedLane, HandedOver, StoreError};
use tokio::task::{Id, JoinError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::POLL_INTERVAL;
use crate::dispatcher::Dispatcher;
use crate::outcome_tally::write_outcomes;
use crate::state::{AttemptEnd, Held, Run, Written};
use crate::sweep::sweep_closed_lanes;

impl Dispatcher {
    /// Delivers until `stop` is cancelled. Then it stops claiming, gives back the deliveries that it has not started,
    /// waits up to [`DispatcherSettings::stop_grace`] for attempts in progress, and stores the results.
    ///
    /// - Attempts run on the runtime of the caller.
    /// - The receiver may have the webhook of an attempt that is cut off after the grace. The attempt counts, and the
    ///   delivery is due again at once.
    /// - Dropping the future also drops the attempts. Claimed deliveries are due again when their leases end.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let ended = CancellationToken::new();
        let run = async {
            Run::new(&self).run(&stop).await;
            ended.cancel();
        };
        tokio::join!(run, sweep_closed_lanes(&self, &stop), write_outcomes(&self, &ended));
    }
}

/// An event that a run waits for.
enum Happening {
    StopWanted,
    Claimed(Result<Vec<ClaimedLane>, StoreError>),
    Written(Written),
    /// Publications have claimed their deliveries.
    Published(Vec<HandedOver>),
    Hint,
    Ended(Result<(Id, AttemptEnd), JoinError>),
    TimePassed,
}

impl Run<'_> {
    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        loop {
            let now = Instant::now();
            self.poll_if_due(now);
            self.cut_off_if_due(now);
            self.claiming.end_rests(now);
            self.begin_claim_if_wanted(now);
            self.offer_if_wanted();
            self.begin_write_if_due(now);
            if self.is_over(now) {
                break;
            }
            self.publish_counts();
            match self.next_happening(stop, now).await {
                Happening::StopWanted => self.begin_to_stop(),
                Happening::Claimed(answer) => self.claimed(answer),
                Happening::Written(written) => self.written(written),
                Happening::Published(claims) => {
                    self.published = self.dispatcher.queue.handed_over();
                    self.handed_over(claims);
                }
                Happening::Hint => {
                    self.hint = self.dispatcher.queue.hint();
                    self.claiming.hint();
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
        let (is_stopping, hint_matters) = (self.stopping.is_some(), !self.claiming.is_hinted);
        let Self { claiming, writing, published, hint, attempts, timer, .. } = self;
        tokio::select! {
            biased;
            () = stop.cancelled(), if !is_stopping => Happening::StopWanted,
            answer = held(&mut claiming.under_way) => Happening::Claimed(answer),
            written = held(writing) => Happening::Written(written),
            claims = published => Happening::Published(claims),
            () = hint, if hint_matters && !is_stopping => Happening::Hint,
            Some(ended) = attempts.join_next_with_id() => Happening::Ended(ended),
            () = timer => Happening::TimePassed,
        }
    }

    /// When the next turn starts if there is no event.
    fn next_deadline(&self, now: Instant) -> Instant {
        let rest = self.claiming.first_rest_ends();
        let others = [self.completions.due_at(now), self.claim_due_at(), self.stop_deadline(), rest];
        others.into_iter().flatten().fold(self.next_poll, Instant::min)
    }

    fn poll_if_due(&mut self, now: Instant) {
        if now >= self.next_poll {
            self.next_poll = now + POLL_INTERVAL;
            self.claiming.is_wanted = true;
            self.offering.want();
            self.give_back_what_waited_too_long(now);
        }
    }

    fn publish_counts(&self) {
        let counters = &self.dispatcher.counters;
        counters.in_flight.set(self.lanes.in_flight);
        counters.waiting.set(self.lanes.waiting);
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
