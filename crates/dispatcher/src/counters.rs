use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use counters::{DurationCounts, Histogram, millis};
use domain::webhooks::Verdict;

/// The upper bounds of [`DispatcherDurations::attempts`], in milliseconds.
const ATTEMPT_BOUNDS: &[Duration] = &millis([10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000]);
/// The upper bounds of [`DispatcherDurations::first_delays`], in milliseconds.
const DELAY_BOUNDS: &[Duration] =
    &millis([5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000]);

/// How long things have taken since a dispatcher was created.
#[derive(Clone, Debug)]
pub struct DispatcherDurations {
    /// Attempts that a receiver answered or failed.
    pub attempts: DurationCounts,
    /// From the publication of an event to the start of the first attempt of each of its deliveries.
    pub first_delays: DurationCounts,
}

/// The work of a dispatcher since it was created, and its present state. Each number is exact, but they are not all
/// read at the same instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DispatcherCounts {
    /// Attempts that delivered.
    pub delivered: u64,
    /// Attempts that the receiver failed, including 410.
    pub failed: u64,
    /// Attempts that Gatepost could not make. They are not charged to the receiver.
    pub not_charged: u64,
    /// Attempts that were cut off by a shutdown or a panic of the sender. They count, and their outcome is unknown.
    pub cut_off: u64,
    /// Claimed deliveries that went back to the queue unsent.
    pub given_back: u64,
    /// Results that came too late: another dispatcher had claimed the delivery, or it had been cancelled.
    pub overtaken: u64,
    /// Attempts in progress.
    pub in_flight: u64,
    /// Claimed deliveries that wait for their turn in memory.
    pub waiting: u64,
    /// Results that are not stored yet.
    pub unwritten: u64,
}

#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) attempts: Histogram,
    pub(crate) first_delays: Histogram,
    pub(crate) delivered: Counter,
    pub(crate) failed: Counter,
    pub(crate) not_charged: Counter,
    pub(crate) cut_off: Counter,
    pub(crate) given_back: Counter,
    pub(crate) overtaken: Counter,
    pub(crate) in_flight: Counter,
    pub(crate) waiting: Counter,
    pub(crate) unwritten: Counter,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            attempts: Histogram::new(ATTEMPT_BOUNDS),
            first_delays: Histogram::new(DELAY_BOUNDS),
            delivered: Counter::default(),
            failed: Counter::default(),
            not_charged: Counter::default(),
            cut_off: Counter::default(),
            given_back: Counter::default(),
            overtaken: Counter::default(),
            in_flight: Counter::default(),
            waiting: Counter::default(),
            unwritten: Counter::default(),
        }
    }
}

impl Counters {
    /// Counts an attempt with this verdict.
    pub(crate) fn count(&self, verdict: Verdict, duration: Duration) {
        if verdict != Verdict::NotCharged {
            self.attempts.observe(duration);
        }
        let counter = match verdict {
            Verdict::Delivered => &self.delivered,
            Verdict::Failed { .. } | Verdict::Gone => &self.failed,
            Verdict::NotCharged => &self.not_charged,
        };
        counter.add(1);
    }

    pub(crate) fn read_durations(&self) -> DispatcherDurations {
        DispatcherDurations { attempts: self.attempts.read(), first_delays: self.first_delays.read() }
    }

    pub(crate) fn read(&self) -> DispatcherCounts {
        DispatcherCounts {
            delivered: self.delivered.get(),
            failed: self.failed.get(),
            not_charged: self.not_charged.get(),
            cut_off: self.cut_off.get(),
            given_back: self.given_back.get(),
            overtaken: self.overtaken.get(),
            in_flight: self.in_flight.get(),
            waiting: self.waiting.get(),
            unwritten: self.unwritten.get(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn set(&self, count: usize) {
        self.0.store(count as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
