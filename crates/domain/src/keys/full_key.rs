use std::fmt;

use zeroize::Zeroizing;

use crate::ports::Entropy;
use crate::{CredentialDigest, KeyPolicy, OwnerId, Placement};

/// The digits of body and check, in the order of their values.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 32 characters, each one of 62: 190 bits.
const BODY_LENGTH: usize = 32;
/// Six digits hold any CRC-32: 62^6 is above 2^32.
const CHECK_LENGTH: usize = 6;

/// A whole API key, `<prefix><body><check>`: the secret that its owner sees once.
///
/// It has no `Display`, and its memory is cleared on drop. `body` is 32 random characters of base 62, without modulo
/// bias. `check` is the CRC-32 of prefix and body: with it, scanners and clients find mistyped keys offline
/// ([`has_valid_check`]).
pub struct FullKey(Zeroizing<String>);

impl FullKey {
    /// A new random key with the policy's prefix.
    pub fn generate(policy: &KeyPolicy, entropy: &dyn Entropy) -> Self {
        let prefix = policy.prefix();
        let mut key = Zeroizing::new(String::with_capacity(prefix.len() + BODY_LENGTH + CHECK_LENGTH));
        key.push_str(prefix);
        push_body(&mut key, entropy);
        let check = check_characters(&key);
        key.push_str(&check);
        Self(key)
    }

    /// The same for a key of this owner.
    pub fn generate_for(owner: &OwnerId, placement: Placement, policy: &KeyPolicy, entropy: &dyn Entropy) -> Self {
        placement.draw(owner, Self::digest, || Self::generate(policy, entropy))
    }

    /// The key in clear. Only the answer to its creation shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The form in which stores keep the key.
    pub fn digest(&self) -> CredentialDigest {
        CredentialDigest::of(&self.0)
    }

    /// The start of the key and an ellipsis, as lists show it: `svc_live_a1B...`.
    pub fn preview(&self, policy: &KeyPolicy) -> String {
        format!("{}...", &self.0[..policy.preview_length()])
    }
}

impl fmt::Debug for FullKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FullKey")
    }
}

/// Whether the last six characters of `full_key` are the check of the characters before them. This finds typing errors
/// and does not prove that the key exists.
pub fn has_valid_check(full_key: &str) -> bool {
    let Some(split) = full_key.len().checked_sub(CHECK_LENGTH).filter(|split| *split > 0) else {
        return false;
    };
    match full_key.split_at_checked(split) {
        Some((start, check)) => check_characters(start) == check,
        None => false,
    }
}

/// Whether `presented` has the prefix, the length and the characters of a new key, and a wrong check: such a key is
/// mistyped or made up, and no store has it. Always `false` for keys of another form, such as keys with an earlier
/// prefix.
pub fn is_mistyped(presented: &str, policy: &KeyPolicy) -> bool {
    let has_form = presented.strip_prefix(policy.prefix()).is_some_and(|rest| {
        rest.len() == BODY_LENGTH + CHECK_LENGTH && rest.bytes().all(|digit| digit.is_ascii_alphanumeric())
    });
    has_form && !has_valid_check(presented)
}

/// Takes six random bits at a time and discards the values 62 and 63, so that every character is equally likely.
fn push_body(key: &mut String, entropy: &dyn Entropy) {
    let end = key.len() + BODY_LENGTH;
    let mut random = Zeroizing::new([0_u8; 48]);
    while key.len() < end {
        entropy.fill(random.as_mut());
        let drawn = random.iter().filter_map(|byte| BASE62.get(usize::from(byte & 0b11_1111)));
        key.extend(drawn.take(end - key.len()).map(|digit| char::from(*digit)));
    }
}

fn check_characters(start: &str) -> String {
    let mut rest = crc32fast::hash(start.as_bytes()) as usize;
    let mut check = [b'0'; CHECK_LENGTH];
    for digit in check.iter_mut().rev() {
        *digit = BASE62[rest % BASE62.len()];
        rest /= BASE62.len();
    }
    check.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::memory::SeededEntropy;
    use crate::{Home, KeyPolicySettings};

    const EXAMPLE: &str = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O";

    #[test]
    fn check_matches_the_published_example() {
        assert_eq!(check_characters("svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV"), "0l3Q8O");
        assert!(has_valid_check(EXAMPLE));
        for wrong in ["", "0l3Q8O", "é", "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUW0l3Q8O", "aéééé"] {
            assert!(!has_valid_check(wrong), "{wrong}");
        }
    }

    #[test]
    fn only_a_wrong_check_in_a_key_of_our_form_is_mistyped() {
        let with_prefix = |prefix: &str| {
            KeyPolicy::new(KeyPolicySettings {
                prefix: prefix.into(),
                preview_length: 2,
                ..KeyPolicySettings::default()
            })
        };
        let wrong = EXAMPLE.replace("0l3Q8O", "0l3Q8P");
        let cases = [
            (wrong.clone(), true),
            (EXAMPLE.replace("UV0l", "UW0l"), true),
            (EXAMPLE.to_owned(), false),
            (wrong.replace("live", "test"), false),
            (wrong[..wrong.len() - 1].to_owned(), false),
            (format!("{wrong}x"), false),
            (wrong.replace("0123", "01-3"), false),
            (wrong.replace("0123", "é23"), false),
            (String::new(), false),
        ];
        for (presented, expected) in cases {
            assert_eq!(is_mistyped(&presented, &KeyPolicy::default()), expected, "{presented}");
        }
        assert!(!is_mistyped(&wrong, &with_prefix("svc_").unwrap()), "a key with another prefix is longer or shorter");
    }

    #[test]
    fn digest_is_sha_256_of_the_whole_string() {
        // printf %s svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O | sha256sum
        let expected = "0xf5e0fc644d63645306c54bd0cf9865a510f926a297e3875102bdeb3c2929379d";
        let hex = CredentialDigest::of(EXAMPLE)
            .as_bytes()
            .iter()
            .fold("0x".to_owned(), |hex, byte| hex + &format!("{byte:02x}"));
        assert_eq!(hex, expected);
    }

    #[test]
    fn a_generated_key_has_its_parts() {
        let policy = KeyPolicy::default();
        let key = FullKey::generate(&policy, &SeededEntropy::new(7));
        assert_eq!(key.expose().len(), 9 + 32 + 6);
        assert!(key.expose().starts_with("svc_live_"));
        assert!(has_valid_check(key.expose()));
        assert_eq!(key.preview(&policy), format!("{}...", &key.expose()[..12]));
        assert_eq!(CredentialDigest::of_presented(key.expose()), Some(key.digest()));
    }

    #[test]
    fn the_digest_of_a_key_names_the_store_of_its_owner() {
        let (policy, entropy) = (KeyPolicy::default(), SeededEntropy::new(11));
        for shards in [2, 3, 16, 256] {
            for owner in (0..40).map(|n| OwnerId::new("https://id.example", format!("user-{n}")).unwrap()) {
                let key = FullKey::generate_for(&owner, Placement::Shards(shards), &policy, &entropy);
                let shard = |home: Home| home.shard(shards.into());
                assert_eq!(shard(Home::of_digest(&key.digest())), shard(Home::of(&owner)), "{shards}");
            }
        }
    }

    /// Also the keys of one store of several: only their digests name the store.
    #[test]
    fn every_character_is_equally_likely() {
        let (policy, entropy) = (KeyPolicy::default(), SeededEntropy::new(3));
        let owner = OwnerId::new("https://id.example", "alice").unwrap();
        are_equally_likely(|| FullKey::generate(&policy, &entropy));
        are_equally_likely(|| FullKey::generate_for(&owner, Placement::Shards(16), &policy, &entropy));
    }

    fn are_equally_likely(draw: impl Fn() -> FullKey) {
        let mut counts: HashMap<char, u32> = HashMap::new();
        for _ in 0..10_000 {
            for character in draw().expose()[9..41].chars() {
                *counts.entry(character).or_default() += 1;
            }
        }
        assert_eq!(counts.len(), 62);
        let expected = 320_000.0 / 62.0;
        let chi_squared: f64 = counts.values().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
        // 61 degrees of freedom: above 110 in one of 8,000 draws; a modulo bias gives thousands.
        assert!(chi_squared < 110.0, "{chi_squared}");
    }

    #[test]
    fn secrets_do_not_print() {
        let key = FullKey::generate(&KeyPolicy::default(), &SeededEntropy::new(7));
        assert_eq!(format!("{key:?} {:?}", key.digest()), "FullKey CredentialDigest");
    }

    #[test]
    fn implausible_keys_are_not_hashed() {
        for wrong in [String::new(), "a".repeat(513), "a b".into(), "a\u{e9}".into(), "a\0".into()] {
            assert!(CredentialDigest::of_presented(&wrong).is_none(), "{wrong:?}");
        }
        assert!(CredentialDigest::of_presented(&"a".repeat(512)).is_some());
    }
}
