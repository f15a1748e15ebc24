use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::session_secret::random_text;
use crate::ports::Entropy;

/// The unique secrets of one sign-in at the identity provider: three times 256 random bits in base64url.
pub struct SignInSecrets {
    /// Returns with the answer of the provider, and shows that this browser began the sign-in.
    pub state: Zeroizing<String>,
    /// Returns in the ID token, and shows that the token was made for this sign-in.
    pub nonce: Zeroizing<String>,
    /// Proves to the provider that the code comes from the client that asked for it (PKCE, RFC 7636).
    pub code_verifier: Zeroizing<String>,
}

impl SignInSecrets {
    /// Draws the secrets of a new sign-in.
    pub fn draw(entropy: &dyn Entropy) -> Self {
        let [state, nonce, code_verifier] = [(), (), ()].map(|()| random_text(entropy));
        Self { state, nonce, code_verifier }
    }

    /// The SHA-256 of the verifier (`S256`).
    pub fn code_challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.code_verifier.as_bytes()))
    }

    /// Whether an answer with this state is the answer to this sign-in. Without the state, the answer may be another
    /// person's, and would sign this browser in to that person's account.
    pub fn has_state(&self, state: &str) -> bool {
        state.as_bytes().ct_eq(self.state.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    #[test]
    fn they_differ_and_the_challenge_is_s256() {
        let SignInSecrets { state, nonce, code_verifier } = SignInSecrets::draw(&SeededEntropy::new(1));
        assert!(state != nonce && nonce != code_verifier && state != code_verifier);
        assert!([&state, &nonce, &code_verifier].iter().all(|secret| secret.len() == 43));
        // The example of RFC 7636, appendix B.
        let code_verifier = Zeroizing::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        let example = SignInSecrets { state, nonce, code_verifier };
        assert_eq!(example.code_challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!(example.has_state(&example.state) && !example.has_state("") && !example.has_state(&example.nonce));
    }
}
