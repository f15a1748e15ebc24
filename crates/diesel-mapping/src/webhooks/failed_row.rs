use diesel::prelude::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use domain::ports::{CountRecoverableRequest, StoreError};
use domain::webhooks::{FailedDelivery, FailureCause, FailureReason};

use crate::place::{Place, delivery_id, subscription_id};

const TABLE: &str = "webhook_attempts";

/// A row of `webhook_deliveries` with the end of the last attempt. Its values are not checked yet.
#[derive(Debug, QueryableByName)]
pub struct FailedRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = Nullable<Text>)]
    failure: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    status: Option<i64>,
}

impl TryFrom<FailedRow> for FailedDelivery {
    type Error = StoreError;

    fn try_from(row: FailedRow) -> Result<Self, StoreError> {
        let id = delivery_id(TABLE, "delivery_id", &row.delivery_id)?;
        let place = Place { table: TABLE, row: &id };
        let failure = place.optional("failure", row.failure, |code| FailureReason::from_code(&code));
        let status = place.optional("status", row.status, |status| status.try_into().ok());
        let subscription = subscription_id(TABLE, "subscription_id", &row.subscription_id)?;
        Ok(Self { id, cause: FailureCause::new(subscription, failure?, status?) })
    }
}

/// How many deliveries of an event type a recovery would read.
#[derive(Debug, QueryableByName)]
pub struct LostCountRow {
    #[diesel(sql_type = Nullable<Text>)]
    event_type: Option<String>,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Adds the counts of the event types that the filter includes, up to the request's `max`.
pub fn counted(request: &CountRecoverableRequest, rows: &[LostCountRow]) -> u32 {
    let has_type =
        |row: &&LostCountRow| row.event_type.as_deref().is_some_and(|name| request.filter.has_type_named(name));
    let counted: i64 = rows.iter().filter(has_type).map(|row| row.count).sum();
    u32::try_from(counted).map_or(request.max, |counted| counted.min(request.max))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut FailedRow);

    fn row() -> FailedRow {
        let (failure, status) = (Some("status".into()), Some(500));
        FailedRow { subscription_id: vec![1; 16], delivery_id: vec![2; 16], failure, status }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let failed = FailedDelivery::try_from(row()).unwrap();
        assert_eq!((failed.cause.failure, failed.cause.status), (Some(FailureReason::Status), Some(500)));
        let cases: [(&str, Change); 4] = [
            ("subscription_id", |row| row.subscription_id.clear()),
            ("delivery_id", |row| row.delivery_id.push(0)),
            ("failure", |row| row.failure = Some("gremlins".into())),
            ("status", |row| row.status = Some(70_000)),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = FailedDelivery::try_from(row);
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
