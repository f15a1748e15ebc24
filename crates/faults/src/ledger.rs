//! The answers that clients got, and their observations.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_client::FullKey;
use tokio::time::Instant;

#[derive(Default)]
pub(crate) struct Ledger(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    accepted: HashSet<String>,
    arrived: HashMap<String, u64>,
    /// The highest number that arrived of the subscription with an order.
    highest: u64,
    keys: Vec<Key>,
    counts: Counts,
}

/// A key with an answered creation.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) user: usize,
    pub(crate) id: String,
    pub(crate) secret: FullKey,
    pub(crate) revocation: Revocation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revocation {
    NotAsked,
    /// The call had no answer, or failed: it may have had its effect.
    Unknown,
    /// The call was answered at this time.
    Answered(Instant),
}

impl Revocation {
    pub(crate) fn is_answered(self) -> bool {
        matches!(self, Self::Answered(_))
    }
}

/// The counts of the clients.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Calls that failed with a 5xx, or had no answer.
    pub(crate) refused: u64,
    /// Calls with a good key that were refused as if it were not.
    pub(crate) good_refused: u64,
    /// Revoked keys that an instance still took for good after the bound.
    pub(crate) revoked_good: u64,
    /// How long after the answer to its revocation an instance still took a key for good, at most.
    pub(crate) revoked_good_for: Duration,
    /// Keys that were created or revoked according to an answer, and are not.
    pub(crate) keys_lost: u64,
    /// Deliveries of the subscription with an order that arrived.
    pub(crate) numbered: u64,
    /// Of these, how many arrived before the number below theirs.
    pub(crate) too_early: u64,
}

/// The counts of one fault.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Events, creations and revocations that were answered with success.
    pub(crate) acknowledged: u64,
    /// Of these, how many had no effect.
    pub(crate) lost: u64,
    /// Events that arrived more than once, counted as often as they came again.
    pub(crate) repeated: u64,
    pub(crate) counts: Counts,
}

impl Outcome {
    /// Adds the counts of another run.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { acknowledged, lost, repeated, counts } = other;
        self.acknowledged += acknowledged;
        self.lost += lost;
        self.repeated += repeated;
        self.counts.refused += counts.refused;
        self.counts.good_refused += counts.good_refused;
        self.counts.revoked_good += counts.revoked_good;
        self.counts.revoked_good_for = self.counts.revoked_good_for.max(counts.revoked_good_for);
        self.counts.keys_lost += counts.keys_lost;
        self.counts.numbered += counts.numbered;
        self.counts.too_early += counts.too_early;
    }
}

impl Ledger {
    pub(crate) fn accepted(&self, event: String) {
        self.entries().accepted.insert(event);
    }

    pub(crate) fn arrived(&self, event: String) {
        *self.entries().arrived.entry(event).or_default() += 1;
    }

    /// A number may arrive again, but only after the number below it.
    pub(crate) fn arrived_in_order(&self, number: u64) {
        let mut entries = self.entries();
        entries.counts.numbered += 1;
        entries.counts.too_early += u64::from(number > entries.highest + 1);
        entries.highest = entries.highest.max(number);
    }

    pub(crate) fn created(&self, key: Key) {
        self.entries().keys.push(key);
    }

    pub(crate) fn revoked(&self, id: &str, revocation: Revocation) {
        if let Some(key) = self.entries().keys.iter_mut().rev().find(|key| key.id == id) {
            key.revocation = revocation;
        }
    }

    pub(crate) fn count(&self, note: impl FnOnce(&mut Counts)) {
        note(&mut self.entries().counts);
    }

    pub(crate) fn keys(&self) -> Vec<Key> {
        self.entries().keys.clone()
    }

    /// Up to `count` keys with a revocation that was answered before `latest`, the newest first.
    pub(crate) fn revoked_before(&self, latest: Instant, count: usize) -> Vec<FullKey> {
        let is_old = |key: &&Key| matches!(key.revocation, Revocation::Answered(at) if at <= latest);
        self.entries().keys.iter().rev().filter(is_old).take(count).map(|key| key.secret.clone()).collect()
    }

    /// How many events were accepted.
    pub(crate) fn accepted_count(&self) -> usize {
        self.entries().accepted.len()
    }

    /// How many accepted events have not arrived.
    pub(crate) fn missing(&self) -> usize {
        let entries = self.entries();
        entries.accepted.iter().filter(|event| !entries.arrived.contains_key(*event)).count()
    }

    pub(crate) fn outcome(&self) -> Outcome {
        let missing = self.missing() as u64;
        let entries = self.entries();
        let revoked = entries.keys.iter().filter(|key| key.revocation.is_answered()).count();
        Outcome {
            acknowledged: (entries.accepted.len() + entries.keys.len() + revoked) as u64,
            lost: missing + entries.counts.keys_lost,
            repeated: entries.arrived.values().map(|times| times - 1).sum(),
            counts: entries.counts,
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_too_early_before_the_one_below_it() {
        let ledger = Ledger::default();
        for number in [1, 2, 1, 2, 3, 5, 4, 6] {
            ledger.arrived_in_order(number);
        }
        let counts = ledger.outcome().counts;
        assert_eq!((counts.numbered, counts.too_early), (8, 1), "5 arrives before 4");
    }
}
