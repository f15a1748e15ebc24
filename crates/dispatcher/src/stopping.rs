use tokio::time::Instant;

use crate::LAST_WRITE_MAX;
use crate::state::{Flight, Run, Stopping};

impl Run<'_> {
    /// Stops claiming and starting, and gives back all waiting deliveries.
    pub(crate) fn begin_to_stop(&mut self) {
        let cut_off_at = Instant::now() + self.dispatcher.settings.stop_grace;
        self.stopping = Some(Stopping { cut_off_at, end_at: cut_off_at + LAST_WRITE_MAX, is_cut_off: false });
        let now = self.dispatcher.clock.now();
        for (_, lane) in self.lanes.with_waiting() {
            self.give_back_all_of(lane, now);
        }
        tracing::debug!(in_flight = self.lanes.in_flight, "webhooks: waiting for attempts in progress");
    }

    /// When the shutdown continues without an event.
    pub(crate) fn stop_deadline(&self) -> Option<Instant> {
        self.stopping.as_ref().map(|stopping| if stopping.is_cut_off { stopping.end_at } else { stopping.cut_off_at })
    }

    /// Cuts off the attempts that outlast the grace. The receivers may have the webhooks, so these attempts count without a
    /// record, as after a crash. The deliveries are due again at once, because the receiver did not fail.
    pub(crate) fn cut_off_if_due(&mut self, now: Instant) {
        let Some(stopping) = self.stopping.as_mut().filter(|stopping| !stopping.is_cut_off) else { return };
        if now < stopping.cut_off_at {
            return;
        }
        stopping.is_cut_off = true;
        if let Some(ended) = self.attempts.try_join_next_with_id() {
            self.attempts_ended(ended);
        }
        // A claim without an answer by now ends with its lease.
        self.claiming.under_way = None;
        self.attempts.abort_all();
        let mut flights: Vec<Flight> = self.flights.drain().map(|(_, flight)| flight).collect();
        flights.sort_by_key(|flight| flight.delivery.id);
        let at = self.dispatcher.clock.now();
        for flight in &flights {
            self.cut_off(flight, at, at);
        }
        if !flights.is_empty() {
            tracing::warn!(count = flights.len(), "webhook attempts were cut off by the shutdown and will be repeated");
        }
    }

    /// Whether the shutdown is complete, or its time is over.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        let is_done = self.claiming.under_way.is_none() && self.flights.is_empty() && self.completions.len() == 0;
        self.stopping.as_ref().is_some_and(|stopping| is_done || now >= stopping.end_at)
    }

    /// Logs how many results are lost. Their deliveries are due again when the leases end.
    pub(crate) fn report_losses(&self) {
        let count = self.completions.len();
        if count > 0 {
            tracing::error!(count, "the results of webhook attempts were not stored; the attempts will be repeated");
        }
    }
}
