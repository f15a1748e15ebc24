use std::fmt;

use zeroize::Zeroizing;

/// The replacement for a secret in any output.
pub(crate) const MASK: &str = "***";

/// A string that cannot be printed and is wiped on drop.
#[derive(Clone)]
pub(crate) struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a secret.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The secret itself.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}
