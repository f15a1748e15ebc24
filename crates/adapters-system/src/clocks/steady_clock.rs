use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::Timestamp;
use domain::ports::Clock;
use tokio::time::Instant;

use super::TOLERANCE;

/// The clock of a database that one process has to itself: the machine's clock, except that a large step back does not
/// move it. So a wait until a time does not become longer. The clock then runs at the monotonic rate until the
/// machine's clock is near again, or the process ends.
///
/// It follows a step forward at once, because the monotonic clock stops while the machine is suspended.
pub struct SteadyClock {
    machine: Arc<dyn Clock>,
    start: Instant,
    /// The time at `start`, in milliseconds since 1970.
    at_start: AtomicI64,
    /// How far the machine's clock has stepped back, in milliseconds, or 0.
    behind: AtomicI64,
}

impl SteadyClock {
    /// A clock with the machine's time.
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        let (start, at_start) = (Instant::now(), AtomicI64::new(machine.now().unix_millis()));
        Self { machine, start, at_start, behind: AtomicI64::new(0) }
    }

    /// Notes how far the machine's clock is behind. Logs when it begins to be wrong, and when it is right again.
    fn compare(&self, behind: i64) {
        let was_behind = self.behind.swap(behind, Ordering::Relaxed);
        if behind > 0 && was_behind == 0 {
            tracing::warn!(
                seconds = behind / 1_000,
                "the clock of this machine was set back; Gatepost goes on with the time that it had, until it restarts"
            );
        } else if behind == 0 && was_behind > 0 {
            tracing::info!("Gatepost follows the clock of this machine again");
        }
    }
}

impl Clock for SteadyClock {
    fn now(&self) -> Timestamp {
        let machine = self.machine.now();
        let elapsed = i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX);
        let steady = self.at_start.load(Ordering::Relaxed).saturating_add(elapsed);
        let behind = steady - machine.unix_millis();
        if u128::try_from(behind).is_ok_and(|behind| behind > TOLERANCE.as_millis()) {
            self.compare(behind);
            return Timestamp::from_unix_millis(steady).unwrap_or(Timestamp::MAX);
        }
        self.at_start.store(machine.unix_millis() - elapsed, Ordering::Relaxed);
        if self.behind.load(Ordering::Relaxed) > 0 {
            self.compare(0);
        }
        machine
    }

    /// A step back is more often a correction than a fault, and other systems use the right time.
    fn world_time(&self) -> Timestamp {
        self.machine.now()
    }

    fn machine_time(&self) -> Timestamp {
        self.machine.now()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::memory::ManualClock;
    use tokio::time::advance;

    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_unix_millis(1_795_225_323_120).unwrap().plus(Duration::from_millis(millis))
    }

    fn clock() -> (Arc<ManualClock>, SteadyClock) {
        let machine = Arc::new(ManualClock::new(at(0)));
        let clock = SteadyClock::new(Arc::clone(&machine) as _);
        (machine, clock)
    }

    async fn pass(machine: &ManualClock, millis: u64) {
        machine.advance(Duration::from_millis(millis));
        advance(Duration::from_millis(millis)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_step_back_does_not_move_it() {
        let (machine, clock) = clock();
        pass(&machine, 1_000).await;
        assert_eq!(clock.now(), at(1_000));
        machine.step_back(DAY);
        assert_eq!(clock.now(), at(1_000));
        pass(&machine, 60_000).await;
        assert_eq!(clock.now(), at(61_000), "it goes on");
        assert_eq!(clock.world_time(), at(61_000).minus(DAY));
        assert_eq!(clock.behind.load(Ordering::Relaxed), 24 * 3_600_000);
        machine.advance(DAY);
        pass(&machine, 1_000).await;
        assert_eq!(clock.now(), at(62_000));
        assert_eq!(clock.behind.load(Ordering::Relaxed), 0, "it follows the machine again");
    }

    #[tokio::test(start_paused = true)]
    async fn it_follows_small_corrections_and_every_step_forward() {
        let (machine, clock) = clock();
        machine.step_back(Duration::from_secs(5));
        assert_eq!(clock.now(), at(0).minus(Duration::from_secs(5)));
        machine.step_back(Duration::from_secs(5));
        assert_eq!(clock.now(), at(0).minus(Duration::from_secs(10)), "small corrections do not add up");
        machine.advance(DAY);
        assert_eq!(clock.now(), at(0).minus(Duration::from_secs(10)).plus(DAY));
    }
}
