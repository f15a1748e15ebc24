use sha2::{Digest, Sha256};

use crate::OwnerId;

/// A number that stands for an owner in fair shares. Two owners with the same number, which is as rare as 1 in 2⁶⁴, get
/// one share together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerNumber(i64);

impl OwnerNumber {
    /// The number of this owner. Stores keep it with each lane, so it never changes.
    pub fn of(owner: &OwnerId) -> Self {
        // No issuer contains a line feed, so no other owner has the same bytes.
        let digest = Sha256::new().chain_update(owner.issuer()).chain_update("\n").chain_update(owner.subject());
        Self(digest.finalize().iter().take(8).fold(0, |number, byte| number << 8 | i64::from(*byte)))
    }

    /// The owner with this number, which is how stores keep it.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// The number that stores keep.
    pub const fn number(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_owner_is_the_start_of_a_digest() {
        let number = |issuer, subject| OwnerNumber::of(&OwnerId::new(issuer, subject).unwrap()).number();
        // printf 'https://id.example\nalice' | sha256sum
        assert_eq!(number("https://id.example", "alice"), 0x3457_94e1_bae0_6226);
        assert_ne!(number("https://id.example", "alice"), number("https://id.example/", "alice"));
        assert_ne!(number("ab", "c"), number("a", "bc"));
    }
}
