use std::fmt;
use std::str::FromStr;

use crate::ports::Entropy;
use crate::{InvalidId, Timestamp};

/// Identifies one lease (a fencing token). A reader that has lost its lease cannot commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId(i64);

impl LeaseId {
    /// The ids, as a regular expression of JSON Schema.
    pub const PATTERN: &'static str = "^lease_[0-9a-f]{16}$";
    const PREFIX: &'static str = "lease_";

    /// A new random id.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 8];
        entropy.fill(&mut bytes);
        Self(i64::from_le_bytes(bytes))
    }

    /// The id with this number, which is how stores keep it.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// The number that stores keep.
    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{:016x}", Self::PREFIX, self.0)
    }
}

impl FromStr for LeaseId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let digits = text.strip_prefix(Self::PREFIX).filter(|digits| digits.len() == 16).ok_or(InvalidId)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let number = digits.bytes().all(is_digit).then(|| u64::from_str_radix(digits, 16).ok()).flatten();
        number.map(|number| Self(number.cast_signed())).ok_or(InvalidId)
    }
}

/// What a reader has received and not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The lease.
    pub id: LeaseId,
    /// The number of the last event that the reader has received.
    pub through: u64,
    /// When it ends if the reader does not commit; `None` after its commit, which may be repeated.
    pub until: Option<Timestamp>,
}

/// A reader's place in the log of a subscription.
///
/// This is the life of a consumer as a pure state machine. Stores keep the value and apply the transitions in a transaction
/// that has it locked. See decision 146.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consumer {
    /// The number of the last event that was handled. The next one is the first that is received.
    pub position: u64,
    /// The last lease, until a seek.
    pub lease: Option<Lease>,
}

/// The result of committing a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// The consumer after it.
    Done(Consumer),
    /// Another reader has received since, or the consumer was moved.
    LeaseLost,
    /// The lease does not cover the event.
    NotReceived,
}

impl Consumer {
    /// Until when another reader has the events; `None` if they can be received at `at`.
    pub fn leased_until(&self, at: Timestamp) -> Option<Timestamp> {
        self.lease.and_then(|lease| lease.until).filter(|until| *until > at)
    }

    /// The consumer after a reader has received the events up to the number `through`.
    #[must_use]
    pub const fn received(self, id: LeaseId, through: u64, until: Timestamp) -> Self {
        Self { position: self.position, lease: Some(Lease { id, through, until: Some(until) }) }
    }

    /// Commits the events up to the number `through`, which ends the lease; `None` commits none. A lease whose time has passed
    /// is still good until another reader receives. A repetition has no effect.
    pub fn committed(self, id: LeaseId, through: Option<u64>) -> Commit {
        let Some(lease) = self.lease.filter(|lease| lease.id == id) else { return Commit::LeaseLost };
        let ended = Lease { until: None, ..lease };
        let Some(through) = through else { return Commit::Done(Self { lease: Some(ended), ..self }) };
        match lease.until {
            None if through == self.position => Commit::Done(self),
            None => Commit::LeaseLost,
            Some(_) if through <= self.position || through > lease.through => Commit::NotReceived,
            Some(_) => Commit::Done(Self { position: through, lease: Some(ended) }),
        }
    }

    /// The consumer at this place, without a lease.
    pub const fn at(position: u64) -> Self {
        Self { position, lease: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::at;

    #[test]
    fn a_lease_is_committed_once_and_may_be_repeated() {
        let [one, two] = [1, 2].map(LeaseId::from_number);
        let leased = Consumer::at(4).received(one, 9, at(100));
        assert_eq!((leased.leased_until(at(99)), leased.leased_until(at(100))), (Some(at(100)), None));
        for through in [4, 10, 0] {
            assert_eq!(leased.committed(one, Some(through)), Commit::NotReceived);
        }
        assert_eq!(leased.committed(two, Some(6)), Commit::LeaseLost);
        let Commit::Done(committed) = leased.committed(one, Some(6)) else { panic!("the lease is good") };
        assert_eq!((committed.position, committed.leased_until(at(0))), (6, None));
        assert_eq!(committed.committed(one, Some(6)), Commit::Done(committed));
        assert_eq!(committed.committed(one, Some(7)), Commit::LeaseLost);
        let again = committed.received(two, 9, at(200));
        assert_eq!(again.committed(one, Some(6)), Commit::LeaseLost);
        assert_eq!(Consumer::at(2).committed(two, Some(3)), Commit::LeaseLost);
        let Commit::Done(given_back) = again.committed(two, None) else { panic!("the lease is good") };
        assert_eq!((given_back.position, given_back.leased_until(at(0))), (6, None));
        assert_eq!(again.committed(one, None), Commit::LeaseLost);
    }

    #[test]
    fn leases_are_written_and_read() {
        for number in [0, 1, -1, i64::MIN, i64::MAX] {
            let id = LeaseId::from_number(number);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for wrong in ["", "lease_", "lease_+00000000000000f", "lease_00000000000000F0", "lease_00000000000000000"] {
            assert_eq!(wrong.parse::<LeaseId>(), Err(InvalidId), "{wrong}");
        }
    }
}
