//! Enums whose values have names, each as one table.

/// Declares an enum whose values have a name each. A row of the table is a value and its name: the list of all values,
/// the name of a value and the value with a name follow from the rows. The first line of the table names the two
/// functions.
///
/// The names are stable, because the API or the stores use them.
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $kind:ident: $name:ident, $parse:ident {
            $($(#[$about_value:meta])* $value:ident = $text:literal,)*
        }
    ) => {
        $(#[$about])*
        pub enum $kind {
            $($(#[$about_value])* $value,)*
        }

        impl $kind {
            /// Every value.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$value),*];

            /// The name of the value, for the API or the stores.
            pub const fn $name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }

            /// The value with this name; `None` if there is none.
            pub fn $parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.$name() == name)
            }
        }
    };
}

pub(crate) use named;
