use std::fmt;

/// Why a string is not a scope, or not a list of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidScope {
    /// A scope is empty, is too long, or contains a character that is not allowed.
    #[error("must be scopes of 1 to {} visible ASCII characters other than \" and \\", Scope::LENGTH_MAX)]
    Malformed,
    /// There are more than [`Scopes::COUNT_MAX`] different scopes.
    #[error("must be at most {} scopes", Scopes::COUNT_MAX)]
    TooMany,
}

/// A permission of a key, defined by the host application: a `scope-token` of RFC 6749, section 3.3.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(String);

impl Scope {
    /// The longest scope, in characters.
    pub const LENGTH_MAX: usize = 64;
    /// The strings that [`Scope::parse`] accepts, apart from their length.
    pub const PATTERN: &str = r"^[!#-\[\]-~]+$";

    /// Checks `text` and keeps it unchanged.
    ///
    /// # Errors
    ///
    /// If the string is empty, is too long, or contains characters other than `%x21 / %x23-5B / %x5D-7E`.
    pub fn parse(text: &str) -> Result<Self, InvalidScope> {
        let fits = (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_scope_character);
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidScope::Malformed) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A set of scopes. As a string it has the form of RFC 6749: sorted, each scope once, one space between two scopes.
///
/// The set is kept as that string, so that an answer needs no formatting and a check no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(String);

impl Scopes {
    /// The most scopes of one key. This limits the header that gateways receive to 2,079 characters.
    pub const COUNT_MAX: usize = 32;

    /// The set of these scopes. Order and repetitions do not matter.
    ///
    /// # Errors
    ///
    /// If there are more than [`Scopes::COUNT_MAX`] different scopes.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Result<Self, InvalidScope> {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.len() > Self::COUNT_MAX {
            return Err(InvalidScope::TooMany);
        }
        let texts: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
        Ok(Self(texts.join(" ")))
    }

    /// Parses scopes that are separated by single spaces. The empty string is the empty set.
    ///
    /// # Errors
    ///
    /// If one of the scopes is not valid, or there are too many.
    pub fn parse(text: &str) -> Result<Self, InvalidScope> {
        let scopes: Result<Vec<Scope>, InvalidScope> = text.split_terminator(' ').map(Scope::parse).collect();
        Self::new(scopes?)
    }

    /// The scopes, sorted and separated by spaces; empty for the empty set.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scopes, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(' ')
    }

    /// Whether the set contains all of `required`. A scope implies no other scope. A key without scopes covers only an
    /// empty `required`: the absence of a scope is never a permission.
    pub fn covers(&self, required: &Self) -> bool {
        required.iter().all(|scope| self.iter().any(|held| held == scope))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn is_scope_character(byte: u8) -> bool {
    matches!(byte, 0x21 | 0x23..=0x5B | 0x5D..=0x7E)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn scopes(text: &str) -> Scopes {
        Scopes::parse(text).unwrap()
    }

    #[test]
    fn takes_exactly_the_characters_of_rfc_6749() {
        for character in (0..=u8::MAX).map(char::from) {
            let allowed = character.is_ascii_graphic() && character != '"' && character != '\\';
            assert_eq!(Scope::parse(&character.to_string()).is_ok(), allowed, "{character:?}");
        }
        assert!(Scope::parse(&"a".repeat(64)).is_ok());
        assert_eq!(Scope::parse(&"a".repeat(65)), Err(InvalidScope::Malformed));
        assert_eq!(Scope::parse(""), Err(InvalidScope::Malformed));
    }

    #[test]
    fn is_sorted_and_bounded_and_has_each_once() {
        assert_eq!(scopes("b a b").as_str(), "a b");
        assert!(scopes("").is_empty());
        assert_eq!(scopes("").iter().count(), 0);
        for wrong in [" a", "a  b", " ", "a\tb", "a\nb"] {
            assert_eq!(Scopes::parse(wrong), Err(InvalidScope::Malformed), "{wrong:?}");
        }
        let many = |count: usize| (0..count).map(|n| format!("s{n}")).collect::<Vec<_>>().join(" ");
        assert!(Scopes::parse(&many(32)).is_ok());
        assert_eq!(Scopes::parse(&many(33)), Err(InvalidScope::TooMany));
        assert!(Scopes::parse(&"a ".repeat(1_000)).is_ok(), "repetitions do not count");
    }

    #[test]
    fn covers_whole_scopes_only() {
        let held = scopes("orders:read orders:write");
        assert!(held.covers(&scopes("")));
        assert!(held.covers(&scopes("orders:read")));
        assert!(held.covers(&held));
        for missing in ["orders", "orders:rea", "orders:read orders:delete", "ORDERS:READ"] {
            assert!(!held.covers(&scopes(missing)), "{missing}");
        }
        assert!(!Scopes::default().covers(&scopes("orders:read")));
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(held in "[ab]{1,2}( [ab]{1,2}){0,5}", required in "[ab]{1,2}( [ab]{1,2}){0,3}") {
            let set = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
            prop_assert_eq!(scopes(&held).covers(&scopes(&required)), set(&required).is_subset(&set(&held)));
            prop_assert_eq!(scopes(scopes(&held).as_str()), scopes(&held));
        }
    }
}
