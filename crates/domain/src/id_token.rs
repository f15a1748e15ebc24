use std::fmt;

use zeroize::Zeroizing;

/// An ID token as the caller sent it, not verified. It is a secret: it has no `Display`, and its memory is cleared on
/// drop.
#[derive(Clone)]
pub struct IdToken(Zeroizing<String>);

impl IdToken {
    /// Keeps a copy of the token. Any string is accepted.
    pub fn new(token: impl Into<String>) -> Self {
        Self(Zeroizing::new(token.into()))
    }

    /// The token itself. Only the code that verifies or forwards it calls this.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IdToken")
    }
}
