use std::time::Duration;

use crate::Timestamp;

/// The most deliveries of a subscription in a second, over all instances. Each attempt counts, also that of a retry.
///
/// A claim takes at most a twentieth of the deliveries of a second, and one at least. Then the lane rests for the time that
/// the rate gives to the deliveries that were taken. So in no second more than 1.1 × rate + 1 deliveries start, if none starts
/// later after its claim than others by more than [`DeliveryRate::LATE_MAX`]. See decision 138.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryRate {
    /// In a thousand seconds.
    thousandths: u32,
}

/// The rate is too low or too high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number from 0.1 to 1000")]
pub struct InvalidDeliveryRate;

impl DeliveryRate {
    /// The lowest rate: one delivery in ten seconds.
    pub const MIN: Self = Self { thousandths: 100 };
    /// The highest rate.
    pub const MAX: Self = Self { thousandths: 1_000_000 };
    /// How much later than usual after its claim a delivery may start.
    pub const LATE_MAX: Duration = Duration::from_millis(40);
    /// By how much a late claim is forgiven, so that a lane loses no time between its claims.
    const FORGIVEN: Duration = Duration::from_millis(10);
    /// A claim takes at most this part of what a second may have.
    const CLAIMS_PER_SECOND: u32 = 20;

    /// This number of deliveries in a second, rounded to three decimal places.
    ///
    /// # Errors
    ///
    /// See [`InvalidDeliveryRate`].
    pub fn new(per_second: f64) -> Result<Self, InvalidDeliveryRate> {
        if !(Self::MIN.per_second()..=Self::MAX.per_second()).contains(&per_second) {
            return Err(InvalidDeliveryRate);
        }
        // By way of a string, because `as` would hide a loss.
        let thousandths = format!("{:.0}", per_second * 1_000.0).parse();
        thousandths.map(|thousandths| Self { thousandths }).map_err(|_| InvalidDeliveryRate)
    }

    /// How many deliveries in a second.
    pub fn per_second(self) -> f64 {
        f64::from(self.thousandths) / 1_000.0
    }

    /// The most deliveries in one claim.
    pub const fn claim_max(self) -> u32 {
        self.thousandths.div_ceil(1_000 * Self::CLAIMS_PER_SECOND)
    }

    /// Until when the lane rests after a claim at `at` has taken this many deliveries, if it rested until `before`.
    pub fn rests_until(self, before: Option<Timestamp>, at: Timestamp, taken: u32) -> Timestamp {
        let since = before.unwrap_or(Timestamp::MIN).max(at.minus(Self::FORGIVEN));
        since.plus(self.time_of(taken))
    }

    /// Until when a lane that rested until `before` rests after it got this rate at `at`: no longer than for one delivery.
    pub fn rests_after_change(self, before: Option<Timestamp>, at: Timestamp) -> Option<Timestamp> {
        before.map(|before| before.min(at.plus(self.time_of(1))))
    }

    /// The time that the rate gives to this many deliveries, in whole milliseconds.
    fn time_of(self, count: u32) -> Duration {
        Duration::from_millis((u64::from(count) * 1_000_000).div_ceil(self.thousandths.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::at;

    fn rate(per_second: f64) -> DeliveryRate {
        DeliveryRate::new(per_second).unwrap()
    }

    #[test]
    fn a_rate_comes_back_as_it_was_given() {
        for good in [0.1, 0.15, 0.333, 1.0, 2.5, 19.999, 333.3, 999.999, 1_000.0] {
            assert_eq!(rate(good).per_second().to_bits(), f64::to_bits(good), "{good}");
        }
        for (given, kept) in [(2.000_4, 2.0), (2.000_6, 2.001)] {
            assert_eq!(rate(given).per_second().to_bits(), f64::to_bits(kept), "{given}");
        }
        for wrong in [0.0, -1.0, 0.099_9, 1_000.000_1, 1e9, f64::NAN, f64::INFINITY] {
            assert_eq!(DeliveryRate::new(wrong), Err(InvalidDeliveryRate), "{wrong}");
        }
    }

    #[test]
    fn a_claim_takes_a_tenth_of_a_second_at_most_and_one_at_least() {
        for (per_second, most) in [(0.1, 1), (1.0, 1), (20.0, 1), (20.5, 2), (99.9, 5), (1_000.0, 50)] {
            assert_eq!(rate(per_second).claim_max(), most, "{per_second}");
            assert!(f64::from(most) <= (per_second / 10.0).max(1.0));
        }
    }

    #[test]
    fn a_lane_rests_for_what_was_taken_and_saves_nothing_up() {
        assert_eq!(rate(0.1).rests_until(Some(at(500)), at(500), 1), at(10_500));
        assert_eq!(rate(3.0).rests_until(Some(at(500)), at(500), 1), at(834), "never too early");
        assert_eq!(rate(100.0).rests_until(Some(at(500)), at(507), 5), at(550), "a late claim loses no time");
        assert_eq!(rate(100.0).rests_until(Some(at(500)), at(9_000), 5), at(9_040));
        assert_eq!(rate(100.0).rests_until(None, at(9_000), 5), at(9_040));
    }

    #[test]
    fn a_new_rate_holds_from_the_next_claim() {
        assert_eq!(rate(10.0).rests_after_change(Some(at(9_000)), at(1_000)), Some(at(1_100)));
        assert_eq!(rate(0.1).rests_after_change(Some(at(1_500)), at(1_000)), Some(at(1_500)));
        assert_eq!(rate(0.1).rests_after_change(None, at(1_000)), None);
    }

    /// Claims of several instances, each as early as it may or late, with the latest starts: the greediest second.
    #[test]
    fn no_second_has_more_than_the_promise() {
        for thousandths in (100..=1_000_000).step_by(77) {
            let rate = DeliveryRate { thousandths };
            let (mut rests_until, mut starts) = (None, Vec::new());
            let late = i64::try_from(DeliveryRate::LATE_MAX.as_millis()).unwrap();
            let mut now = 0_i64;
            for claim in 0..64_i64 {
                let claimed = at(now);
                // The first one starts as late as it may, the others at once.
                starts.push((now + if claim == 0 { late } else { 0 }, rate.claim_max()));
                let until = rate.rests_until(rests_until, claimed, rate.claim_max());
                now = until.unix_millis() + if claim == 1 { 10 } else { 0 };
                rests_until = Some(until);
            }
            for (first, _) in &starts {
                let second = starts.iter().filter(|(start, _)| (*first..first + 1_000).contains(start));
                let count: u32 = second.map(|(_, count)| count).sum();
                assert!(f64::from(count) <= 1.1 * rate.per_second() + 1.0, "{count} at {rate:?}");
            }
        }
    }
}
