/// The cap of a new lane.
pub(crate) const CAP_START: u32 = 8;
const CAP_MAX: u32 = 128;

/// How many attempts of a lane may be in progress. The cap adapts to the capacity of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneCap {
    cap: u32,
    /// Successes since the cap last changed.
    successes: u32,
}

impl Default for LaneCap {
    fn default() -> Self {
        Self { cap: CAP_START, successes: 0 }
    }
}

impl LaneCap {
    /// The most attempts at a time.
    pub(crate) fn get(self) -> u32 {
        self.cap
    }

    /// Counts a success. A number of successes that equals the cap raises it by one.
    pub(crate) fn succeed(&mut self) {
        self.successes += 1;
        if self.successes >= self.cap {
            *self = Self { cap: CAP_MAX.min(self.cap + 1), successes: 0 };
        }
    }

    /// Counts a failure, which halves the cap, but not below 1.
    pub(crate) fn fail(&mut self) {
        *self = Self { cap: (self.cap / 2).max(1), successes: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ends: &[(u32, bool)]) -> u32 {
        let mut cap = LaneCap::default();
        for (count, is_success) in ends {
            (0..*count).for_each(|_| if *is_success { cap.succeed() } else { cap.fail() });
        }
        cap.get()
    }

    #[test]
    fn the_cap_grows_by_one_with_each_full_round_and_halves_at_each_failure() {
        const OK: bool = true;
        const FAILED: bool = false;
        for (ends, cap) in [
            (&[][..], 8),
            (&[(7, OK)], 8),
            (&[(8, OK)], 9),
            (&[(8 + 9, OK)], 10),
            (&[(100_000, OK)], 128),
            (&[(1, FAILED)], 4),
            (&[(2, FAILED)], 2),
            (&[(100, FAILED)], 1),
            (&[(100_000, OK), (1, FAILED)], 64),
            // A failure restarts the count.
            (&[(7, OK), (1, FAILED), (3, OK)], 4),
            (&[(7, OK), (1, FAILED), (4, OK)], 5),
            (&[(5, FAILED), (1, OK)], 2),
        ] {
            assert_eq!(after(ends), cap, "{ends:?}");
        }
    }
}
