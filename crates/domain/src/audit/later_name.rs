use std::fmt;

/// A name in the audit log that this version does not know: a later version has written it, for example during an upgrade.
/// 1 to [`LaterName::LENGTH_MAX`] visible ASCII characters. See decision 100.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaterName {
    /// Zeros follow the name.
    bytes: [u8; Self::LENGTH_MAX],
}

impl LaterName {
    /// The longest name, in bytes.
    pub const LENGTH_MAX: usize = 64;

    /// The name; `None` if `text` is not valid.
    pub fn new(text: &str) -> Option<Self> {
        let is_valid = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        let mut bytes = [0; Self::LENGTH_MAX];
        bytes.get_mut(..text.len()).filter(|_| is_valid)?.copy_from_slice(text.as_bytes());
        Some(Self { bytes })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        let length = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(Self::LENGTH_MAX);
        std::str::from_utf8(&self.bytes[..length]).unwrap_or_default()
    }
}

impl fmt::Debug for LaterName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

/// Declares an enum of the audit log whose values have a name each. A row of the table is a value and its name. One
/// more value holds a name of a later version.
macro_rules! named_or_later {
    (
        $(#[$about:meta])*
        pub enum $kind:ident {
            $($(#[$about_value:meta])* $value:ident = $text:literal,)*
        }
    ) => {
        $(#[$about])*
        pub enum $kind {
            $($(#[$about_value])* $value,)*
            /// A value of a later version.
            Later(LaterName),
        }

        impl $kind {
            /// Every value of this version.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$value),*];

            /// The name that the API and the stores use.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$value => $text,)*
                    Self::Later(name) => name.as_str(),
                }
            }

            /// The value with this name; `None` if this version does not know the name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }

            /// The value that a store has under this name; `None` if no version writes such a name.
            pub fn of_stored(name: &str) -> Option<Self> {
                Self::parse(name).or_else(|| LaterName::new(name).map(Self::Later))
            }
        }
    };
}

pub(super) use named_or_later;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_it_was_made_of() {
        let longest = "x".repeat(LaterName::LENGTH_MAX);
        for text in ["a", "key.archived", &longest] {
            assert_eq!(LaterName::new(text).unwrap().as_str(), text);
        }
        for wrong in ["", "key archived", "é", "a\0", &format!("{longest}x")] {
            assert_eq!(LaterName::new(wrong), None, "{wrong:?}");
        }
    }
}
