use std::fmt;
use std::sync::Arc;

/// The scopes that a key has or that a request needs. Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Scopes(Arc<str>);

impl Scopes {
    /// Parses scopes separated by spaces, as in RFC 6749.
    pub fn parse(text: &str) -> Self {
        Self(text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").into())
    }

    /// The scopes one by one.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(' ')
    }

    /// Whether these scopes include all of `required`. No scope implies another.
    pub fn covers(&self, required: &Self) -> bool {
        required.iter().all(|scope| self.iter().any(|held| held == scope))
    }

    /// The scopes for a quoted string in a header, without characters that would end it. No key has a scope with such
    /// characters.
    pub(super) fn in_quotes(&self) -> String {
        self.0.chars().filter(|character| matches!(character, ' '..='~') && !['"', '\\'].contains(character)).collect()
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_what_it_names_and_nothing_else() {
        for (held, required, covers) in [
            ("", "", true),
            ("a", "", true),
            ("a b", "b", true),
            ("a b", " b\ta ", true),
            ("", "a", false),
            ("a", "a b", false),
            ("ab", "a", false),
            ("a:*", "a:b", false),
            ("A", "a", false),
        ] {
            assert_eq!(Scopes::parse(held).covers(&Scopes::parse(required)), covers, "{held:?} {required:?}");
        }
    }

    #[test]
    fn no_header_breaks_out_of_its_quotes() {
        assert_eq!(Scopes::parse("orders:read a\", x=\"\u{e9}\\").in_quotes(), "orders:read a, x=");
    }
}
