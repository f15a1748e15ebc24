use std::collections::VecDeque;
use std::time::Duration;

use domain::ports::Completion;
use tokio::time::Instant;

/// How long a result waits for others, so that they share a transaction. No delivery waits for it: it has freed its
/// place.
const GATHER: Duration = Duration::from_millis(15);
/// How long it waits if [`MANY`] wait. If the process dies in this time, their webhooks are sent again.
const GATHER_MANY: Duration = Duration::from_millis(3);
const MANY: usize = 8;
/// The most results in one transaction.
const BATCH_MAX: usize = 512;

/// The dispatcher's note on the end of a claim, until the end is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    /// After this, another dispatcher may claim the delivery.
    pub(crate) lease_ends: Instant,
    pub(crate) effect: Effect,
    /// When the store first refused this one in a separate batch.
    pub(crate) refused_alone_at: Option<Instant>,
}

/// The effect of storing the end of a claim, or a batch of them, on its lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effect {
    /// The lane hands no delivery out until the end is stored.
    pub(crate) is_awaited: bool,
    /// The end disables the subscription.
    pub(crate) closes: bool,
}

impl Effect {
    fn and(self, other: Self) -> Self {
        Self { is_awaited: self.is_awaited || other.is_awaited, closes: self.closes || other.closes }
    }
}

/// Gathers the ends of claims into batches. One batch is written at a time.
///
/// A batch that fails returns to the front, and the next batch is half as large, so that a row that the store always
/// refuses is soon alone in its batch. Then this row goes to the back. If other batches succeed, the dispatcher drops
/// the row when its lease ends. While the store takes no batch at all, the dispatcher drops no row.
pub(crate) struct Completions {
    queue: VecDeque<(Completion, Note)>,
    /// The notes of the batch that is being written.
    in_batch: Vec<Note>,
    /// When the first waiting one came.
    waiting_since: Instant,
    /// A waiting one has waited long enough, or must not wait.
    is_urgent: bool,
    not_before: Option<Instant>,
    batch_max: usize,
    written_at: Option<Instant>,
}

/// The consequence of a batch that failed.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    /// Dropped, so never stored.
    pub(crate) given_up: Option<Completion>,
    /// The failure is the store's, and not that of the rows in the batch.
    pub(crate) is_outage: bool,
}

impl Completions {
    pub(crate) fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            in_batch: Vec::new(),
            waiting_since: Instant::now(),
            is_urgent: false,
            not_before: None,
            batch_max: BATCH_MAX,
            written_at: None,
        }
    }

    /// How many ends are not stored yet.
    pub(crate) fn len(&self) -> usize {
        self.queue.len() + self.in_batch.len()
    }

    pub(crate) fn push(&mut self, completion: Completion, note: Note, now: Instant) {
        if self.queue.is_empty() {
            self.waiting_since = now;
        }
        self.is_urgent |= note.effect.is_awaited;
        self.queue.push_back((completion, note));
    }

    /// When to write the next batch, `now` or later; `None` when there is no batch, or one is being written.
    pub(crate) fn due_at(&self, now: Instant) -> Option<Instant> {
        if !self.in_batch.is_empty() || self.queue.is_empty() {
            return None;
        }
        let gathered_at = match self.queue.len() {
            count if self.is_urgent || count >= self.batch_max => now,
            count if count >= MANY => self.waiting_since + GATHER_MANY,
            _ => self.waiting_since + GATHER,
        };
        Some(gathered_at.max(self.not_before.unwrap_or(now)).max(now))
    }

    /// The next batch, if it is due and none is being written.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Vec<Completion>> {
        if self.due_at(now)? > now {
            return None;
        }
        let batch = self.queue.drain(..self.queue.len().min(self.batch_max));
        let (batch, notes) = batch.unzip();
        self.in_batch = notes;
        self.is_urgent = !self.queue.is_empty();
        Some(batch)
    }

    /// Notes that the batch is stored, and returns the effect.
    pub(crate) fn written(&mut self, now: Instant) -> Effect {
        self.not_before = None;
        self.written_at = Some(now);
        self.batch_max = BATCH_MAX.min(2 * self.batch_max);
        self.in_batch.drain(..).fold(Effect::default(), |all, note| all.and(note.effect))
    }

    /// Takes back a batch that was not stored. The next batch waits until `not_before`.
    pub(crate) fn refused(&mut self, batch: Vec<Completion>, now: Instant, not_before: Instant) -> Refused {
        let mut batch: Vec<_> = batch.into_iter().zip(self.in_batch.drain(..)).collect();
        self.batch_max = (batch.len() / 2).max(1);
        self.not_before = Some(not_before);
        self.is_urgent = true;
        if batch.len() > 1 {
            batch.into_iter().rev().for_each(|end| self.queue.push_front(end));
            return Refused { given_up: None, is_outage: true };
        }
        let Some((alone, mut note)) = batch.pop() else { return Refused::default() };
        let refused_at = *note.refused_alone_at.get_or_insert(now);
        // Another batch succeeded since: this row is at fault, not the store.
        let is_at_fault = self.written_at.is_some_and(|written_at| written_at > refused_at);
        if is_at_fault && now >= note.lease_ends {
            return Refused { given_up: Some(alone), is_outage: false };
        }
        self.queue.push_back((alone, note));
        Refused { given_up: None, is_outage: !is_at_fault }
    }
}

#[cfg(test)]
#[path = "completions_tests.rs"]
mod tests;
