use std::io::{self, IsTerminal};
use std::time::Duration;

use adapters_system::SystemClock;
use domain::Timestamp;
use domain::ports::Clock;
use domain::webhooks::RetryWait;

/// The units of relative times, in seconds.
const UNITS: [(&str, u64); 4] = [("d", 24 * 60 * 60), ("h", 60 * 60), ("m", 60), ("s", 1)];

/// The argument is a duration such as `30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let RetryWait(duration) = text.parse::<RetryWait>().map_err(|error| error.to_string())?;
    Ok(duration)
}

/// The argument is a time, or a duration before now. Returns RFC 3339.
pub(crate) fn past(text: &str) -> Result<String, String> {
    moment(text, Timestamp::minus)
}

/// The argument is a time, or a duration from now. Returns RFC 3339.
pub(crate) fn future(text: &str) -> Result<String, String> {
    moment(text, Timestamp::plus)
}

fn moment(text: &str, from_now: fn(Timestamp, Duration) -> Timestamp) -> Result<String, String> {
    if Timestamp::parse_rfc3339(text).is_some() {
        return Ok(text.to_owned());
    }
    let duration = duration(text).map_err(|_| "must be a time such as 2027-01-31T12:00:00Z, or 5s, 5m, 2h or 1d")?;
    Ok(from_now(SystemClock.now(), duration).to_string())
}

/// A time of the service as a person reads it: `3h ago` on a terminal. A pipe gets it as the service wrote it, so that
/// scripts can sort and parse it.
pub(crate) fn shown(at: &str) -> String {
    if !io::stdout().is_terminal() {
        return at.to_owned();
    }
    Timestamp::parse_rfc3339(at).map_or_else(|| at.to_owned(), |at| relative(at, SystemClock.now()))
}

fn relative(at: Timestamp, now: Timestamp) -> String {
    let distance = at.since(now).max(now.since(at)).as_secs();
    let Some((unit, seconds)) = UNITS.into_iter().find(|(_, seconds)| distance >= *seconds) else {
        return "now".to_owned();
    };
    let count = distance / seconds;
    if at > now { format!("in {count}{unit}") } else { format!("{count}{unit} ago") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_time_has_its_largest_unit() {
        let now = Timestamp::parse_rfc3339("2026-11-21T12:00:00Z").unwrap();
        for (seconds, past, future) in [
            (1, "1s ago", "in 1s"),
            (59, "59s ago", "in 59s"),
            (60, "1m ago", "in 1m"),
            (3_599, "59m ago", "in 59m"),
            (3_600, "1h ago", "in 1h"),
            (172_799, "1d ago", "in 1d"),
            (365 * 86_400, "365d ago", "in 365d"),
        ] {
            let distance = Duration::from_secs(seconds);
            assert_eq!(relative(now.minus(distance), now), past);
            assert_eq!(relative(now.plus(distance), now), future);
        }
        assert_eq!(relative(now.plus(Duration::from_millis(999)), now), "now");
    }

    #[test]
    fn a_moment_is_a_time_or_a_distance_from_now() {
        assert_eq!(past("2026-11-21T00:00:00+01:00").unwrap(), "2026-11-21T00:00:00+01:00");
        let now = SystemClock.now();
        let day = Duration::from_hours(24);
        let read = |text: String| Timestamp::parse_rfc3339(&text).unwrap();
        let (yesterday, tomorrow) = (read(past("1d").unwrap()), read(future("24h").unwrap()));
        assert!(yesterday >= now.minus(day) && yesterday < now);
        assert!(tomorrow >= now.plus(day) && tomorrow < now.plus(day * 2));
        for wrong in ["yesterday", "5", "", "2026-11-21", "-1d"] {
            assert!(past(wrong).unwrap_err().starts_with("must be a time"), "{wrong}");
        }
        assert_eq!(duration("90s").unwrap(), Duration::from_secs(90));
        assert!(duration("90").unwrap_err().contains("5m"));
    }
}
