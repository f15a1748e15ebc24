use crate::{CredentialDigest, Home, OwnerId};

/// How many secrets are drawn for each store before the search ends. The chance that none of them fits is e^-64: then
/// the source of randomness is broken, which an endless search would hide.
const DRAWS_FOR_EACH: u32 = 64;

/// How new keys, sessions and subscriptions name their store. See decisions 96 and 102.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Not at all: there is one store.
    #[default]
    OneStore,
    /// Ids carry the home of the owner, and the digests of secrets name a home in the owner's store, which is one of
    /// this number.
    Shards(u16),
}

impl Placement {
    /// Draws secrets until the digest of one names the store of this owner.
    ///
    /// Each draw is a whole new secret, so all secrets that fit are equally likely. Of *n* stores, one secret in *n*
    /// fits: the store of a secret gives away log2(*n*) of its bits.
    pub(crate) fn draw<Secret>(
        self,
        owner: &OwnerId,
        digest: impl Fn(&Secret) -> CredentialDigest,
        mut draw: impl FnMut() -> Secret,
    ) -> Secret {
        let mut secret = draw();
        let Self::Shards(shards) = self else { return secret };
        let (shard, count) = (Home::of(owner).shard(shards.into()), u32::from(shards) * DRAWS_FOR_EACH);
        for _ in 1..count {
            if Home::of_digest(&digest(&secret)).shard(shards.into()) == shard {
                break;
            }
            secret = draw();
        }
        secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws digests one after the other. Their first byte counts up.
    fn drawn(subject: &str, placement: Placement) -> CredentialDigest {
        let (owner, mut bytes) = (OwnerId::new("https://id.example", subject).unwrap(), [0; 32]);
        placement.draw(
            &owner,
            |digest| *digest,
            || {
                bytes[0] += 1;
                CredentialDigest::from_bytes(bytes)
            },
        )
    }

    #[test]
    fn the_first_secret_of_the_store_of_the_owner_is_taken() {
        // The home of alice is 0xc52. The home that a digest names begins with the last four bits of its first byte.
        for (placement, first_byte) in [
            (Placement::OneStore, 1),
            (Placement::Shards(1), 1),
            (Placement::Shards(2), 0x8),
            (Placement::Shards(3), 0xb),
            (Placement::Shards(16), 0xc),
        ] {
            assert_eq!(drawn("alice", placement).as_bytes()[0], first_byte, "{placement:?}");
        }
    }

    #[test]
    fn a_broken_source_ends_the_search() {
        let (owner, mut draws) = (OwnerId::new("https://id.example", "alice").unwrap(), 0);
        Placement::Shards(16).draw(&owner, |()| CredentialDigest::from_bytes([0; 32]), || draws += 1);
        assert_eq!(draws, 16 * DRAWS_FOR_EACH);
    }
}
