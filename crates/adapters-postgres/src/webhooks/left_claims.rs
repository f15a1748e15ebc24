use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, Binary, Integer, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::Timestamp;
use domain::ports::StoreError;
use futures_util::future::join4;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::claimers::Claimer;
use crate::transaction::{Begin, Commit};

/// The next two hundred lanes, and the deliveries in them that a process has claimed. A lane that has an open claim needs
/// service before the claim ends, so lanes that sleep for longer are passed over. See
/// [`SETTLE_OPEN`](super::settle_lanes) about the limit of a thousand.
const FIND: &str = "SELECT page.subscription_id, claimed.delivery_id
    FROM (
        SELECT subscription_id, due_from FROM webhook_lanes
        WHERE subscription_id > $2 AND ready_at <= $3 + INTERVAL '1 hour'
        ORDER BY subscription_id LIMIT 200
    ) AS page
    LEFT JOIN LATERAL (
        SELECT numbered.delivery_id FROM (
            SELECT delivery_id, claimer, claimed_until FROM webhook_due
            WHERE subscription_id = page.subscription_id AND sequence IS NOT NULL ORDER BY sequence LIMIT 1000
        ) AS numbered WHERE numbered.claimer = $1 AND numbered.claimed_until > $3
        UNION ALL SELECT first.delivery_id FROM (VALUES (0::smallint), (1), (2)) AS phases (phase)
        CROSS JOIN LATERAL (
            SELECT delivery_id, claimer, claimed_until FROM webhook_due
            WHERE subscription_id = page.subscription_id AND phase = phases.phase AND phase >= 0
                AND due_at >= page.due_from
            ORDER BY due_at LIMIT 1000
        ) AS first WHERE first.claimer = $1 AND first.claimed_until > $3
    ) AS claimed ON TRUE
    ORDER BY page.subscription_id, claimed.delivery_id";

/// Removes claims. The process may be cut off but alive: without its claim it cannot end a delivery that another
/// process sends by then. Finds each row by its key: see [the module](super) about the array of one id.
const TAKE_AWAY: &str = "UPDATE webhook_due AS due SET claim = NULL, claimed_until = $4
    FROM unnest($2, $3) AS left_over (subscription_id, delivery_id)
    WHERE due.subscription_id = ANY(ARRAY[left_over.subscription_id]) AND due.delivery_id = left_over.delivery_id
        AND due.claimer = $1 AND due.claim IS NOT NULL";

const WAKE: &str = "UPDATE webhook_lanes SET wakes = wakes + 1,
        ready_at = GREATEST(LEAST(ready_at, $2), CASE WHEN is_open THEN GREATEST(paused_until, rests_until) END)
    WHERE subscription_id = ANY($1)";

impl PostgresStore {
    /// Ends the claims of ended processes, if some were found, without delaying the caller.
    pub(super) fn end_claims_of_the_gone(&self, at: Timestamp) {
        for claimer in self.claimers.take_gone() {
            let store = self.clone();
            self.runtime.spawn(async move {
                let ended = store.end_claims_of(claimer, at).await;
                let error = ended.as_ref().err().map(|error| error as &dyn std::error::Error);
                let ended = ended.as_ref().unwrap_or(&0);
                tracing::info!(ended, error, "a process is gone, and its claims on deliveries end");
            });
        }
    }

    async fn end_claims_of(&self, claimer: Claimer, at: Timestamp) -> Result<usize, StoreError> {
        let (mut ended, mut after) = (0, Vec::new());
        loop {
            let page = self.run_on_queue(&EndLeftClaims { claimer, at, after: &after }).await?;
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

/// Makes these lanes ready, as soon as their pauses and their rests allow.
pub(super) async fn wake_lanes(connection: &AsyncPgConnection, lanes: &[&[u8]], at: Timestamp) -> QueryResult<usize> {
    let wake = statement(WAKE).bind::<Array<Binary>, _>(lanes).bind::<Instant, StoredInstant>(at.into());
    Kept(wake).execute(&mut &*connection).await
}

/// Ends the claims of a process in some lanes. Two round trips.
struct EndLeftClaims<'a> {
    claimer: Claimer,
    at: Timestamp,
    /// The last lane of the previous page.
    after: &'a [u8],
}

struct Page {
    ended: usize,
    /// `None` after the last page.
    last_lane: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    /// `None` if the lane has no such delivery.
    #[diesel(sql_type = Nullable<Binary>)]
    delivery_id: Option<Vec<u8>>,
}

impl Work for EndLeftClaims<'_> {
    type Answer = Page;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Page, Failure> {
        let find = statement(FIND)
            .bind::<Integer, _>(self.claimer.number())
            .bind::<Binary, _>(self.after)
            .bind::<Instant, StoredInstant>(self.at.into());
        let rows: Vec<FoundRow> = Kept(find).load(&mut &*connection).await?;
        let found = rows.iter().filter_map(|row| Some((row.subscription_id.as_slice(), row.delivery_id.as_deref()?)));
        let (lanes, deliveries): (Vec<&[u8]>, Vec<&[u8]>) = found.unzip();
        let ended = if lanes.is_empty() { 0 } else { self.take_away(connection, &lanes, &deliveries).await? };
        Ok(Page { ended, last_lane: rows.into_iter().next_back().map(|row| row.subscription_id) })
    }
}

impl EndLeftClaims<'_> {
    async fn take_away(
        &self,
        connection: &AsyncPgConnection,
        lanes: &[&[u8]],
        deliveries: &[&[u8]],
    ) -> Result<usize, Failure> {
        let take_away = statement(TAKE_AWAY)
            .bind::<Integer, _>(self.claimer.number())
            .bind::<Array<Binary>, _>(lanes)
            .bind::<Array<Binary>, _>(deliveries)
            .bind::<Instant, StoredInstant>(self.at.into());
        let (begun, taken, woken, committed) = join4(
            Begin.execute(&mut &*connection),
            Kept(take_away).execute(&mut &*connection),
            wake_lanes(connection, lanes, self.at),
            Commit.execute(&mut &*connection),
        )
        .await;
        // A commit with an unknown result is repeated: removed claims are not found again.
        Ok(begun.and(taken).and_then(|taken| woken.and(committed).map(|_| taken))?)
    }
}
