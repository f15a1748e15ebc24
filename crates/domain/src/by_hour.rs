use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use crate::Timestamp;

/// How long counts by the hour are kept: 90 days. See decision 76.
pub const COUNTS_KEPT: Duration = Duration::from_hours(90 * 24);
/// The most hours that one call reads: 31 days.
pub const HOURS_READ_MAX: u32 = 31 * 24;

const HOUR_MILLIS: i64 = 3_600_000;

/// An hour of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour(i64);

impl Hour {
    /// The hour that contains this instant.
    pub fn of(at: Timestamp) -> Self {
        Self(at.unix_millis().div_euclid(HOUR_MILLIS))
    }

    /// The hour with this number, which is how stores keep it.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// How many hours have passed since 1970.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// When the hour begins.
    pub fn start(self) -> Timestamp {
        Timestamp::from_unix_millis(self.0.saturating_mul(HOUR_MILLIS)).unwrap_or(Timestamp::MIN)
    }
}

/// Consecutive hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourRange {
    /// The first hour.
    pub first: Hour,
    /// The last hour; not before the first.
    pub last: Hour,
}

impl HourRange {
    /// The hour that contains `at`, and the hours before it: `count` hours, at least one and at most
    /// [`HOURS_READ_MAX`].
    pub fn until(at: Timestamp, count: u32) -> Self {
        let last = Hour::of(at);
        Self { first: Hour(last.0 - i64::from(count.clamp(1, HOURS_READ_MAX)) + 1), last }
    }

    /// Every hour, the earliest first.
    pub fn hours(self) -> impl Iterator<Item = Hour> {
        (self.first.0..=self.last.0).map(Hour)
    }

    /// Whether the hour is one of them.
    pub fn contains(self, hour: Hour) -> bool {
        (self.first..=self.last).contains(&hour)
    }
}

/// The counts of one key or subscription in one hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InHour<Id, Counts> {
    /// The key or subscription.
    pub id: Id,
    /// The hour.
    pub hour: Hour,
    /// The counts.
    pub counts: Counts,
}

impl<Id: Copy + Ord, Counts: Copy + Default + AddAssign> InHour<Id, Counts> {
    /// The sum for each hour and id, in their order. No SQL statement may write a row twice, and two statements that
    /// lock rows in the same order cannot deadlock.
    pub fn sums(counts: &[Self]) -> BTreeMap<(Hour, Id), Counts> {
        let mut sums: BTreeMap<(Hour, Id), Counts> = BTreeMap::new();
        for one in counts {
            *sums.entry((one.hour, one.id)).or_default() += one.counts;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::at;

    #[test]
    fn an_hour_begins_with_its_first_millisecond() {
        for (millis, start) in [(0, 0), (3_599_999, 0), (3_600_000, 3_600_000), (-1, -3_600_000)] {
            assert_eq!(Hour::of(at(millis)).start(), at(start), "{millis}");
        }
    }

    #[test]
    fn a_range_ends_with_the_hour_of_the_instant() {
        let of = |count| HourRange::until(at(3 * HOUR_MILLIS + 1), count);
        assert_eq!(of(2).hours().map(Hour::number).collect::<Vec<_>>(), [2, 3]);
        assert!(of(2).contains(Hour(2)) && of(2).contains(Hour(3)) && !of(2).contains(Hour(1)));
        assert_eq!(of(0), of(1));
        assert_eq!(of(u32::MAX).hours().count(), HOURS_READ_MAX as usize);
    }
}
