//! The clocks of processes in the simulation: each machine's clock is wrong by some amount, and is set now and then. The
//! processes follow the clock of the database, as the product does.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use adapters_system::{DatabaseClock, FollowedFeed};
use async_trait::async_trait;
use domain::Timestamp;
use domain::ports::{BoxError, ChangeFeed, Clock, CredentialChanges, FeedPosition, FeedRead, StoreError};
use tokio::time::sleep;

use crate::world::{World, millis};

/// How long a reading of the database's clock takes at most, which is how wrong a process may be.
pub(crate) const READING_MAX: Duration = Duration::from_millis(200);
/// How often a process reads the clock of the database.
const READ_EVERY: Duration = Duration::from_secs(2);

/// How far machines are ahead, in milliseconds.
const AHEAD: [i64; 6] = [0, 300, 90_000, -90_000, 86_400_000, -86_400_000];

/// The clock of a machine: wrong by a fixed amount until it is set.
struct MachineClock {
    world: Arc<World>,
    ahead: AtomicI64,
}

impl Clock for MachineClock {
    fn now(&self) -> Timestamp {
        let millis = self.world.clock.now().unix_millis() + self.ahead.load(Ordering::SeqCst);
        Timestamp::from_unix_millis(millis).unwrap()
    }
}

/// A slow connection to the database, which fails at times. Its feed has no changes.
struct SlowFeed(Arc<World>);

#[async_trait]
impl ChangeFeed for SlowFeed {
    async fn changes_since(&self, _: Option<&FeedPosition>, _: u32) -> Result<FeedRead, StoreError> {
        let half = u64::try_from(READING_MAX.as_millis()).unwrap() / 2;
        sleep(millis(self.0.draw(half))).await;
        let at = self.0.clock.now();
        sleep(millis(self.0.draw(half))).await;
        if self.0.draw(10) == 0 {
            return Err(StoreError::Unavailable(BoxError::from("the line is cut")));
        }
        Ok(FeedRead { changes: CredentialChanges::Of(Vec::new()), position: FeedPosition::new(""), at })
    }

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The clock of one process, and the machine that it runs on.
pub(crate) struct ProcessClock {
    world: Arc<World>,
    machine: Arc<MachineClock>,
    pub(crate) clock: Arc<DatabaseClock>,
}

impl ProcessClock {
    pub(crate) fn draw(world: &Arc<World>) -> Self {
        let ahead = AtomicI64::new(world.draw_from(&AHEAD));
        let machine = Arc::new(MachineClock { world: world.clone(), ahead });
        let clock = Arc::new(DatabaseClock::new(machine.clone()));
        Self { world: world.clone(), machine, clock }
    }

    /// Follows the database for the life of the process. At times the clock of the machine is set.
    pub(crate) async fn follow(&self) {
        let feed = FollowedFeed::new(Arc::new(SlowFeed(self.world.clone())), self.clock.clone());
        loop {
            let _ = feed.changes_since(None, 0).await;
            sleep(READ_EVERY).await;
            if self.world.draw(30) == 0 {
                self.machine.ahead.store(self.world.draw_from(&AHEAD), Ordering::SeqCst);
            }
        }
    }
}
