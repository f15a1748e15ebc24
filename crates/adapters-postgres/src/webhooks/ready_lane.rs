use std::time::Duration;

use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use diesel_mapping::StoredInstant;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{BreakerRow, SecretsRow, subscription_id};
use domain::webhooks::{Admission, Breaker, DeliveryRate, OwnerNumber, SealedSecrets, TargetUrl};
use domain::{SubscriptionId, Timestamp};

use super::settle_lanes::SeenLane;

/// The lanes that need service, beginning with the lane that has waited longest, and the columns that their deliveries
/// need. Skips the lanes in `$2`, all lanes of the owners in `$3` and of suspended owners, and begins at `$4`. `OFFSET 0`
/// makes the planner ask for the owner of each lane that it reads, and for no other.
pub(super) const READY_LANES: &str =
    "SELECT lane.subscription_id, lane.owner, lane.ready_at, lane.wakes, lane.failures_in_a_row,
        lane.failing_since, lane.paused_until, lane.pause_millis, lane.rests_until,
        lane.last_sequence IS NOT NULL AS is_ordered,
        subscription.url, subscription.secret, subscription.previous_secret, subscription.previous_secret_until,
        subscription.options, owner.rested_until
    FROM (
        SELECT * FROM webhook_lanes WHERE is_open AND ready_at <= $1 AND ready_at >= $4
            AND owner <> ALL($3) AND subscription_id <> ALL($2) AND NOT EXISTS (
                SELECT FROM owners WHERE number = webhook_lanes.owner AND suspended_at IS NOT NULL OFFSET 0
            )
        ORDER BY ready_at LIMIT $5
    ) AS lane
    LEFT JOIN webhook_subscriptions AS subscription ON subscription.id = lane.subscription_id
    LEFT JOIN LATERAL (
        SELECT rested_until FROM owners WHERE number = lane.owner ORDER BY rested_until DESC NULLS LAST LIMIT 1
    ) AS owner ON true
    ORDER BY lane.ready_at";

/// The URL of a lane's receiver, and the secrets that sign its deliveries.
type Target = (TargetUrl, SealedSecrets);

/// A claim that takes all due deliveries leaves the lane ready for this time. So a busy lane is written once in this time
/// and not for each event. Each write leaves a version of the row behind, which stays until no transaction of the server
/// can see it.
const LINGER: Duration = Duration::from_secs(1);

#[derive(QueryableByName)]
pub(super) struct ReadyLaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    owner: i64,
    #[diesel(sql_type = Instant)]
    pub(super) ready_at: StoredInstant,
    #[diesel(sql_type = BigInt)]
    wakes: i64,
    #[diesel(embed)]
    breaker: BreakerRow,
    #[diesel(sql_type = Nullable<Instant>)]
    rests_until: Option<StoredInstant>,
    #[diesel(sql_type = Bool)]
    is_ordered: bool,
    /// `None` if the subscription does not exist.
    #[diesel(sql_type = Nullable<Text>)]
    url: Option<String>,
    #[diesel(embed)]
    secrets: SecretsRow,
    #[diesel(sql_type = Nullable<Instant>)]
    rested_until: Option<StoredInstant>,
}

/// A lane that needs service.
pub(super) struct ReadyLane {
    pub(super) id: SubscriptionId,
    pub(super) owner: OwnerNumber,
    /// How many deliveries to claim, at most.
    pub(super) room: u32,
    ready_at: StoredInstant,
    pub(super) wakes: i64,
    pub(super) breaker: Breaker,
    /// Until when the lane rests, because of its rate.
    rests_until: Option<Timestamp>,
    /// Whether its deliveries leave one after the other.
    pub(super) is_ordered: bool,
    /// `None` if the subscription is damaged or does not exist.
    pub(super) target: Option<Target>,
    /// The end of the last suspension of the owner: no run counts from before it.
    pub(super) rested_until: Option<Timestamp>,
}

impl ReadyLane {
    fn rate(&self) -> Option<DeliveryRate> {
        self.target.as_ref()?.1.options.max_per_second
    }

    fn rests(&self, at: Timestamp) -> bool {
        self.rests_until.is_some_and(|until| at < until)
    }

    pub(super) fn may_probe(&self, at: Timestamp) -> bool {
        self.breaker.admission(at) == Admission::Probe
    }

    /// Whether several claims may take deliveries of the lane at a time.
    pub(super) fn is_free(&self, at: Timestamp) -> bool {
        self.breaker.admission(at) == Admission::Free && self.rate().is_none() && !self.rests(at)
    }

    /// How many deliveries a claim takes that has the lane to itself; `None` if the lane is free, pauses or rests.
    pub(super) fn room_alone(&self, at: Timestamp) -> Option<u32> {
        match self.breaker.admission(at) {
            _ if self.rests(at) => None,
            Admission::Probe => Some(1),
            Admission::Free => self.rate().map(|rate| rate.claim_max().min(self.room)),
            Admission::Paused(_) => None,
        }
    }

    /// Until when the lane rests after a claim has taken this many deliveries; `None` without a rate.
    pub(super) fn rests_after(&self, taken: usize, at: Timestamp) -> Option<Timestamp> {
        let taken = u32::try_from(taken).unwrap_or(u32::MAX);
        self.rate().map(|rate| rate.rests_until(self.rests_until, at, taken))
    }

    /// The most deliveries that a claim takes.
    pub(super) fn room_at(&self, at: Timestamp) -> usize {
        let room = if self.is_free(at) { self.room } else { self.room_alone(at).unwrap_or_default() };
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    /// Whether the claim need not settle the lane: it became ready a moment ago, and will soon have more to send.
    pub(super) fn may_linger(&self, at: Timestamp) -> bool {
        self.is_free(at)
            && !self.is_ordered
            && self.ready_at.timestamp().is_some_and(|ready_at| at < ready_at.plus(LINGER))
    }

    pub(super) fn seen(&self, at: Timestamp) -> SeenLane {
        SeenLane { id: self.id, wakes: self.wakes, may_probe: self.may_probe(at), is_ordered: self.is_ordered }
    }
}

impl ReadyLaneRow {
    /// The lane, or its id as it is stored if the id is damaged.
    pub(super) fn lane(self) -> Result<ReadyLane, Vec<u8>> {
        let Ok(id) = subscription_id("webhook_lanes", "subscription_id", &self.subscription_id) else {
            return Err(self.subscription_id);
        };
        let (owner, breaker) = (OwnerNumber::from_number(self.owner), self.breaker.breaker());
        let url = self.url.and_then(|url| TargetUrl::from_stored(&url));
        let target = url.zip(self.secrets.secrets(id).ok());
        let [rests_until, rested_until] =
            [self.rests_until, self.rested_until].map(|stored| stored.and_then(StoredInstant::timestamp));
        let (ready_at, wakes, is_ordered) = (self.ready_at, self.wakes, self.is_ordered);
        Ok(ReadyLane { id, owner, room: 0, ready_at, wakes, breaker, rests_until, is_ordered, target, rested_until })
    }
}
