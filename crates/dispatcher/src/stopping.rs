use tokio::time::Instant;

use crate::LAST_WRITE_MAX;
use crate::run::Run;
use crate::sending::Flight;

/// How far a graceful stop has come.
pub(crate) struct Stopping {
    /// When attempts under way are cut off.
    cut_off_at: Instant,
    /// When the run ends, whatever is left.
    end_at: Instant,
    is_cut_off: bool,
}

impl Run<'_> {
    /// From now on nothing is claimed or begun. What has not begun goes back at once.
    pub(crate) fn begin_to_stop(&mut self) {
        let cut_off_at = Instant::now() + self.dispatcher.settings.stop_grace;
        self.stopping = Some(Stopping { cut_off_at, end_at: cut_off_at + LAST_WRITE_MAX, is_cut_off: false });
        let now = self.dispatcher.clock.now();
        for lane in self.lanes.with_waiting() {
            self.give_back_all_of(lane, now);
        }
        tracing::debug!(in_flight = self.lanes.in_flight(), "webhooks: attempts under way may end");
    }

    /// When the stop has to go on by itself.
    pub(crate) fn stop_deadline(&self) -> Option<Instant> {
        self.stopping.as_ref().map(|stopping| if stopping.is_cut_off { stopping.end_at } else { stopping.cut_off_at })
    }

    /// Cuts off what has outlasted the grace. The receivers may have got it, so these attempts count, without a record,
    /// like those that a crash cuts off; and because the fault is ours, they are due again at once.
    pub(crate) fn cut_off_if_due(&mut self, now: Instant) {
        let Some(stopping) = self.stopping.as_mut().filter(|stopping| !stopping.is_cut_off) else { return };
        if now < stopping.cut_off_at {
            return;
        }
        stopping.is_cut_off = true;
        if let Some(ended) = self.attempts.try_join_next_with_id() {
            self.attempts_ended(ended);
        }
        // A claim that has not been answered by now is left to its lease.
        self.claiming.under_way = None;
        self.attempts.abort_all();
        let mut flights: Vec<Flight> = self.flights.drain().map(|(_, flight)| flight).collect();
        flights.sort_by_key(|flight| flight.delivery.id);
        let at = self.dispatcher.clock.now();
        for flight in &flights {
            self.cut_off(flight, at, at);
        }
        if !flights.is_empty() {
            tracing::warn!(count = flights.len(), "webhook attempts were cut off to stop, they will be made again");
        }
    }

    /// Whether the stop is complete, or out of time.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        let is_done = self.claiming.under_way.is_none() && self.flights.is_empty() && self.completions.len() == 0;
        self.stopping.as_ref().is_some_and(|stopping| is_done || now >= stopping.end_at)
    }

    /// Says what could not be stored: it is due again when its lease ends.
    pub(crate) fn report_losses(&self) {
        let count = self.completions.len();
        if count > 0 {
            tracing::error!(count, "how webhook attempts ended could not be stored, they will be made again");
        }
    }
}
