use diesel::prelude::{Insertable, Queryable, Selectable};
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_due;
use diesel_mapping::webhooks::{NewEndedRow, Phase, Place, delivery_id, event_id};
use domain::ports::{ClaimedDelivery, StoreError};
use domain::webhooks::{DeliveryEnd, Payload};
use domain::{EventId, Timestamp};

const TABLE: &str = "webhook_due";

/// A whole row of `webhook_due`, to be put back changed: nothing checked yet.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_due, treat_none_as_default_value = false)]
pub(super) struct QueuedRow {
    subscription_id: Vec<u8>,
    delivery_id: Vec<u8>,
    event_id: Vec<u8>,
    phase: i16,
    due_at: StoredInstant,
    claim: Option<i64>,
    attempts: i64,
    attempts_before_run: i64,
    run_started_at: StoredInstant,
}

impl QueuedRow {
    /// Whether this claim holds the delivery.
    pub(super) fn is_held_by(&self, claim: i64) -> bool {
        self.claim == Some(claim)
    }

    /// By what the deliveries of a lane are sorted, so that they leave in order.
    pub(super) fn order(&self) -> impl Ord + use<> {
        (self.phase, self.due_at.unix_millis(), self.delivery_id.clone())
    }

    /// Its event.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the id is none.
    pub(super) fn event(&self) -> Result<EventId, StoreError> {
        event_id(TABLE, "event_id", &self.event_id)
    }

    /// The bytes of its key: of the subscription's id and its own.
    pub(super) fn key(&self) -> (&[u8], &[u8]) {
        (&self.subscription_id, &self.delivery_id)
    }

    /// The row that takes its place when it ends. Its event has this type.
    pub(super) fn ended<'a>(&'a self, event_type: &'a str, end: DeliveryEnd, at: Timestamp) -> NewEndedRow<'a> {
        NewEndedRow {
            subscription_id: &self.subscription_id,
            id: &self.delivery_id,
            event_id: &self.event_id,
            event_type,
            ended: end.code(),
            ended_at: at.into(),
            attempts: self.attempts,
        }
    }

    /// Puts it under a claim, and counts the attempt. From now on it is a retry at least.
    pub(super) fn claim(&mut self, claim: i64, until: Timestamp) {
        self.claim = Some(claim);
        self.due_at = until.into();
        self.attempts = self.attempts.saturating_add(1);
        self.phase = self.phase.max(Phase::Retry.number());
    }

    /// Ends the claim: it waits until `at`.
    pub(super) fn wait(&mut self, at: Timestamp) {
        self.claim = None;
        self.due_at = at.into();
    }

    /// Ends the claim as if it had not been: it waits until `at`, in the place that it had.
    pub(super) fn give_back(&mut self, at: Timestamp) {
        self.wait(at);
        self.attempts = self.attempts.saturating_sub(1);
        if self.phase == Phase::Retry.number() && self.attempts == 0 {
            self.phase = Phase::First.number();
        }
    }

    /// What is to be sent under the claim.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub(super) fn claimed(&self, payload: Vec<u8>) -> Result<ClaimedDelivery, StoreError> {
        let id = delivery_id(TABLE, "delivery_id", &self.delivery_id)?;
        let place = Place { table: TABLE, row: &id };
        let run_attempt = self.attempts.saturating_sub(self.attempts_before_run);
        Ok(ClaimedDelivery {
            id,
            event: self.event()?,
            payload: Payload::from_bytes(payload),
            attempt: place.number("attempts", self.attempts)?,
            run_attempt: place.number("attempts_before_run", run_attempt)?,
            run_started_at: place.instant("run_started_at", self.run_started_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut QueuedRow);

    fn row() -> QueuedRow {
        QueuedRow {
            subscription_id: vec![3; 16],
            delivery_id: vec![1; 16],
            event_id: vec![2; 16],
            phase: Phase::Replay.number(),
            due_at: Timestamp::MAX.into(),
            claim: None,
            attempts: 12,
            attempts_before_run: 10,
            run_started_at: Timestamp::MIN.into(),
        }
    }

    #[test]
    fn a_claim_counts_an_attempt_and_giving_it_back_takes_it_away() {
        let mut row = row();
        row.claim(7, Timestamp::MAX);
        let claimed = row.claimed(Vec::new()).unwrap();
        assert_eq!((claimed.attempt, claimed.run_attempt), (13, 3));
        assert!(row.is_held_by(7) && !row.is_held_by(8));
        row.give_back(Timestamp::MIN);
        assert!(!row.is_held_by(7));
        assert_eq!((row.attempts, row.phase), (12, Phase::Replay.number()));
    }

    #[test]
    fn only_a_first_attempt_is_given_back_as_one() {
        let first = QueuedRow { phase: Phase::First.number(), attempts: 0, attempts_before_run: 0, ..row() };
        let second = QueuedRow { phase: Phase::Retry.number(), attempts: 1, ..first.clone() };
        for (mut row, phase) in [(first, Phase::First), (second, Phase::Retry)] {
            row.claim(7, Timestamp::MAX);
            assert_eq!(row.phase, Phase::Retry.number());
            row.give_back(Timestamp::MIN);
            assert_eq!(row.phase, phase.number());
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let cases: [(&str, Change); 4] = [
            ("delivery_id", |row| row.delivery_id.truncate(15)),
            ("event_id", |row| row.event_id.clear()),
            ("attempts", |row| row.attempts = i64::MAX),
            ("attempts_before_run", |row| row.attempts_before_run = 14),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = row.claimed(Vec::new());
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
