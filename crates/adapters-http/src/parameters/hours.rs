use domain::{HOURS_READ_MAX, HourRange, Timestamp};

use crate::errors::field_fault::FieldFault;
use crate::parameters::query::Parameters;

/// How many hours are shown when the client does not set `hours`.
const HOURS_DEFAULT: u32 = 24;

/// The hours that a query asks for in `hours` and `until`; `now` is the present time.
pub(crate) fn hours_of(parameters: &Parameters, now: Timestamp) -> Result<HourRange, FieldFault> {
    let read = |text: &str| text.parse().ok().filter(|hours| (1..=HOURS_READ_MAX).contains(hours));
    let count = parameters.read("hours", read, "must be a whole number from 1 to 744")?.unwrap_or(HOURS_DEFAULT);
    Ok(HourRange::until(parameters.time("until")?.unwrap_or(now), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_have_a_default_and_bounds() {
        let now = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        let read = |query: &str| {
            Parameters::parse(query, &["hours", "until"]).and_then(|parameters| hours_of(&parameters, now))
        };
        let count = |query: &str| read(query).map(|hours| hours.hours().count()).map_err(|fault| fault.to_string());
        for (query, expected) in [("", 24), ("hours=1", 1), ("hours=744", 744)] {
            assert_eq!(count(query), Ok(expected), "{query}");
        }
        for wrong in ["hours=0", "hours=745", "hours=-1", "hours=", "hours=ten"] {
            assert_eq!(count(wrong), Err("hours must be a whole number from 1 to 744".into()), "{wrong}");
        }
        let range = read("hours=2&until=2026-11-20T10:59:59Z").unwrap();
        assert_eq!(range.first.start().to_string(), "2026-11-20T09:00:00.000Z");
        assert_eq!(range.last.start().to_string(), "2026-11-20T10:00:00.000Z");
    }
}
