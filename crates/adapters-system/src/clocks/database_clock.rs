use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::Timestamp;
use domain::ports::Clock;
use tokio::time::Instant;

use super::TOLERANCE;

/// A reading of the database's clock that took longer is ignored.
const ROUND_TRIP_MAX: Duration = Duration::from_secs(2);
/// If the machine's clock moves by more than this against the monotonic one, the machine was suspended, or its clock
/// was set. Only the next reading shows which.
const JUMP_MAX_MILLIS: i64 = 1_000;

/// The clock of a database that several instances share: the monotonic clock of this machine, set by readings of the
/// database's clock. Before the first reading it has the machine's time, and is not certain.
///
/// A reading only shows between which two moments the database had its time. So the clock is set only when the reading
/// proves it wrong, and by as little as possible.
pub struct DatabaseClock {
    machine: Arc<dyn Clock>,
    start: Instant,
    /// The database's time at `start`, in microseconds since 1970.
    at_start: AtomicI64,
    /// How far the machine's clock was ahead at the last reading, in milliseconds.
    machine_ahead: AtomicI64,
    is_known: AtomicBool,
    /// Whether the log says that the machine's clock is wrong.
    is_reported: AtomicBool,
    /// How far the clocks of further servers are ahead of this one, in milliseconds.
    servers_ahead: Mutex<BTreeMap<usize, i64>>,
}

/// When a reading of the database's time began.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    instant: Instant,
    machine: Timestamp,
}

impl DatabaseClock {
    /// A clock without a reading.
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        let (start, at_start) = (Instant::now(), AtomicI64::new(micros(machine.now())));
        let (is_known, is_reported) = (AtomicBool::new(false), AtomicBool::new(false));
        let (machine_ahead, servers_ahead) = (AtomicI64::new(0), Mutex::default());
        Self { machine, start, at_start, machine_ahead, is_known, is_reported, servers_ahead }
    }

    /// Whether a reading has set the clock.
    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    /// Call this before the call that reads the time of the database.
    pub(super) fn ask(&self) -> Asked {
        Asked { instant: Instant::now(), machine: self.machine.now() }
    }

    /// Takes a reading: the database had this time at a moment since `asked`.
    pub(super) fn follow(&self, asked: Asked, database: Timestamp) {
        if let Some(answered) = self.sound_answer(asked) {
            self.set(asked.instant, answered.instant, database);
            self.compare(answered.machine.unix_millis() - self.now().unix_millis());
        }
    }

    /// Takes a reading of another server, which does not set this clock: the server had this time at a moment since
    /// `asked`. Logs when its clock begins to be wrong, and when it is right again.
    pub(super) fn compare_server(&self, server: usize, asked: Asked, theirs: Timestamp) {
        let Some(answered) = self.sound_answer(asked).filter(|_| self.is_known()) else { return };
        let (earliest, latest) = (self.at(asked.instant), self.at(answered.instant));
        let ahead = theirs.unix_millis() - theirs.clamp(earliest, latest).unix_millis();
        let mut servers = self.servers_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        let before = servers.insert(server, ahead).unwrap_or_default();
        if is_wrong(ahead) && !is_wrong(before) {
            tracing::warn!(
                server,
                ahead_seconds = ahead / 1_000,
                "the clock of this database server differs from the first one's, by which the instances go"
            );
        } else if is_wrong(before) && !is_wrong(ahead) {
            tracing::info!(server, "the clock of this database server agrees with the first one's again");
        }
    }

    /// The end of a call that began when it was `asked`, if the reading counts.
    fn sound_answer(&self, asked: Asked) -> Option<Asked> {
        let answered = self.ask();
        let round_trip = answered.instant - asked.instant;
        let machine_round_trip = answered.machine.unix_millis() - asked.machine.unix_millis();
        // The machine may have been suspended since the database answered.
        let is_sound =
            round_trip <= ROUND_TRIP_MAX && (machine_round_trip - millis(round_trip)).abs() <= JUMP_MAX_MILLIS;
        is_sound.then_some(answered)
    }

    /// The time at this instant.
    fn at(&self, instant: Instant) -> Timestamp {
        let micros = self.at_start.load(Ordering::Relaxed) + since(self.start, instant);
        Timestamp::from_unix_millis(micros.div_euclid(1_000)).unwrap_or(Timestamp::MAX)
    }

    fn set(&self, asked: Instant, answered: Instant, database: Timestamp) {
        let at_start = |instant: Instant| micros(database) - since(self.start, instant);
        // The database's time has no fractions of a millisecond.
        let (earliest, latest) = (at_start(answered), at_start(asked) + 1_000);
        let before = self.at_start.load(Ordering::Relaxed);
        let after = before.clamp(earliest, latest);
        self.at_start.store(after, Ordering::Relaxed);
        let was_known = self.is_known.swap(true, Ordering::Relaxed);
        let seconds = (after - before) / 1_000_000;
        if was_known && seconds.unsigned_abs() > TOLERANCE.as_secs() {
            tracing::warn!(seconds, "the time has moved: the database's clock was set, or this machine was suspended");
        }
    }

    /// Notes how far the machine's clock is ahead. Logs when it begins to be wrong, and when it is right again.
    fn compare(&self, ahead: i64) {
        self.machine_ahead.store(ahead, Ordering::Relaxed);
        let is_wrong = is_wrong(ahead);
        let was_wrong = self.is_reported.swap(is_wrong, Ordering::Relaxed);
        if is_wrong && !was_wrong {
            tracing::warn!(
                ahead_seconds = ahead / 1_000,
                "the clock of this machine differs from the database's; this instance goes by the database's clock"
            );
        } else if was_wrong && !is_wrong {
            tracing::info!("the clock of this machine agrees with the database's again");
        }
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        self.at(Instant::now())
    }

    fn machine_time(&self) -> Timestamp {
        self.machine.now()
    }

    fn is_certain(&self) -> bool {
        let ahead = self.machine.now().unix_millis() - self.now().unix_millis();
        let jump = ahead - self.machine_ahead.load(Ordering::Relaxed);
        self.is_known.load(Ordering::Relaxed) && jump.abs() <= JUMP_MAX_MILLIS
    }

    fn servers_ahead(&self) -> Vec<(usize, i64)> {
        let servers = self.servers_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        servers.iter().map(|(server, ahead)| (*server, *ahead)).collect()
    }
}

/// Whether a clock that is this number of milliseconds ahead is reported.
fn is_wrong(ahead: i64) -> bool {
    u128::from(ahead.unsigned_abs()) > TOLERANCE.as_millis()
}

fn micros(time: Timestamp) -> i64 {
    time.unix_millis() * 1_000
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Microseconds from `start` to `instant`.
fn since(start: Instant, instant: Instant) -> i64 {
    i64::try_from((instant - start).as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use domain::memory::ManualClock;
    use tokio::time::advance;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(1_795_225_323_120 + millis).unwrap()
    }

    /// A machine, and the clock of a database that shows `at(0)` when the test starts.
    fn clock(machine_ahead: i64) -> (Arc<ManualClock>, DatabaseClock) {
        let machine = Arc::new(ManualClock::new(at(machine_ahead)));
        let clock = DatabaseClock::new(Arc::clone(&machine) as _);
        (machine, clock)
    }

    async fn pass(machine: &ManualClock, duration: Duration) {
        machine.advance(duration);
        advance(duration).await;
    }

    /// A call that takes 20 ms, of which the database reads its clock after 5 ms.
    async fn read(machine: &ManualClock, clock: &DatabaseClock, database: i64) {
        let asked = clock.ask();
        pass(machine, Duration::from_millis(20)).await;
        clock.follow(asked, at(database + 5));
    }

    #[tokio::test(start_paused = true)]
    async fn it_follows_the_database_from_the_first_reading_on() {
        for ahead in [90_000, -90_000, 86_400_000] {
            let (machine, clock) = clock(ahead);
            assert!(!clock.is_certain());
            assert_eq!(clock.now(), at(ahead));
            read(&machine, &clock, 0).await;
            assert!(clock.is_certain());
            let error = clock.now().unix_millis() - at(20).unix_millis();
            assert!((-15..=6).contains(&error), "the reading has bounds: {error}");
            pass(&machine, Duration::from_mins(10)).await;
            assert_eq!(clock.now().unix_millis() - at(600_020).unix_millis(), error, "it goes at the monotonic rate");
            assert_eq!((clock.machine_time(), clock.world_time()), (at(600_020 + ahead), clock.now()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_reading_that_fits_changes_nothing() {
        let (machine, clock) = clock(3);
        for round in 0..100 {
            read(&machine, &clock, round * 20).await;
            assert_eq!(clock.now(), at(3 + (round + 1) * 20));
        }
    }

    /// A jump of the machine's clock does not move the time, but may mean that the machine was suspended.
    #[tokio::test(start_paused = true)]
    async fn a_jump_of_the_machines_clock_makes_it_uncertain_until_the_next_reading() {
        let (machine, clock) = clock(0);
        read(&machine, &clock, 0).await;
        machine.step_back(Duration::from_hours(24));
        assert!(!clock.is_certain());
        assert_eq!(clock.now(), at(20));
        read(&machine, &clock, 20).await;
        assert!(clock.is_certain());
        machine.advance(Duration::from_hours(25));
        assert!(!clock.is_certain());
        assert_eq!(clock.now(), at(40));
        read(&machine, &clock, 3_600_040).await;
        assert!(clock.is_certain());
        assert!(clock.now() >= at(3_600_045), "the machine was suspended for an hour: {}", clock.now());
    }

    #[tokio::test(start_paused = true)]
    async fn a_reading_that_took_long_or_spans_a_suspension_is_ignored() {
        let (machine, clock) = clock(7_000);
        let asked = clock.ask();
        pass(&machine, Duration::from_millis(2_001)).await;
        clock.follow(asked, at(0));
        assert!(!clock.is_certain());
        let asked = clock.ask();
        machine.advance(Duration::from_mins(1));
        clock.follow(asked, at(0));
        assert!(!clock.is_certain());
        assert_eq!(clock.now(), at(9_001));
    }

    #[tokio::test(start_paused = true)]
    async fn each_further_server_is_compared_and_sets_nothing() {
        let (machine, clock) = clock(0);
        let compare = async |server, theirs| {
            let asked = clock.ask();
            pass(&machine, Duration::from_millis(20)).await;
            clock.compare_server(server, asked, at(theirs));
        };
        compare(2, 7_000).await;
        assert_eq!(clock.servers_ahead(), [], "the time is not known yet");
        read(&machine, &clock, 20).await;
        compare(2, 50).await;
        compare(3, 60 + 90_000).await;
        compare(4, 80 - 6_000).await;
        assert_eq!(clock.servers_ahead(), [(2, 0), (3, 89_980), (4, -6_000)], "a reading has bounds");
        assert_eq!(clock.now(), at(100), "by the first server alone");
        let asked = clock.ask();
        pass(&machine, ROUND_TRIP_MAX + Duration::from_millis(1)).await;
        clock.compare_server(3, asked, at(0));
        assert_eq!(clock.servers_ahead()[1], (3, 89_980), "a reading that took long says too little");
        compare(3, 2_105).await;
        assert_eq!(clock.servers_ahead()[1], (3, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn it_reports_a_wrong_machine_once_and_its_end_once() {
        let (machine, clock) = clock(6_000);
        let is_reported = || clock.is_reported.load(Ordering::Relaxed);
        read(&machine, &clock, 0).await;
        assert!(is_reported());
        machine.step_back(Duration::from_millis(5_900));
        read(&machine, &clock, 20).await;
        assert!(!is_reported());
    }
}
