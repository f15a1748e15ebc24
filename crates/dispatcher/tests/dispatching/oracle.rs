//! Holds the promises, and checks that they are kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dispatcher::{DispatcherSettings, UNSENT_MAX};
use domain::ports::{ClaimedLane, Clock, SubscriptionStore};
use domain::webhooks::{
    Admission, AttemptOutcome, Delivery, DeliveryEnd, DeliveryRate, DeliveryState, RetrySchedule, Verdict,
};
use domain::{DeliveryId, EventId, OwnerId, SubscriptionId, Timestamp};
use tokio::time::Instant;

use crate::process_clock::READING_MAX;
use crate::world::{World, seconds};

/// The waits of the schedule in the simulation.
pub(crate) const WAITS: [u64; 3] = [1, 3, 8];
/// By when a claimed delivery must have started, before its lease ends: the longest attempt.
const ATTEMPT_MAX: Duration = Duration::from_secs(20);

/// How long the answer to a claim may take.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// How old the time in a claim may be: the store may be slow, and clocks are not exact.
const CLAIM_ERROR_MAX: Duration = Duration::from_millis(1_200);

/// By how much a dispatcher overestimates how long claims take, after some that were delayed.
const USUAL_ERROR_MAX: Duration = Duration::from_millis(10);

pub(crate) fn settings() -> DispatcherSettings {
    DispatcherSettings {
        concurrency: 12,
        concurrency_per_host: 4,
        schedule: RetrySchedule::new(WAITS.map(seconds).to_vec()).unwrap(),
        ..DispatcherSettings::default()
    }
}

/// The faults that a history may contain, and so which promises hold exactly.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether one thing happens, apart from the others")]
pub(crate) struct Traits {
    /// How many dispatchers run at a time.
    pub(crate) dispatchers: u64,
    /// The wall clock is set now and then.
    pub(crate) clock_jumps: bool,
    /// The machines of the processes have clocks that are wrong.
    pub(crate) clock_offsets: bool,
    /// Stored events get lost.
    pub(crate) damages: bool,
    /// A call to the store may hang until it is given up, long enough for a lease to run out.
    pub(crate) store_hangs: bool,
    /// Processes die.
    pub(crate) deaths: bool,
    /// The store ends the claims of processes that live.
    pub(crate) misjudges: bool,
}

/// A delivery in a claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    process: u64,
    /// When the queue handed it out.
    at: Instant,
    until: Timestamp,
    run_attempt: u32,
    run_started_at: Timestamp,
    is_sent: bool,
}

/// The history of a delivery.
#[derive(Clone, Debug, Default)]
struct Record {
    grants: Vec<Grant>,
    /// Attempts that are charged to the receiver.
    charged: u32,
    in_flight: u32,
    delivered: u32,
    /// When an attempt failed last, and which of its run it was.
    failed: Option<(Timestamp, Grant)>,
    got_410: bool,
    /// A claim on it has ended although its process lives: its owner cancelled it or had it retried, or the store took
    /// the process for dead. An older attempt may overlap with a newer one.
    is_taken_away: bool,
}

/// The attempts of a process under way, and their limits.
#[derive(Debug, Default)]
struct Load {
    all: BTreeMap<OwnerId, u32>,
    hosts: BTreeMap<String, BTreeMap<OwnerId, u32>>,
    lanes: BTreeMap<SubscriptionId, LaneLoad>,
}

/// A second implementation of a lane's cap: a success in each of its places raises it by one, up to 128, a failure
/// halves it.
#[derive(Debug)]
struct LaneLoad {
    in_flight: u32,
    cap: u32,
    successes: u32,
    /// The largest cap within the current instant: a process learns of an end within the instant, but not at once.
    cap_now: (Instant, u32),
}

/// Counts one more attempt. Answers how many the owner has now, and how many others have.
fn enter(load: &mut BTreeMap<OwnerId, u32>, owner: &OwnerId) -> (u32, u32) {
    *load.entry(owner.clone()).or_default() += 1;
    let (all, owners): (u32, u32) = (load.values().sum(), load[owner]);
    (owners, all - owners)
}

impl LaneLoad {
    fn new() -> Self {
        Self { in_flight: 0, cap: 8, successes: 0, cap_now: (Instant::now(), 8) }
    }

    fn cap_now(&mut self) -> u32 {
        let now = Instant::now();
        let before = if self.cap_now.0 == now { self.cap_now.1 } else { 0 };
        self.cap_now = (now, before.max(self.cap));
        self.cap_now.1
    }

    fn ended(&mut self, is_success: bool) {
        self.cap_now();
        self.successes = if is_success { self.successes + 1 } else { 0 };
        if !is_success {
            self.cap = (self.cap / 2).max(1);
        } else if self.successes >= self.cap {
            (self.cap, self.successes) = (128.min(self.cap + 1), 0);
        }
    }
}

/// A lane with a rate, and its starts.
#[derive(Debug)]
struct Paced {
    rate: DeliveryRate,
    /// When it got the rate. What was claimed before may start for a while.
    since: Instant,
    last_second: VecDeque<Instant>,
}

impl Paced {
    /// Notes a start. Returns how many the last second has.
    fn starts(&mut self) -> usize {
        let now = Instant::now();
        if now >= self.since + UNSENT_MAX + ANSWER_MAX {
            self.last_second.push_back(now);
        }
        while self.last_second.front().is_some_and(|start| *start + seconds(1) <= now) {
            self.last_second.pop_front();
        }
        self.last_second.len()
    }
}

#[derive(Debug, Default)]
struct Model {
    /// The numbers of claimed deliveries in the order of their lane.
    numbers: BTreeMap<SubscriptionId, BTreeMap<DeliveryId, u64>>,
    paced: BTreeMap<SubscriptionId, Paced>,
    records: BTreeMap<DeliveryId, Record>,
    loads: BTreeMap<u64, Load>,
    /// Lanes whose receiver has answered 410.
    gone: BTreeSet<SubscriptionId>,
    closed: BTreeSet<SubscriptionId>,
    deleted: BTreeSet<SubscriptionId>,
    cancelled: BTreeSet<DeliveryId>,
    damaged: BTreeSet<EventId>,
    violations: Vec<String>,
    /// A digest of the history, to see whether two are the same.
    history: u64,
}

impl Model {
    fn check(&mut self, holds: bool, promise: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(promise());
        }
    }
}

pub(crate) struct Oracle {
    pub(crate) world: Arc<World>,
    pub(crate) traits: Traits,
    model: Mutex<Model>,
}

impl Oracle {
    pub(crate) fn new(world: Arc<World>, traits: Traits) -> Arc<Self> {
        Arc::new(Self { world, traits, model: Mutex::default() })
    }

    /// How far the clocks of two processes may be apart.
    fn clock_error(&self) -> Duration {
        if self.traits.clock_offsets { 2 * READING_MAX } else { Duration::ZERO }
    }

    /// Notes the rate of a lane.
    pub(crate) fn has_rate(&self, lane: SubscriptionId, rate: Option<DeliveryRate>) {
        let mut model = self.model.lock().unwrap();
        model.paced.remove(&lane);
        let (since, last_second) = (Instant::now(), VecDeque::new());
        model.paced.extend(rate.map(|rate| (lane, Paced { rate, since, last_second })));
    }

    /// Notes the lanes that the queue has handed out.
    pub(crate) fn claimed(&self, process: u64, at: Timestamp, until: Timestamp, lanes: &[ClaimedLane]) {
        let mut model = self.model.lock().unwrap();
        let now = self.world.clock.now();
        let error = now.since(at).max(at.since(now));
        // The call of the store may have been delayed by this.
        model.check(self.traits.clock_jumps || error <= CLAIM_ERROR_MAX, || {
            format!("process {process} claims at {at} while it is {now}")
        });
        for lane in lanes {
            for delivery in &lane.deliveries {
                let is_damaged = model.damaged.contains(&delivery.event);
                model.check(!is_damaged, || format!("{} is claimed, which cannot be read", delivery.id));
                let grant = Grant {
                    process,
                    at: Instant::now(),
                    until,
                    run_attempt: delivery.run_attempt,
                    run_started_at: delivery.run_started_at,
                    is_sent: false,
                };
                model.records.entry(delivery.id).or_default().grants.push(grant);
                let numbers = model.numbers.entry(lane.subscription).or_default();
                numbers.extend(delivery.sequence.map(|number| (delivery.id, number)));
            }
        }
    }

    /// Notes that an attempt begins. Returns its claim.
    pub(crate) async fn begins(&self, process: u64, lane: SubscriptionId, host: &str, id: DeliveryId) -> Option<Grant> {
        let (now, owner) = (self.world.clock.now(), self.world.owner_of(lane));
        let health = self.world.store.find(&owner, lane).await.unwrap().map(|(_, health)| health);
        let Traits { dispatchers, clock_jumps, .. } = self.traits;
        let settings = settings();
        let mut model = self.model.lock().unwrap();
        model.history = model.history.wrapping_mul(31).wrapping_add(now.unix_millis().unsigned_abs());
        let model = &mut *model;

        let record = model.records.entry(id).or_default();
        let overlaps = record.in_flight > 0;
        record.in_flight += 1;
        let is_loose = clock_jumps || record.is_taken_away;
        record.charged += 1;
        let Some(grant) = record.grants.iter_mut().rev().find(|grant| grant.process == process) else {
            model.violations.push(format!("{id} is sent by process {process}, which has not claimed it"));
            return None;
        };
        let was_sent = std::mem::replace(&mut grant.is_sent, true);
        let (grant, failed) = (*grant, record.failed);
        model.check(!was_sent || is_loose, || format!("{id} is sent twice in one claim"));
        model.check(!overlaps || is_loose, || format!("two attempts at {id} at once"));
        model.check(clock_jumps || now.plus(ATTEMPT_MAX) <= grant.until, || {
            format!("{id} is sent at {now}, too late for its lease until {}", grant.until)
        });
        model.check(grant.run_attempt <= settings.schedule.attempts_max(), || format!("{id} past its schedule"));
        let is_in_time = now <= grant.run_started_at.plus(settings.schedule.age_max());
        // When the clock of the database is set, a process with its own clock follows with its next reading.
        let may_lag = clock_jumps && self.traits.clock_offsets;
        model.check(is_in_time || may_lag, || format!("{id} is too old"));
        if let Some((failed_at, before)) = failed.filter(|(_, before)| before.run_started_at == grant.run_started_at) {
            let wait = WAITS.get(before.run_attempt as usize - 1).map_or(Duration::ZERO, |wait| seconds(*wait));
            model.check(is_loose || now.plus(self.clock_error()) >= failed_at.plus(wait), || {
                format!("{id} is sent at {now}, too soon after attempt {} failed at {failed_at}", before.run_attempt)
            });
        }
        // Others may have claimed before the pause; only one has the report.
        if let Some(health) = health.filter(|_| dispatchers == 1 && !clock_jumps) {
            let is_paused = matches!(health.breaker.admission(now.plus(self.clock_error())), Admission::Paused(_));
            model.check(!is_paused, || format!("{id} is sent at {now} to a paused lane: {:?}", health.breaker));
        }

        if let Some(paced) = model.paced.get_mut(&lane) {
            let (per_second, count) = (paced.rate.per_second(), paced.starts());
            // How long claims usually take is known by some milliseconds.
            let error = (self.clock_error() + USUAL_ERROR_MAX).as_secs_f64();
            let holds = clock_jumps || f64::from(u32::try_from(count).unwrap()) <= (1.1 + error) * per_second + 1.0;
            model.check(holds, || format!("{count} attempts in a second on a lane with a rate of {per_second}"));
        }
        let waited = grant.at.elapsed();
        model.check(waited <= UNSENT_MAX + ANSWER_MAX, || format!("{id} is sent {waited:?} after its claim"));
        let load = model.loads.entry(process).or_default();
        let all = enter(&mut load.all, &owner);
        let on_host = enter(load.hosts.entry(host.to_owned()).or_default(), &owner);
        let on_lane = load.lanes.entry(lane).or_insert_with(LaneLoad::new);
        on_lane.in_flight += 1;
        let (in_lane, lane_cap) = (on_lane.in_flight, on_lane.cap_now());
        model.check(in_lane <= lane_cap, || format!("{in_lane} attempts on a lane with a cap of {lane_cap}"));
        for (what, places, (owners, others)) in
            [(host, settings.concurrency_per_host, on_host), ("all", settings.concurrency, all)]
        {
            model.check(owners + others <= places, || format!("{what}: {owners} and {others} attempts at a time"));
            // Before this attempt, the owner had taken fewer than three times as many places as were free.
            let is_fair = owners - 1 < 3 * (places + 1).saturating_sub(owners + others);
            model.check(is_fair, || format!("{what}: {owners} attempts of one owner beside {others} of others"));
        }
        Some(grant)
    }

    /// Notes that the attempt has this number: the receiver must have got every earlier one, or it must have ended.
    pub(crate) async fn begins_in_order(&self, lane: SubscriptionId, id: DeliveryId, number: Option<u64>) {
        let Some(number) = number else { return };
        let owner = self.world.owner_of(lane);
        let known = self.model.lock().unwrap().numbers.get(&lane).cloned().unwrap_or_default();
        for (earlier, _) in known.into_iter().filter(|(one, earlier)| *one != id && *earlier < number) {
            let found = domain::ports::DeliveryLog::find(&*self.world.store, &owner, earlier).await.unwrap();
            let has_ended = found.is_none_or(|found| matches!(found.delivery.state, DeliveryState::Ended { .. }));
            let mut model = self.model.lock().unwrap();
            let is_delivered = model.records.get(&earlier).is_some_and(|record| record.delivered > 0);
            model.check(has_ended || is_delivered, || format!("{id} is sent as number {number} before {earlier}"));
        }
    }

    /// Notes that an attempt has ended, without an outcome when it was dropped.
    pub(crate) fn ends(
        &self,
        process: u64,
        lane: SubscriptionId,
        host: &str,
        id: DeliveryId,
        (began, grant): (Instant, Option<Grant>),
        outcome: Option<&AttemptOutcome>,
    ) {
        let now = self.world.clock.now();
        // Also while a test that has failed unwinds.
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let model = &mut *model;
        let record = model.records.entry(id).or_default();
        record.in_flight -= 1;
        let is_cut_off_by_limit = outcome.is_none() && began.elapsed() >= ATTEMPT_MAX;
        let verdict = outcome.map(AttemptOutcome::verdict);
        match verdict {
            Some(Verdict::NotCharged) => record.charged -= 1,
            Some(Verdict::Delivered) => record.delivered += 1,
            Some(Verdict::Gone) => {
                record.got_410 = true;
                model.gone.insert(lane);
            }
            Some(Verdict::Failed { .. }) => record.failed = grant.map(|grant| (now, grant)),
            None if is_cut_off_by_limit => record.failed = grant.map(|grant| (now, grant)),
            None => {}
        }
        let load = model.loads.entry(process).or_default();
        let owner = self.world.owner_of(lane);
        *load.all.entry(owner.clone()).or_default() -= 1;
        *load.hosts.entry(host.to_owned()).or_default().entry(owner).or_default() -= 1;
        let on_lane = load.lanes.entry(lane).or_insert_with(LaneLoad::new);
        on_lane.in_flight -= 1;
        let is_charged = verdict.map_or(is_cut_off_by_limit, |verdict| verdict != Verdict::NotCharged);
        if is_charged {
            on_lane.ended(verdict == Some(Verdict::Delivered));
        }
    }

    pub(crate) fn was_damaged(&self, event: EventId) {
        self.model.lock().unwrap().damaged.insert(event);
    }

    pub(crate) fn was_closed(&self, lane: SubscriptionId) {
        self.model.lock().unwrap().closed.insert(lane);
    }

    pub(crate) fn was_deleted(&self, lane: SubscriptionId) {
        self.model.lock().unwrap().deleted.insert(lane);
    }

    pub(crate) fn was_cancelled(&self, id: DeliveryId) {
        self.was_taken_away(id);
        self.model.lock().unwrap().cancelled.insert(id);
    }

    pub(crate) fn was_retried(&self, id: DeliveryId) {
        self.was_taken_away(id);
        self.model.lock().unwrap().numbers.values_mut().for_each(|numbers| {
            numbers.remove(&id);
        });
    }

    pub(crate) fn was_taken_away(&self, id: DeliveryId) {
        self.model.lock().unwrap().records.entry(id).or_default().is_taken_away = true;
    }

    pub(crate) fn history(&self) -> u64 {
        self.model.lock().unwrap().history
    }

    /// Panics if a promise has been broken.
    pub(crate) fn check(&self) {
        let model = self.model.lock().unwrap();
        assert!(model.violations.is_empty(), "{:#?}", model.violations);
    }

    /// Panics unless every delivery has ended for a valid reason, and each attempt counts.
    pub(crate) async fn check_ends(&self) {
        let deliveries = self.world.deliveries().await;
        assert_eq!(deliveries.len(), self.world.accepted(), "nothing accepted is lost");
        for delivery in deliveries {
            self.check_end(&delivery);
        }
        self.check();
    }

    fn check_end(&self, delivery: &Delivery) {
        let mut model = self.model.lock().unwrap();
        let (id, lane) = (delivery.id, delivery.subscription_id);
        let DeliveryState::Ended { end, at } = delivery.state else { panic!("{delivery:?} has not ended") };
        let record = model.records.get(&id).cloned().unwrap_or_default();
        let age_max = settings().schedule.age_max();
        let holds = match end {
            DeliveryEnd::Delivered => record.delivered > 0,
            DeliveryEnd::ScheduleSpent => record.grants.last().is_some_and(|grant| {
                let is_too_old = at.plus(seconds(120)) > grant.run_started_at.plus(age_max);
                grant.run_attempt >= settings().schedule.attempts_max() || is_too_old
            }),
            DeliveryEnd::Unreadable => model.damaged.contains(&delivery.event_id),
            DeliveryEnd::SubscriptionDisabled => record.got_410 || model.closed.contains(&lane),
            DeliveryEnd::SubscriptionDeleted => model.deleted.contains(&lane),
            DeliveryEnd::Cancelled => model.cancelled.contains(&id),
            DeliveryEnd::Missed => model.closed.contains(&lane) || model.gone.contains(&lane),
        };
        model.check(holds, || format!("{delivery:?} has ended without reason: {record:?}"));
        model.check(delivery.attempts >= record.charged, || {
            format!("{delivery:?} counts fewer attempts than were made: {record:?}")
        });
        // Only a death, a lost lease or the owner can have a delivered delivery sent again.
        let Traits { deaths, clock_jumps, store_hangs, .. } = self.traits;
        let may_repeat = deaths || clock_jumps || store_hangs || record.is_taken_away;
        let is_repeated = record.delivered > 1;
        model.check(!is_repeated || may_repeat, || format!("{delivery:?} was delivered {} times", record.delivered));
    }
}
