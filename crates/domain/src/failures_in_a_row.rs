use std::error::Error;

/// An outcome that the log reports.
#[derive(Debug)]
pub enum Streak<'a> {
    /// The first failure since the last success.
    Began(&'a (dyn Error + 'static)),
    /// The first success after this number of failures.
    Ended(u32),
}

/// Counts the failures of a repeated call, so that the log has one line at the first failure and one at the next
/// success, and not one for each failure.
#[derive(Clone, Copy, Debug, Default)]
pub struct FailuresInARow(u32);

impl FailuresInARow {
    /// Notes an outcome. Returns what the log reports: the first of several failures, or their end.
    pub fn note<'a, E: Error + 'static>(&mut self, outcome: &'a Result<(), E>) -> Option<Streak<'a>> {
        match outcome {
            Err(error) => self.count().then_some(Streak::Began(error)),
            Ok(()) => self.end().map(Streak::Ended),
        }
    }

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
    use std::fmt;

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

    #[test]
    fn the_log_reports_the_first_failure_and_the_end() {
        let mut failures = FailuresInARow::default();
        let [worked, failed] = [Ok(()), Err(fmt::Error)];
        assert!(failures.note(&worked).is_none());
        assert!(matches!(failures.note(&failed), Some(Streak::Began(_))));
        assert!(failures.note(&failed).is_none());
        assert!(matches!(failures.note(&worked), Some(Streak::Ended(2))));
        assert!(failures.note(&worked).is_none());
    }
}
