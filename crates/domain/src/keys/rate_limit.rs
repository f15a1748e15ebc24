use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

/// The string is not a valid [`RateLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a count and a unit, such as 100/s, 6000/m or 100000/h, with a count of 1 to {}", RateLimit::COUNT_MAX)]
pub struct InvalidRateLimit;

/// How often each key may be used: `count` times in each `window`, also all at once. Written as `100/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    count: NonZeroU32,
    window: Duration,
}

impl RateLimit {
    /// The largest count: a million, so that one use costs at least a microsecond of the shortest window.
    pub const COUNT_MAX: u32 = 1_000_000;

    /// The limits that are allowed, as a regular expression of JSON Schema.
    pub const PATTERN: &str = "^([1-9][0-9]{0,5}|1000000)/[smh]$";

    /// How many uses fit into a window. This is also the largest burst.
    pub const fn count(self) -> NonZeroU32 {
        self.count
    }

    /// How long a fully spent allowance takes to refill: a second, a minute or an hour.
    pub const fn window(self) -> Duration {
        self.window
    }

    /// Whether the other limit allows all uses that this one allows: neither the rate nor the burst is larger.
    pub fn is_within(self, other: Self) -> bool {
        self.count <= other.count && self.interval() >= other.interval()
    }

    /// How long it takes to regain one use.
    pub fn interval(self) -> Duration {
        self.window / self.count.get()
    }
}

impl FromStr for RateLimit {
    type Err = InvalidRateLimit;

    fn from_str(text: &str) -> Result<Self, InvalidRateLimit> {
        let (count, unit) = text.split_once('/').ok_or(InvalidRateLimit)?;
        let window = match unit {
            "s" => Duration::from_secs(1),
            "m" => Duration::from_mins(1),
            "h" => Duration::from_hours(1),
            _ => return Err(InvalidRateLimit),
        };
        let digits_only = count.bytes().all(|byte| byte.is_ascii_digit());
        let count: NonZeroU32 = count.parse().map_err(|_| InvalidRateLimit)?;
        if !digits_only || count.get() > Self::COUNT_MAX {
            return Err(InvalidRateLimit);
        }
        Ok(Self { count, window })
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.window.as_secs() {
            1 => "s",
            60 => "m",
            _ => "h",
        };
        write!(formatter, "{}/{unit}", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for (text, count, seconds) in [("100/s", 100, 1), ("1/m", 1, 60), ("1000000/h", 1_000_000, 3_600)] {
            let limit: RateLimit = text.parse().unwrap();
            assert_eq!((limit.count().get(), limit.window()), (count, Duration::from_secs(seconds)));
            assert_eq!(limit.to_string(), text);
        }
        assert_eq!("100/s".parse::<RateLimit>().unwrap().interval(), Duration::from_millis(10));
    }

    #[test]
    fn a_limit_is_within_another_by_rate_and_by_burst() {
        let is_within = |one: &str, other: &str| one.parse::<RateLimit>().unwrap().is_within(other.parse().unwrap());
        for (one, other) in [("100/s", "100/s"), ("99/s", "100/s"), ("10/m", "10/s"), ("1/h", "1/s")] {
            assert!(is_within(one, other), "{one} {other}");
        }
        for (one, other) in [("101/s", "100/s"), ("6000/m", "100/s"), ("10/s", "10/m"), ("2/h", "1/s")] {
            assert!(!is_within(one, other), "{one} {other}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for wrong in ["", "100", "/s", "0/s", "-1/s", "+1/s", "1.5/s", "100/d", "100/ s", "1000001/s", "1/s/s", " 1/s"]
        {
            assert_eq!(wrong.parse::<RateLimit>(), Err(InvalidRateLimit), "{wrong}");
        }
    }
}
