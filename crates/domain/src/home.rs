use sha2::{Digest, Sha256};

use crate::{CredentialDigest, OwnerId};

/// Where an owner is at home in a store that is composed of several: one of [`Home::COUNT`] places, by a hash of the
/// owner's issuer and subject that never changes. A store has many homes and an owner has one, so each owner is in one
/// store. See decision 96.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Home(u16);

impl Home {
    /// The number of homes, which fill 12 bits of an id.
    pub const COUNT: u16 = 4_096;

    /// The home of this owner.
    pub fn of(owner: &OwnerId) -> Self {
        // No issuer contains a line feed, so no other owner has the same bytes.
        let hashed = Sha256::new().chain_update("gatepost home\n").chain_update(owner.issuer()).chain_update("\n");
        Self::from_start(&hashed.chain_update(owner.subject()).finalize().into())
    }

    /// The home that the digest of a secret names. Secrets are drawn so that this home is in the store of their owner:
    /// see decision 102. The digest of any other string names a random home.
    pub fn of_digest(digest: &CredentialDigest) -> Self {
        Self::from_start(digest.as_bytes())
    }

    /// The last 12 bits of the first 16.
    fn from_start(digest: &[u8; 32]) -> Self {
        Self(u16::from_be_bytes([digest[0], digest[1]]) % Self::COUNT)
    }

    /// The home with this number, which is how ids carry it; `None` if there is none.
    pub const fn from_number(number: u16) -> Option<Self> {
        if number < Self::COUNT { Some(Self(number)) } else { None }
    }

    /// The number that ids carry.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The store of this home among `shards` stores, from 0. The homes of a store are consecutive, and the numbers of
    /// homes of any two stores differ by one at most.
    pub fn shard(self, shards: usize) -> usize {
        usize::from(self.0) * shards / usize::from(Self::COUNT)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn home(issuer: &str, subject: &str) -> u16 {
        Home::of(&OwnerId::new(issuer, subject).unwrap()).number()
    }

    /// Stored data is found by the home, so it never changes.
    #[test]
    fn the_home_of_an_owner_is_the_start_of_a_digest() {
        // printf 'gatepost home\nhttps://id.example\nalice' | sha256sum
        assert_eq!(home("https://id.example", "alice"), 0xc52);
        assert_ne!(home("https://id.example", "alice"), home("https://id.example/", "alice"));
        assert_ne!(home("ab", "c"), home("a", "bc"));
    }

    #[test]
    fn a_digest_names_a_home_by_the_same_bits() {
        let mut digest = [0xff; 32];
        (digest[0], digest[1]) = (0xac, 0x52);
        assert_eq!(Home::of_digest(&CredentialDigest::from_bytes(digest)).number(), 0xc52);
    }

    #[test]
    fn every_shard_has_its_part_of_the_homes() {
        let homes = || (0..Home::COUNT).filter_map(Home::from_number);
        assert_eq!((homes().count(), Home::from_number(Home::COUNT)), (4_096, None));
        for shards in [1, 2, 3, 16, 100, 256] {
            let mut counts = vec![0; shards];
            homes().for_each(|home| counts[home.shard(shards)] += 1);
            let different: BTreeSet<i32> = counts.into_iter().collect();
            assert!(different.first().unwrap() + 1 >= *different.last().unwrap(), "{shards}: {different:?}");
        }
    }

    #[test]
    fn owners_spread_over_the_shards() {
        let mut counts = [0; 16];
        for n in 0..16_000 {
            let owner = OwnerId::new("https://id.example", format!("user-{n}")).unwrap();
            counts[Home::of(&owner).shard(16)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
