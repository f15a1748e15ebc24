/// Counts the failures of a repeated call, so that the log has one line at the first failure and one at the next
/// success, and not one for each failure.
#[derive(Clone, Copy, Debug, Default)]
pub struct FailuresInARow(u32);

impl FailuresInARow {
    /// Counts a failure. Returns whether it is the first since the last success.
    pub fn count(&mut self) -> bool {
        self.0 = self.0.saturating_add(1);
        self.0 == 1
    }

    /// How many failures there were since the last success.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Notes a success. Returns how many failures it ends; `None` if there were none.
    pub fn end(&mut self) -> Option<u32> {
        Some(std::mem::take(&mut self.0)).filter(|failures| *failures > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_and_the_end_are_reported_once() {
        let mut failures = FailuresInARow::default();
        assert_eq!(failures.end(), None);
        assert_eq!([failures.count(), failures.count(), failures.count()], [true, false, false]);
        assert_eq!([failures.end(), failures.end()], [Some(3), None]);
        assert!(failures.count());
        assert_eq!(failures.get(), 1);
    }
}
