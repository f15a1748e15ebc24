use std::fmt;

use zeroize::Zeroizing;

/// An ID token as a caller presented it: not verified, and a secret. It cannot be printed and is wiped on drop.
#[derive(Clone)]
pub struct IdToken(Zeroizing<String>);

impl IdToken {
    /// Wraps a presented token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(Zeroizing::new(token.into()))
    }

    /// The token itself, for the code that verifies or forwards it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IdToken")
    }
}
