use std::time::Duration;

use diesel::prelude::{AsChangeset, Insertable, Queryable, QueryableByName, Selectable};
use domain::SubscriptionId;
use domain::ports::StoreError;
use domain::webhooks::{Breaker, Pause};

use super::place::Place;
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
    /// The breaker of `lane`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub fn breaker(self, lane: SubscriptionId) -> Result<Breaker, StoreError> {
        let place = Place { table: "webhook_lanes", row: &lane };
        let length = Duration::from_millis(place.number("pause_millis", self.pause_millis)?);
        let until = place.optional_instant("paused_until", self.paused_until)?;
        Ok(Breaker {
            failures_in_a_row: place.number("failures_in_a_row", self.failures_in_a_row)?,
            failing_since: place.optional_instant("failing_since", self.failing_since)?,
            pause: until.map(|until| Pause { until, length }),
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

    const LANE: SubscriptionId = SubscriptionId::from_bytes([1; 16]);

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
            assert_eq!(BreakerRow::from(&breaker).breaker(LANE).unwrap(), breaker);
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let good = BreakerRow::from(&Breaker::default());
        for (wrong, row) in [
            ("failures_in_a_row", BreakerRow { failures_in_a_row: -1, ..good }),
            ("pause_millis", BreakerRow { pause_millis: -1, ..good }),
        ] {
            let corrupt = row.breaker(LANE);
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
