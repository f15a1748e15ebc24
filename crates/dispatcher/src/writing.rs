use domain::ports::{Completion, StoreError};
use tokio::time::{Instant, timeout};

use crate::STORE_TIMEOUT;
use crate::claiming::flatten;
use crate::outcome_tally::outcomes_of;
use crate::state::{Run, Written};

impl Run<'_> {
    pub(crate) fn begin_write_if_due(&mut self, now: Instant) {
        let Some(batch) = self.completions.take(now) else { return };
        let queue = &self.dispatcher.queue;
        self.writing = Some(Box::pin(async move {
            let answer = flatten(timeout(STORE_TIMEOUT, queue.complete(&batch)).await);
            Written { batch, answer }
        }));
    }

    /// Handles the store's answer.
    pub(crate) fn written(&mut self, written: Written) {
        let Written { batch, answer } = written;
        match answer {
            Ok(held) => self.stored(&batch, &held),
            Err(error) => self.refused(batch, &error),
        }
    }

    fn stored(&mut self, batch: &[Completion], held: &[bool]) {
        let effect = self.completions.written(Instant::now());
        self.write_outage.worked();
        self.dispatcher.counters.overtaken.add(held.iter().filter(|held| !**held).count());
        self.dispatcher.outcomes.add(outcomes_of(batch));
        for completion in batch {
            self.settle(completion);
        }
        // Deliveries that the lane held back may be due.
        self.claiming.is_wanted |= effect.is_awaited;
        if effect.closes {
            self.dispatcher.lane_closed.notify_one();
        }
    }

    fn refused(&mut self, batch: Vec<Completion>, error: &StoreError) {
        let now = Instant::now();
        let wait = self.write_outage.failed(error);
        let refused = self.completions.refused(batch, now, now + wait);
        if !refused.is_outage {
            self.write_outage.worked();
        }
        if let Some(completion) = refused.given_up {
            let error: &dyn std::error::Error = error;
            let (delivery, next) = (completion.delivery, completion.end.next_step());
            tracing::error!(%delivery, ?next, error, "the store rejected the result of a webhook attempt; dropping it");
            self.settle(&completion);
        }
    }

    /// Notes for the lane that this report is stored or dropped.
    fn settle(&mut self, completion: &Completion) {
        if completion.end.report().is_some()
            && let Some(lane) = self.lanes.get_mut(completion.subscription)
        {
            lane.report_written();
            // The last claim may have divided its room among too many lanes to have some for this one.
            self.claiming.is_wanted |= lane.wants_more(self.dispatcher.clock.now());
        }
    }
}
