use diesel::prelude::{Insertable, Queryable, Selectable};
use diesel_mapping::schema::webhook_due;
use diesel_mapping::webhooks::{NewEndedRow, delivery_id, event_id, phase_number, stored_sequence, subscription_id};
use diesel_mapping::{Place, StoredInstant};
use domain::ports::{ClaimId, ClaimRequest, ClaimedDelivery, StoreError};
use domain::webhooks::{DeliveryEnd, Payload, Phase, QueuedDelivery};
use domain::{DeliveryId, EventId, SubscriptionId, Timestamp, TraceContext};

const TABLE: &str = "webhook_due";

/// The part of an event that its deliveries need: the payload, and the span that published it.
pub(super) type Sent = (Vec<u8>, Option<Vec<u8>>);

/// A whole row of `webhook_due`, to be changed and written back. Its values are not checked yet.
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
    sequence: Option<i64>,
}

impl QueuedRow {
    /// The row of a delivery in this state.
    pub(super) fn new(
        subscription: SubscriptionId,
        delivery: DeliveryId,
        event: EventId,
        queued: &QueuedDelivery,
    ) -> Self {
        Self {
            subscription_id: subscription.as_bytes().to_vec(),
            delivery_id: delivery.as_bytes().to_vec(),
            event_id: event.as_bytes().to_vec(),
            phase: phase_number(queued.phase),
            due_at: queued.due_at.into(),
            claim: queued.claim.map(ClaimId::number),
            attempts: queued.attempts.into(),
            attempts_before_run: queued.attempts_before_run.into(),
            run_started_at: queued.run_started_at.into(),
            sequence: queued.sequence.map(stored_sequence),
        }
    }

    /// The delivery of this row.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    pub(super) fn queued(&self) -> Result<QueuedDelivery, StoreError> {
        let id = delivery_id(TABLE, "delivery_id", &self.delivery_id)?;
        let place = Place { table: TABLE, row: &id };
        Ok(QueuedDelivery {
            phase: place.value("phase", phase_of(self.phase))?,
            due_at: place.instant("due_at", self.due_at)?,
            claim: self.claim.map(ClaimId::from_number),
            attempts: place.number("attempts", self.attempts)?,
            attempts_before_run: place.number("attempts_before_run", self.attempts_before_run)?,
            run_started_at: place.instant("run_started_at", self.run_started_at)?,
            sequence: self
                .sequence
                .map(|sequence| place.value("sequence", u64::try_from(sequence).ok()))
                .transpose()?,
        })
    }

    /// Changes the row to this state of the delivery.
    pub(super) fn set(&mut self, queued: &QueuedDelivery) {
        self.phase = phase_number(queued.phase);
        self.due_at = queued.due_at.into();
        self.claim = queued.claim.map(ClaimId::number);
        self.attempts = queued.attempts.into();
        self.attempts_before_run = queued.attempts_before_run.into();
        self.run_started_at = queued.run_started_at.into();
        self.sequence = queued.sequence.map(stored_sequence);
    }

    /// The sort key of the deliveries of a lane.
    pub(super) fn order(&self) -> impl Ord + use<> {
        (!self.is_in_order(), self.sequence, self.phase, self.due_at.unix_millis(), self.delivery_id.clone())
    }

    /// Whether the delivery has a number.
    pub(super) fn is_in_order(&self) -> bool {
        self.sequence.is_some()
    }

    /// Whether a claim may take it at `at`: see [`QueuedDelivery::is_due`]. A damaged row is due, so that it ends.
    pub(super) fn is_due(&self, at: Timestamp) -> bool {
        self.due_at.timestamp().is_none_or(|due_at| due_at <= at)
    }

    /// The event of the delivery.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the stored id is invalid.
    pub(super) fn event(&self) -> Result<EventId, StoreError> {
        event_id(TABLE, "event_id", &self.event_id)
    }

    /// The event of the delivery, if all ids of the row are valid.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names the column with an invalid id.
    pub(super) fn ids(&self) -> Result<EventId, StoreError> {
        subscription_id(TABLE, "subscription_id", &self.subscription_id)?;
        delivery_id(TABLE, "delivery_id", &self.delivery_id)?;
        self.event()
    }

    /// The primary key: the id of the subscription and the id of the delivery.
    pub(super) fn key(&self) -> (&[u8], &[u8]) {
        (&self.subscription_id, &self.delivery_id)
    }

    /// The row of `webhook_deliveries` that replaces this row when the delivery ends.
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

    /// Puts the delivery under the claim, and returns it for the dispatcher; `None` if the row cannot be read.
    pub(super) fn claim(&mut self, sent: Sent, request: &ClaimRequest) -> Option<ClaimedDelivery> {
        let claimed = self.queued().ok()?.claimed(request.claim, request.until);
        self.set(&claimed);
        self.claimed(sent).ok()
    }

    /// The delivery for the dispatcher, under the claim.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] names a column with a value that the schema does not promise.
    fn claimed(&self, (payload, trace): Sent) -> Result<ClaimedDelivery, StoreError> {
        let queued = self.queued()?;
        Ok(ClaimedDelivery {
            id: delivery_id(TABLE, "delivery_id", &self.delivery_id)?,
            event: self.event()?,
            payload: Payload::from_bytes(payload),
            attempt: queued.attempts,
            run_attempt: queued.run_attempt(),
            run_started_at: queued.run_started_at,
            sequence: queued.sequence,
            trace: trace.as_deref().and_then(TraceContext::from_bytes),
        })
    }
}

fn phase_of(number: i16) -> Option<Phase> {
    Phase::ALL.into_iter().find(|phase| phase_number(*phase) == number)
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
            phase: phase_number(Phase::Replay),
            due_at: Timestamp::MAX.into(),
            claim: None,
            attempts: 12,
            attempts_before_run: 10,
            run_started_at: Timestamp::MIN.into(),
            sequence: None,
        }
    }

    #[test]
    fn a_row_is_the_delivery_that_was_written() {
        let (claim, until) = (ClaimId::from_number(-7), Timestamp::MIN);
        for queued in [
            QueuedDelivery::published(Timestamp::MAX),
            QueuedDelivery::published(Timestamp::MIN).claimed(claim, until),
            QueuedDelivery::replayed(12, Timestamp::MAX, None).claimed(claim, until),
            QueuedDelivery::replayed(12, Timestamp::MAX, Some(7)),
        ] {
            let mut row = row();
            row.set(&queued);
            assert_eq!(row.queued().unwrap(), queued);
            let claimed = row.claimed((Vec::new(), None)).unwrap();
            assert_eq!((claimed.attempt, claimed.run_attempt), (queued.attempts, queued.run_attempt()));
        }
    }

    #[test]
    fn names_the_column_that_the_schema_does_not_promise() {
        let cases: [(&str, Change); 6] = [
            ("delivery_id", |row| row.delivery_id.truncate(15)),
            ("event_id", |row| row.event_id.clear()),
            ("attempts", |row| row.attempts = i64::MAX),
            ("attempts_before_run", |row| row.attempts_before_run = -1),
            ("phase", |row| row.phase = 4),
            ("sequence", |row| row.sequence = Some(-1)),
        ];
        for (wrong, change) in cases {
            let mut row = row();
            change(&mut row);
            let corrupt = row.claimed((Vec::new(), None));
            assert!(matches!(corrupt, Err(StoreError::Corrupt { column, .. }) if column == wrong), "{corrupt:?}");
        }
    }
}
