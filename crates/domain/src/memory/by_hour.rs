use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::{Hour, HourRange, InHour};

/// Counts by the hour, of keys or of subscriptions.
#[derive(Debug)]
pub(super) struct MemoryCounts<Id, Counts>(BTreeMap<(Hour, Id), Counts>);

impl<Id, Counts> Default for MemoryCounts<Id, Counts> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Id: Copy + Ord, Counts: Copy + Default + AddAssign> MemoryCounts<Id, Counts> {
    pub(super) fn add(&mut self, counts: &[InHour<Id, Counts>]) {
        for one in counts {
            *self.0.entry((one.hour, one.id)).or_default() += one.counts;
        }
    }

    /// The sums of these ids in each of the hours.
    pub(super) fn of(&self, ids: &[Id], hours: HourRange) -> BTreeMap<Hour, Counts> {
        let mut sums: BTreeMap<Hour, Counts> = BTreeMap::new();
        for ((hour, id), counts) in &self.0 {
            if hours.contains(*hour) && ids.contains(id) {
                *sums.entry(*hour).or_default() += *counts;
            }
        }
        sums
    }

    pub(super) fn purge(&mut self, before: Hour, max: u32) -> u32 {
        let past = self.0.extract_if(.., |(hour, _), _| *hour < before).take(max as usize);
        u32::try_from(past.count()).unwrap_or(max)
    }
}
