use domain::ports::{Completion, StoreError};
use tokio::time::{Instant, timeout};

use crate::STORE_TIMEOUT;
use crate::claiming::flatten;
use crate::completions::{Note, Unwritten};
use crate::state::{Run, Written};

impl Run<'_> {
    pub(crate) fn begin_write_if_due(&mut self, now: Instant) {
        let Some(batch) = self.completions.take(now) else { return };
        let queue = &self.dispatcher.queue;
        self.writing = Some(Box::pin(async move {
            let (completions, notes): (Vec<_>, Vec<_>) =
                batch.into_iter().map(|Unwritten { completion, note }| (completion, note)).unzip();
            let answer = flatten(timeout(STORE_TIMEOUT, queue.complete(&completions)).await);
            Written { completions, notes, answer }
        }));
    }

    /// Handles the store's answer.
    pub(crate) fn written(&mut self, written: Written) {
        let Written { completions, notes, answer } = written;
        match answer {
            Ok(held) => self.stored(&completions, &notes, &held),
            Err(error) => {
                let batch = completions.into_iter().zip(notes);
                let batch = batch.map(|(completion, note)| Unwritten { completion, note }).collect();
                self.refused(batch, &error);
            }
        }
    }

    fn stored(&mut self, completions: &[Completion], notes: &[Note], held: &[bool]) {
        self.completions.written(Instant::now());
        self.write_outage.worked();
        self.dispatcher.counters.overtaken.add(held.iter().filter(|held| !**held).count());
        for completion in completions {
            self.settle(completion);
        }
        // Deliveries that the lane held back may be due.
        self.claiming.is_wanted |= notes.iter().any(|note| note.effect.is_awaited);
        if notes.iter().any(|note| note.effect.closes) {
            self.dispatcher.lane_closed.notify_one();
        }
    }

    fn refused(&mut self, batch: Vec<Unwritten>, error: &StoreError) {
        let now = Instant::now();
        let wait = self.write_outage.failed(error);
        let refused = self.completions.refused(batch, now, now + wait);
        if !refused.is_outage {
            self.write_outage.worked();
        }
        if let Some(unwritten) = refused.given_up {
            let error: &dyn std::error::Error = error;
            let (delivery, next) = (unwritten.completion.delivery, unwritten.completion.end.next_step());
            tracing::error!(%delivery, ?next, error, "the store rejected the result of a webhook attempt; dropping it");
            self.settle(&unwritten.completion);
        }
    }

    /// Notes for the lane that this report is stored or dropped.
    fn settle(&mut self, completion: &Completion) {
        if completion.end.report().is_some()
            && let Some(lane) = self.lanes.get_mut(completion.subscription)
        {
            lane.report_written();
        }
    }
}
