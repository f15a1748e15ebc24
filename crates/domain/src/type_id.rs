use std::fmt;
use std::str::FromStr;

use crate::ports::Entropy;
use crate::{Home, OwnerId, Placement, Timestamp};

/// Crockford's base 32 in lower case, as the `TypeID` specification 0.3 requires.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 128 bits in digits of 5.
const SUFFIX_LENGTH: usize = 26;

/// The string is not an id of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of this kind")]
pub struct InvalidId;

/// Makes one kind of id. Each kind is a separate type, so that code which mixes two kinds does not compile. See
/// decision 1.
macro_rules! type_id {
    ($(#[$documentation:meta])* $name:ident, $prefix:literal) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// The start of each id of this kind. The other characters are 26 digits of base 32.
            pub const PREFIX: &'static str = $prefix;
            /// The ids of this kind, as a regular expression of JSON Schema.
            pub const PATTERN: &'static str = concat!("^", $prefix, "[0-7][0-9a-hjkmnp-tv-z]{25}$");

            /// A new id: the time `at`, and 74 random bits.
            pub fn mint(at: Timestamp, entropy: &dyn Entropy) -> Self {
                Self(mint(at, entropy))
            }

            /// A new id of something that belongs to this owner.
            pub fn mint_for(owner: &OwnerId, placement: Placement, at: Timestamp, entropy: &dyn Entropy) -> Self {
                let id = mint(at, entropy);
                match placement {
                    Placement::OneStore => Self(id),
                    Placement::Shards(_) => Self(with_home(id, Home::of(owner))),
                }
            }

            /// Not above the id of anything that was made at this time or later, and above all earlier ids.
            pub fn first_at(at: Timestamp) -> Self {
                let unix_millis = u64::try_from(at.unix_millis()).unwrap_or(0);
                let mut bytes = [0; 16];
                bytes[..6].copy_from_slice(&unix_millis.to_be_bytes()[2..]);
                Self(bytes)
            }

            /// The home of the owner, if the id carries it.
            pub fn home(&self) -> Option<Home> {
                home(&self.0)
            }

            /// The id with these 16 bytes, which is how stores keep it.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// The 16 bytes of the UUID.
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        impl AsRef<[u8; 16]> for $name {
            fn as_ref(&self) -> &[u8; 16] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(Self::PREFIX)?;
                formatter.write_str(std::str::from_utf8(&encode(self.0)).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, formatter)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let suffix = text.strip_prefix(Self::PREFIX).ok_or(InvalidId)?;
                decode(suffix).map(Self).ok_or(InvalidId)
            }
        }
    };
}

type_id! {
    /// Identifies an API key: a `TypeID`, `key_` and 26 characters of a `UUIDv7` (a `UUIDv8` with several shards), so that
    /// ids sort by creation.
    KeyId, "key_"
}

type_id! {
    /// Identifies a webhook subscription: a `TypeID`, `sub_` and 26 characters of a `UUIDv7` (a `UUIDv8` with several
    /// shards).
    SubscriptionId, "sub_"
}

type_id! {
    /// Identifies an event: a `TypeID`, `evt_` and 26 characters of a UUIDv7.
    EventId, "evt_"
}

type_id! {
    /// Identifies the delivery of one event to one subscription: a `TypeID`, `dlv_` and 26 characters of a UUIDv7.
    DeliveryId, "dlv_"
}

type_id! {
    /// Identifies a session: a `TypeID`, `ses_` and 26 characters of a `UUIDv7` (a `UUIDv8` with several shards).
    SessionId, "ses_"
}

type_id! {
    /// Identifies an event of the audit log: a `TypeID`, `aud_` and 26 characters of a UUIDv7.
    AuditId, "aud_"
}

fn mint(at: Timestamp, entropy: &dyn Entropy) -> [u8; 16] {
    let mut random = [0; 10];
    entropy.fill(&mut random);
    let unix_millis = u64::try_from(at.unix_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(unix_millis, &random).into_uuid().into_bytes()
}

/// The UUID version for custom bits. A plain id has version 7, so it is never mistaken for one that carries a home.
const WITH_HOME: u8 = 0x80;

/// Puts the home where version 7 has its 12 first random bits: ids still sort by creation.
fn with_home(mut id: [u8; 16], home: Home) -> [u8; 16] {
    let [high, low] = home.number().to_be_bytes();
    id[6] = WITH_HOME | high;
    id[7] = low;
    id
}

fn home(id: &[u8; 16]) -> Option<Home> {
    if id[6] & 0xF0 != WITH_HOME {
        return None;
    }
    Home::from_number(u16::from_be_bytes([id[6] & 0x0F, id[7]]))
}

/// No allocation: the id of a key is in the answer and in the log line of every verification.
fn encode(bytes: [u8; 16]) -> [u8; SUFFIX_LENGTH] {
    let mut rest = u128::from_be_bytes(bytes);
    let mut digits = [0; SUFFIX_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(rest & 31) as usize];
        rest >>= 5;
    }
    digits
}

fn decode(suffix: &str) -> Option<[u8; 16]> {
    // The first digit has 3 bits: a number that begins with a digit above 7 does not fit into 128 bits.
    if suffix.len() != SUFFIX_LENGTH || suffix.as_bytes()[0] > b'7' {
        return None;
    }
    let mut number = 0_u128;
    for byte in suffix.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == byte)?;
        number = (number << 5) | digit as u128;
    }
    Some(number.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    #[test]
    fn matches_the_vectors_of_the_typeid_specification() {
        let vectors = [
            (0, "00000000000000000000000000"),
            (1, "00000000000000000000000001"),
            (31, "0000000000000000000000000z"),
            (32, "00000000000000000000000010"),
            (u128::MAX, "7zzzzzzzzzzzzzzzzzzzzzzzzz"),
            (0x0110_c853_1d09_52d8_d73e_1194_e95b_5f19, "0123456789abcdefghjkmnpqrs"),
            (0x0189_0a5d_ac96_774b_bcce_b302_099a_8057, "01h455vb4pex5vsknk084sn02q"),
        ];
        for (number, suffix) in vectors {
            let id = KeyId::from_bytes(u128::to_be_bytes(number));
            assert_eq!(id.to_string(), format!("key_{suffix}"));
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn refuses_what_is_no_id() {
        for wrong in [
            "",
            "key_",
            "key",
            "sub_01h455vb4pex5vsknk084sn02q",
            "01h455vb4pex5vsknk084sn02q",
            "key_8zzzzzzzzzzzzzzzzzzzzzzzzz",
            "key_01H455VB4PEX5VSKNK084SN02Q",
            "key_01h455vb4pex5vsknk084sn02",
            "key_01h455vb4pex5vsknk084sn02qq",
            "key_01h455vb4pex5vsknk084sn02u",
            "key_01h455vb4pex5vsknk084sn0é",
        ] {
            assert_eq!(wrong.parse::<KeyId>(), Err(InvalidId), "{wrong}");
        }
    }

    #[test]
    fn each_kind_reads_its_own_prefix_alone() {
        let suffix = "01h455vb4pex5vsknk084sn02q";
        let kinds = |text: &str| {
            [
                text.parse::<KeyId>().is_ok(),
                text.parse::<SubscriptionId>().is_ok(),
                text.parse::<EventId>().is_ok(),
                text.parse::<DeliveryId>().is_ok(),
                text.parse::<SessionId>().is_ok(),
                text.parse::<AuditId>().is_ok(),
            ]
        };
        assert_eq!(kinds(&format!("key_{suffix}")), [true, false, false, false, false, false]);
        assert_eq!(kinds(&format!("sub_{suffix}")), [false, true, false, false, false, false]);
        assert_eq!(kinds(&format!("evt_{suffix}")), [false, false, true, false, false, false]);
        assert_eq!(kinds(&format!("dlv_{suffix}")), [false, false, false, true, false, false]);
        assert_eq!(kinds(&format!("ses_{suffix}")), [false, false, false, false, true, false]);
        assert_eq!(kinds(&format!("aud_{suffix}")), [false, false, false, false, false, true]);
    }

    #[test]
    fn only_ids_with_a_home_carry_one() {
        let entropy = SeededEntropy::new(1);
        for n in 0..1_000 {
            let owner = OwnerId::new("https://id.example", format!("user-{n}")).unwrap();
            let at = Timestamp::from_unix_millis(1_795_225_323_120 + n).unwrap();
            let mint = |placement| KeyId::mint_for(&owner, placement, at, &entropy);
            assert_eq!(mint(Placement::Shards(16)).home(), Some(Home::of(&owner)));
            assert_eq!((mint(Placement::OneStore).home(), KeyId::mint(at, &entropy).home()), (None, None));
            assert!(mint(Placement::Shards(16)) < KeyId::mint(at.plus(std::time::Duration::from_millis(1)), &entropy));
        }
    }

    #[test]
    fn ids_sort_by_creation() {
        let entropy = SeededEntropy::new(1);
        let ids: Vec<KeyId> = (0..100)
            .map(|millis| KeyId::mint(Timestamp::from_unix_millis(1_795_225_323_120 + millis).unwrap(), &entropy))
            .collect();
        assert!(ids.is_sorted());
        assert!(ids.windows(2).all(|pair| pair[0].to_string() < pair[1].to_string()));
    }
}
