use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The units of a wait with their seconds, largest first.
const UNITS: [(char, u64); 4] = [('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// One wait of a retry schedule as people write it: a whole number and a unit, such as `90s` or `2h`. It prints in its
/// largest whole unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryWait(pub Duration);

/// A string is not a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number and a unit, such as 5s, 5m, 2h or 1d")]
pub struct InvalidRetryWait;

impl FromStr for RetryWait {
    type Err = InvalidRetryWait;

    fn from_str(text: &str) -> Result<Self, InvalidRetryWait> {
        let unit = UNITS.into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
        let (count, seconds) = unit.ok_or(InvalidRetryWait)?;
        let count: u64 = count.parse().map_err(|_| InvalidRetryWait)?;
        count.checked_mul(seconds).map(Duration::from_secs).map(Self).ok_or(InvalidRetryWait)
    }
}

impl fmt::Display for RetryWait {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (unit, size) = UNITS.into_iter().find(|(_, size)| seconds.is_multiple_of(*size)).unwrap_or(('s', 1));
        write!(formatter, "{}{unit}", seconds / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_a_number_and_a_unit() {
        for (text, seconds) in [("5s", 5), ("90s", 90), ("5m", 300), ("2h", 7_200), ("7d", 604_800)] {
            assert_eq!(text.parse(), Ok(RetryWait(Duration::from_secs(seconds))), "{text}");
        }
        for wrong in
            ["", "5", "s", "5 s", "-5s", "1.5h", "5x", "99999999999999999999d", "9999999999999999999d", "5\u{e9}"]
        {
            assert_eq!(wrong.parse::<RetryWait>(), Err(InvalidRetryWait), "{wrong}");
        }
    }

    #[test]
    fn a_wait_prints_in_its_largest_whole_unit() {
        for text in ["5s", "5m", "90s", "2h", "1d", "7d"] {
            assert_eq!(text.parse::<RetryWait>().unwrap().to_string(), text);
        }
    }
}
