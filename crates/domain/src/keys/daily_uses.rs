use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::ports::{StoreError, UsageRequest};
use crate::{ApiKey, Hour, HourRange, KeyId, Keys, OwnerId, Timestamp, UsageCounts};

/// How many days of uses are shown.
pub const USE_DAYS: usize = 30;
/// The most keys with shown uses.
pub const KEYS_WITH_USES_MAX: usize = 25;
const HOURS_OF_A_DAY: usize = 24;

/// How often keys were verified in each of the last [`USE_DAYS`] days of 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyUses {
    /// When the first day began.
    pub since: Timestamp,
    /// The keys, in the order of their last use, newest first, with one number for each day.
    pub keys: Vec<(KeyId, [u64; USE_DAYS])>,
}

impl Keys {
    /// How often the owner's good keys were found good, by the day. At most the [`KEYS_WITH_USES_MAX`] keys that were
    /// used or made last. The counts of the last seconds may be missing.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn daily_uses(&self, owner: &OwnerId) -> Result<DailyUses, StoreError> {
        let now = self.clock.now();
        let hours = HourRange::until(now, u32::try_from(USE_DAYS * HOURS_OF_A_DAY).unwrap_or(u32::MAX));
        let mut good: Vec<ApiKey> = self.list(owner).await?.into_iter().filter(|key| key.is_good(now)).collect();
        good.sort_by_key(|key| Reverse(key.last_used_at.unwrap_or(key.created_at)));
        let mut keys = Vec::new();
        for key in good.iter().take(KEYS_WITH_USES_MAX) {
            // `None` after a purge in the meantime.
            let request = UsageRequest { owner: owner.clone(), id: key.id, hours };
            let usage = self.stores.usage.usage(&request).await?.unwrap_or_default();
            keys.push((key.id, by_day(hours, &usage)));
        }
        Ok(DailyUses { since: hours.first.start(), keys })
    }
}

fn by_day(hours: HourRange, usage: &BTreeMap<Hour, UsageCounts>) -> [u64; USE_DAYS] {
    let mut days = [0; USE_DAYS];
    for (number, hour) in hours.hours().enumerate() {
        let good = usage.get(&hour).map_or(0, |counts| counts.good);
        if let Some(day) = days.get_mut(number / HOURS_OF_A_DAY) {
            *day += good;
        }
    }
    days
}
