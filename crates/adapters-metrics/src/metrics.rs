use std::sync::Arc;
use std::time::Duration;

use counters::{DurationCounts, DurationFamily, LabelledDurations};
use dispatcher::Dispatcher;
use domain::Timestamp;
use domain::catalogue::{Catalogue, InvalidEventCounts};
use domain::ports::{
    Clock, EventCounts, POOL_WAIT_BOUNDS, PoolFigures, ProcessFigures, QueueFigures, SpanCounts, StoreFigures,
};
use domain::webhooks::{DisableReason, DisabledBy, SubscriptionStatus};
use verifier::Verifier;

use crate::catalogue::{
    ATTEMPT_DURATION, ATTEMPTS, AUDIT_EVENTS, BUILD_INFO, CERTIFICATE_EXPIRY, CHANGE_FEED_AGE, CLOCK_OFFSET,
    DATA_FREE_BYTES, DATABASE_CONNECTIONS, DATABASE_WAIT, DELIVERIES_WAITING, EVENTS_INVALID, EVENTS_PUBLISHED,
    FIRST_ATTEMPT_DELAY, IDENTITY_KEYS_AGE, KEY_CACHE_ENTRIES, KEY_CACHE_EVICTIONS, KEY_CACHE_HITS, KEY_CACHE_MISSES,
    LANES, LAST_BACKUP, OLDEST_DUE_AGE, OLDEST_SNAPSHOT_AGE, REQUEST_DURATION, SESSIONS, SPANS, SQLITE_WAL_BYTES,
    STORE_READING_AGE, SUBSCRIPTIONS, VERIFICATIONS,
};
use crate::counted_audit::CountedAudit;
use crate::counted_events::CountedEvents;
use crate::format::Format;
use crate::page::{Page, exact, seconds};
use crate::process;
use crate::store_watch::{Reading, StoreWatch};

/// The values of no labels.
const UNLABELLED: [&str; 0] = [];

/// The running program.
#[derive(Clone, Copy, Debug)]
pub struct BuildInfo {
    /// The version of the program.
    pub version: &'static str,
    /// The commit that it was built from.
    pub commit: &'static str,
}

/// The sources of the numbers.
pub struct Sources {
    /// The running program.
    pub build: BuildInfo,
    /// When the process started, or nearly so.
    pub started_at: Timestamp,
    /// The kind of the database.
    pub database: &'static str,
    /// Verifies keys.
    pub verifier: Arc<Verifier>,
    /// Delivers webhooks; `None` if this instance delivers none.
    pub dispatcher: Option<Arc<Dispatcher>>,
    /// The durations of HTTP requests by method, route and status.
    pub requests: Arc<DurationFamily<3>>,
    /// Counts published events.
    pub events: Arc<CountedEvents>,
    /// Counts events that break the schema of their type.
    pub catalogue: Arc<Catalogue>,
    /// The store. Only methods that answer from memory are called.
    pub store: Arc<dyn StoreFigures>,
    /// The counts of the audit log.
    pub audit: Arc<CountedAudit>,
    /// The readings of the store.
    pub watch: Arc<StoreWatch>,
    /// The clock of all instances, and the machine's.
    pub clock: Arc<dyn Clock>,
    /// The age of the identity provider's keys, if there are any.
    pub identity_keys_age: Box<dyn Fn() -> Option<Duration> + Send + Sync>,
    /// Measures the disk, the backup and the certificate.
    pub surroundings: Box<dyn Fn() -> Surroundings + Send + Sync>,
    /// How many spans were sent and dropped.
    pub spans: Box<dyn Fn() -> SpanCounts + Send + Sync>,
}

/// The state of the machine that this instance depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    /// The free bytes on the disk of the database file.
    pub data_free_bytes: Option<u64>,
    /// When the last backup began; the beginning of 1970 before the first.
    pub last_backup: Option<Timestamp>,
    /// When the certificate in use expires.
    pub certificate_expires_at: Option<Timestamp>,
}

/// Writes the metrics on request.
pub struct Metrics(pub(crate) Sources);

impl Metrics {
    /// The metrics of these sources.
    pub fn new(sources: Sources) -> Arc<Self> {
        Arc::new(Self(sources))
    }

    /// All metrics. Does not wait for anything.
    pub(crate) fn write(&self, format: Format) -> String {
        let mut page = Page::new(format);
        page.numbers(&BUILD_INFO, [([self.0.build.version, self.0.build.commit], 1.0)]);
        process::write(&mut page);
        self.write_requests(&mut page);
        self.write_keys(&mut page);
        self.write_webhooks(&mut page);
        self.write_store(&mut page);
        self.write_others(&mut page);
        page.end()
    }

    fn write_requests(&self, page: &mut Page) {
        let read = self.0.requests.read();
        let labelled = |one: &'_ LabelledDurations<3>| (one.labels.clone(), one.durations.clone());
        page.durations(&REQUEST_DURATION, read.iter().map(labelled));
    }

    fn write_keys(&self, page: &mut Page) {
        let counts = self.0.verifier.counts();
        let results = [("good", counts.good), ("refused", counts.refused), ("failed", counts.failed)];
        page.numbers(&VERIFICATIONS, counted(results));
        let entries = [("good", counts.cached_good as u64), ("unknown", counts.cached_unknown as u64)];
        page.numbers(&KEY_CACHE_ENTRIES, counted(entries));
        page.number(&KEY_CACHE_HITS, exact(counts.hits));
        page.number(&KEY_CACHE_MISSES, exact(counts.misses));
        let evictions = [("changed", counts.evicted_as_changed), ("full", counts.evicted_for_room)];
        page.numbers(&KEY_CACHE_EVICTIONS, counted(evictions));
        page.number(&CHANGE_FEED_AGE, self.0.verifier.feed_age().map(seconds));
    }

    fn write_webhooks(&self, page: &mut Page) {
        let EventCounts { accepted, duplicate, conflict, failed } = self.0.events.read();
        let results = [("accepted", accepted), ("duplicate", duplicate), ("conflict", conflict), ("failed", failed)];
        page.numbers(&EVENTS_PUBLISHED, counted(results));
        let invalid = self.0.catalogue.invalid_events();
        let of = |one: &'_ InvalidEventCounts| {
            let event_type = one.event_type.as_str().to_owned();
            [("warned", one.warned), ("refused", one.refused)]
                .map(|(result, count)| ([event_type.clone(), result.to_owned()], exact(count)))
        };
        page.numbers(&EVENTS_INVALID, invalid.iter().flat_map(of));
        let Some(dispatcher) = &self.0.dispatcher else { return };
        let (counts, durations) = (dispatcher.counts(), dispatcher.durations());
        let outcomes = [
            ("delivered", counts.delivered),
            ("failed", counts.failed),
            ("not_charged", counts.not_charged),
            ("cut_off", counts.cut_off),
        ];
        page.numbers(&ATTEMPTS, counted(outcomes));
        page.durations(&ATTEMPT_DURATION, [(UNLABELLED, durations.attempts)]);
        page.durations(&FIRST_ATTEMPT_DELAY, [(UNLABELLED, durations.first_delays)]);
    }

    fn write_store(&self, page: &mut Page) {
        if let Some(reading) = self.0.watch.latest() {
            write_reading(page, &reading);
        }
        let ProcessFigures { pools, log_bytes } = self.0.store.process_figures();
        page.numbers(&DATABASE_CONNECTIONS, pools.iter().flat_map(connections));
        page.durations(&DATABASE_WAIT, pools.iter().map(|pool| ([pool.name], waits(pool))));
        page.number(&SQLITE_WAL_BYTES, log_bytes.map(exact));
        let surroundings = (self.0.surroundings)();
        page.number(&DATA_FREE_BYTES, surroundings.data_free_bytes.map(exact));
        page.number(&LAST_BACKUP, surroundings.last_backup.map(since_1970));
        page.number(&CERTIFICATE_EXPIRY, surroundings.certificate_expires_at.map(since_1970));
    }

    fn write_others(&self, page: &mut Page) {
        page.numbers(&CLOCK_OFFSET, clock_offsets(&*self.0.clock));
        page.number(&IDENTITY_KEYS_AGE, (self.0.identity_keys_age)().map(seconds));
        let written: Vec<_> = self.0.audit.read().collect();
        page.numbers(&AUDIT_EVENTS, written.iter().map(|(action, count)| ([action.as_str()], exact(*count))));
        let SpanCounts { exported, dropped } = (self.0.spans)();
        page.numbers(&SPANS, counted([("exported", exported), ("dropped", dropped)]));
    }
}

/// Seconds since 1970; 0 for earlier times.
fn since_1970(at: Timestamp) -> f64 {
    seconds(Duration::from_millis(u64::try_from(at.unix_millis()).unwrap_or(0)))
}

/// How far each clock is ahead, in seconds, with its name.
fn clock_offsets(clock: &dyn Clock) -> Vec<([String; 1], f64)> {
    let machine = clock.machine_time().unix_millis() - clock.now().unix_millis();
    let servers = clock.servers_ahead().into_iter().map(|(server, ahead)| (format!("server_{server}"), ahead));
    let signed_seconds = |millis: i64| {
        let size = seconds(Duration::from_millis(millis.unsigned_abs()));
        if millis < 0 { -size } else { size }
    };
    let all = [("machine".to_owned(), machine)].into_iter().chain(servers);
    all.map(|(name, ahead)| ([name], signed_seconds(ahead))).collect()
}

fn write_reading(page: &mut Page, reading: &Reading) {
    let queue = &reading.queue;
    page.number(&DELIVERIES_WAITING, f64::from(queue.waiting));
    page.number(&OLDEST_DUE_AGE, seconds(reading.oldest_due_age));
    let lanes = [("open", queue.lanes.open), ("paused", queue.lanes.paused), ("closed", queue.lanes.closed)];
    page.numbers(&LANES, lanes.map(|(state, count)| ([state], f64::from(count))));
    page.numbers(&SUBSCRIPTIONS, subscriptions(queue).map(|(status, count)| ([state_of(status)], f64::from(count))));
    page.number(&SESSIONS, f64::from(reading.sessions));
    page.number(&STORE_READING_AGE, seconds(reading.age()));
    page.number(&OLDEST_SNAPSHOT_AGE, reading.server.oldest_snapshot.map(seconds));
}

/// The number of subscriptions with each status. A status that no subscription has counts 0, so that its metric exists
/// from the start.
fn subscriptions(queue: &QueueFigures) -> impl Iterator<Item = (SubscriptionStatus, u32)> {
    const DISABLED: fn(DisableReason) -> SubscriptionStatus = SubscriptionStatus::DisabledByService;
    let reasons = DisableReason::ALL.map(DISABLED);
    let known = [SubscriptionStatus::Enabled, SubscriptionStatus::DisabledByOwner].into_iter().chain(reasons);
    let absent = known.filter(|status| queue.subscriptions.iter().all(|(counted, _)| counted != status));
    queue.subscriptions.iter().copied().chain(absent.map(|status| (status, 0)))
}

fn counted<const N: usize>(counts: [(&'static str, u64); N]) -> [([&'static str; 1], f64); N] {
    counts.map(|(label, count)| ([label], exact(count)))
}

fn state_of(status: SubscriptionStatus) -> &'static str {
    status.disabled_by().map_or("enabled", DisabledBy::code)
}

fn connections(pool: &PoolFigures) -> [([&'static str; 2], f64); 3] {
    [("used", pool.used), ("idle", pool.idle), ("waiting", pool.waiting)]
        .map(|(state, count)| ([pool.name, state], exact(count as u64)))
}

fn waits(pool: &PoolFigures) -> DurationCounts {
    DurationCounts { bounds: POOL_WAIT_BOUNDS, counts: pool.waits.clone(), sum: pool.waited }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that is 7 s ahead, and two further servers.
    struct Clocks;

    impl Clock for Clocks {
        fn now(&self) -> Timestamp {
            Timestamp::MIN
        }

        fn machine_time(&self) -> Timestamp {
            Timestamp::MIN.plus(Duration::from_secs(7))
        }

        fn servers_ahead(&self) -> Vec<(usize, i64)> {
            vec![(2, 0), (3, -90_500)]
        }
    }

    #[test]
    fn every_clock_has_its_offset() {
        let named = |name: &str, offset| ([name.to_owned()], offset);
        let expected = [named("machine", 7.0), named("server_2", 0.0), named("server_3", -90.5)];
        assert_eq!(clock_offsets(&Clocks), expected);
    }
}
