use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The token that opens the operator API. Kept as a SHA-256 digest, so that the token is never printed and a comparison
/// takes the same time for every value.
#[derive(Clone)]
pub struct OperatorToken([u8; 32]);

impl OperatorToken {
    /// Hashes the token.
    pub fn new(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    pub(crate) fn is(&self, presented: &str) -> bool {
        self.0.ct_eq(&Self::new(presented).0).into()
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OperatorToken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_only_itself_and_says_nothing() {
        let token = OperatorToken::new("operator-secret");
        assert!(token.is("operator-secret"));
        for other in ["", "operator-secre", "operator-secret ", "Operator-secret"] {
            assert!(!token.is(other), "{other:?}");
        }
        assert_eq!(format!("{token:?}"), "OperatorToken");
    }
}
