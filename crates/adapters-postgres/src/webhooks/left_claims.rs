use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Integer, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use domain::ports::StoreError;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::claimers::Claimer;
use crate::transaction::only_row;

/// Ends the claims of a process in the next two hundred lanes. The process may live, and be cut off: without its claim it
/// cannot end a delivery that another process sends by then. A lane that has an open claim needs service before the
/// claim ends, so lanes that sleep for longer are passed over. See [`SETTLE_OPEN`](super::settle_lanes) about the limit
/// of a thousand.
const END_LEFT_CLAIMS: &str = "WITH page AS MATERIALIZED (
        SELECT subscription_id, due_from FROM webhook_lanes
        WHERE subscription_id > $2 AND ready_at <= now() + INTERVAL '1 hour'
        ORDER BY subscription_id LIMIT 200
    ), ended AS (
        UPDATE webhook_due AS due SET claim = NULL, claimed_until = now()
        WHERE due.claimer = $1 AND due.claim IS NOT NULL AND due.ctid = ANY(ARRAY(
            SELECT first.place FROM page
            CROSS JOIN (VALUES (0::smallint), (1), (2)) AS phases (phase)
            CROSS JOIN LATERAL (
                SELECT ctid AS place, claimer, claimed_until FROM webhook_due
                WHERE subscription_id = page.subscription_id AND phase = phases.phase AND phase >= 0
                    AND due_at >= page.due_from
                ORDER BY due_at LIMIT 1000
            ) AS first WHERE first.claimer = $1 AND first.claimed_until > now()
        )) RETURNING due.subscription_id
    ), woken AS (
        UPDATE webhook_lanes SET wakes = wakes + 1,
            ready_at = GREATEST(LEAST(ready_at, now()), CASE WHEN is_open THEN paused_until END)
        WHERE subscription_id = ANY(ARRAY(SELECT DISTINCT subscription_id FROM ended ORDER BY subscription_id))
    )
    SELECT (SELECT count(*) FROM ended) AS ended,
        (SELECT subscription_id FROM page ORDER BY subscription_id DESC LIMIT 1) AS last_lane";

impl PostgresStore {
    /// Ends the claims of processes that are gone, if some were found, without delaying the caller.
    pub(super) fn end_claims_of_the_gone(&self) {
        for claimer in self.claimers.take_gone() {
            let store = self.clone();
            self.runtime.spawn(async move {
                let ended = store.end_claims_of(claimer).await;
                let error = ended.as_ref().err().map(|error| error as &dyn std::error::Error);
                let ended = ended.as_ref().unwrap_or(&0);
                tracing::info!(ended, error, "a process is gone, and its claims on deliveries end");
            });
        }
    }

    async fn end_claims_of(&self, claimer: Claimer) -> Result<i64, StoreError> {
        let (mut ended, mut after) = (0, Vec::new());
        loop {
            let page = self.run_on_queue(&EndLeftClaims { claimer, after: &after }).await?;
            ended += page.ended;
            if page.ended > 0 {
                self.change_signal.notify_of_deliveries();
            }
            match page.last_lane {
                Some(lane) => after = lane,
                None => return Ok(ended),
            }
        }
    }
}

struct EndLeftClaims<'a> {
    claimer: Claimer,
    /// The last lane of the page before.
    after: &'a [u8],
}

#[derive(QueryableByName)]
struct PageRow {
    #[diesel(sql_type = BigInt)]
    ended: i64,
    /// `None` after the last page.
    #[diesel(sql_type = Nullable<Binary>)]
    last_lane: Option<Vec<u8>>,
}

impl Work for EndLeftClaims<'_> {
    type Answer = PageRow;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<PageRow, Failure> {
        let query =
            diesel::sql_query(END_LEFT_CLAIMS).bind::<Integer, _>(self.claimer.number()).bind::<Binary, _>(self.after);
        Ok(only_row(Kept(query).load(&mut &*connection).await)?)
    }
}
