use std::time::Duration;

use diesel::prelude::{AsChangeset, Insertable, Queryable, QueryableByName, Selectable};
use domain::webhooks::{Breaker, Pause};

use crate::StoredInstant;
use crate::schema::webhook_lanes;

/// The breaker columns of `webhook_lanes`, to read and to write. Their values are not checked yet.
#[derive(AsChangeset, Clone, Copy, Debug, Insertable, PartialEq, Eq, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = webhook_lanes, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct BreakerRow {
    /// Failed attempts since the last success.
    pub failures_in_a_row: i64,
    /// When the first of these attempts ended.
    pub failing_since: Option<StoredInstant>,
    /// The end of the pause.
    pub paused_until: Option<StoredInstant>,
    /// How long the breaker paused the lane, in milliseconds.
    pub pause_millis: i64,
}

impl BreakerRow {
    /// The breaker. A damaged time counts as absent, and a damaged number makes it a new breaker: the lane continues,
    /// and the end of its next attempt writes the columns. See decision 55.
    pub fn breaker(self) -> Breaker {
        self.read().unwrap_or_default()
    }

    fn read(self) -> Option<Breaker> {
        let length = Duration::from_millis(self.pause_millis.try_into().ok()?);
        Some(Breaker {
            failures_in_a_row: self.failures_in_a_row.try_into().ok()?,
            failing_since: self.failing_since.and_then(StoredInstant::timestamp),
            pause: self.paused_until.and_then(StoredInstant::timestamp).map(|until| Pause { until, length }),
        })
    }
}

impl From<&Breaker> for BreakerRow {
    fn from(breaker: &Breaker) -> Self {
        let length = breaker.pause.map_or(Duration::ZERO, |pause| pause.length);
        Self {
            failures_in_a_row: breaker.failures_in_a_row.into(),
            failing_since: breaker.failing_since.map(Into::into),
            paused_until: breaker.pause.map(|pause| pause.until.into()),
            pause_millis: i64::try_from(length.as_millis()).unwrap_or(i64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    #[test]
    fn a_breaker_reads_back() {
        let pause = |length| Some(Pause { until: Timestamp::MAX, length });
        let failing = Breaker { failures_in_a_row: 7, failing_since: Some(Timestamp::MIN), pause: None };
        for breaker in [
            Breaker::default(),
            failing,
            Breaker { pause: pause(Duration::from_mins(1)), ..failing },
            Breaker { pause: pause(Duration::ZERO), ..Breaker::default() },
        ] {
            assert_eq!(BreakerRow::from(&breaker).breaker(), breaker);
        }
    }

    #[test]
    fn columns_that_cannot_be_read_are_a_new_breaker() {
        let failing = Breaker { failures_in_a_row: 7, failing_since: Some(Timestamp::MIN), pause: None };
        let good = BreakerRow::from(&failing);
        for row in [BreakerRow { failures_in_a_row: -1, ..good }, BreakerRow { pause_millis: -1, ..good }] {
            assert_eq!(row.breaker(), Breaker::default());
        }
    }
}
