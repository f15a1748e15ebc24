use std::fmt;
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// An instant in UTC with millisecond precision, between the years 1 and 9999.
///
/// `Display` writes ISO 8601 with exactly three decimals: `2026-11-21T01:42:03.120Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    unix_millis: i64,
}

impl Timestamp {
    /// `0001-01-01T00:00:00.000Z`.
    pub const MIN: Self = Self { unix_millis: -62_135_596_800_000 };
    /// `9999-12-31T23:59:59.999Z`.
    pub const MAX: Self = Self { unix_millis: 253_402_300_799_999 };

    /// The instant `unix_millis` milliseconds after the Unix epoch; `None` outside [`Self::MIN`] to [`Self::MAX`].
    pub const fn from_unix_millis(unix_millis: i64) -> Option<Self> {
        if unix_millis < Self::MIN.unix_millis || unix_millis > Self::MAX.unix_millis {
            return None;
        }
        Some(Self { unix_millis })
    }

    /// Milliseconds since the Unix epoch; negative before 1970.
    pub const fn unix_millis(self) -> i64 {
        self.unix_millis
    }

    /// Parses an RFC 3339 string with any offset. Fractions of a millisecond are cut off.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let parsed = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = parsed.unix_timestamp_nanos().div_euclid(1_000_000);
        Self::from_unix_millis(i64::try_from(millis).ok()?)
    }

    /// The instant `duration` later, at most [`Self::MAX`].
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self { unix_millis: self.unix_millis.saturating_add(millis).min(Self::MAX.unix_millis) }
    }

    /// The instant `duration` earlier, at least [`Self::MIN`].
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self { unix_millis: self.unix_millis.saturating_sub(millis).max(Self::MIN.unix_millis) }
    }

    /// The time since `earlier`; zero if `earlier` is later than this instant.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.unix_millis - earlier.unix_millis).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = OffsetDateTime::from_unix_timestamp(self.unix_millis.div_euclid(1000)).map_err(|_| fmt::Error)?;
        let year = u16::try_from(at.year()).map_err(|_| fmt::Error)?;
        let milli = u16::try_from(self.unix_millis.rem_euclid(1000)).map_err(|_| fmt::Error)?;
        let [month, day, hour, minute, second] =
            [at.month().into(), at.day(), at.hour(), at.minute(), at.second()].map(u16::from);
        // Lists have many of them: one string without `write!`, which formats each number separately.
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let numbers = [(0..4, year), (5..7, month), (8..10, day), (11..13, hour), (14..16, minute), (17..19, second)];
        for (digits, mut number) in numbers.into_iter().chain([(20..23, milli)]) {
            for digit in text[digits].iter_mut().rev() {
                *digit = b"0123456789"[usize::from(number % 10)];
                number /= 10;
            }
        }
        formatter.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_three_decimals_and_z() {
        let at = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        assert_eq!(at.to_string(), "2026-11-21T01:42:03.120Z");
        assert_eq!(Timestamp::from_unix_millis(0).unwrap().to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_unix_millis(-1).unwrap().to_string(), "1969-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::MIN.to_string(), "0001-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn reads_what_it_writes_and_any_offset() {
        for millis in [0, -1, 1_795_225_323_120, Timestamp::MIN.unix_millis, Timestamp::MAX.unix_millis] {
            let at = Timestamp::from_unix_millis(millis).unwrap();
            assert_eq!(Timestamp::parse_rfc3339(&at.to_string()), Some(at));
        }
        assert_eq!(
            Timestamp::parse_rfc3339("2026-11-21T03:42:03.1209+02:00"),
            Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z"),
        );
        for wrong in ["", "2026-11-21", "2026-13-01T00:00:00Z", "yesterday", "1795225323"] {
            assert_eq!(Timestamp::parse_rfc3339(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn stays_within_its_range() {
        assert_eq!(Timestamp::from_unix_millis(Timestamp::MAX.unix_millis + 1), None);
        assert_eq!(Timestamp::from_unix_millis(Timestamp::MIN.unix_millis - 1), None);
        assert_eq!(Timestamp::MAX.plus(Duration::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.minus(Duration::MAX), Timestamp::MIN);
        assert_eq!(Timestamp::MIN.since(Timestamp::MAX), Duration::ZERO);
        assert_eq!(Timestamp::MIN.plus(Timestamp::MAX.since(Timestamp::MIN)), Timestamp::MAX);
    }
}
