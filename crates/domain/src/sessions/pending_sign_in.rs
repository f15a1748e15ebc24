use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::return_path::ReturnPath;
use super::sign_in_secrets::SignInSecrets;
use crate::ports::Entropy;
use crate::{CredentialDigest, SealingKeys, Timestamp};

/// How long a person may take at the identity provider: ten minutes.
pub const SIGN_IN_MAX: Duration = Duration::from_mins(10);
/// The purpose is used for this only.
const PURPOSE: &[u8] = b"sign-in";

/// The state of a sign-in, which a browser keeps while its user is at the identity provider. It is sealed, so that the
/// browser can neither read nor change it, and any instance with the same keys can finish it.
pub(super) struct PendingSignIn {
    began_at: Timestamp,
    pub(super) secrets: SignInSecrets,
    pub(super) next: ReturnPath,
    /// The session that the browser had when it began. It ends when the browser gets another one.
    pub(super) replaced: Option<CredentialDigest>,
}

impl PendingSignIn {
    pub(super) fn begin(
        next: ReturnPath,
        replaced: Option<CredentialDigest>,
        began_at: Timestamp,
        entropy: &dyn Entropy,
    ) -> Self {
        Self { began_at, secrets: SignInSecrets::draw(entropy), next, replaced }
    }

    /// The value of the cookie.
    pub(super) fn seal(&self, keys: &SealingKeys, entropy: &dyn Entropy) -> String {
        let Self { began_at, secrets: SignInSecrets { state, nonce, code_verifier }, next, replaced } = self;
        let began_at = began_at.unix_millis().to_string();
        let replaced = replaced.map(|digest| URL_SAFE_NO_PAD.encode(digest.as_bytes())).unwrap_or_default();
        let parts = [&began_at, state.as_str(), nonce.as_str(), code_verifier.as_str(), next.as_str(), &replaced];
        let content = Zeroizing::new(parts.join("\n"));
        URL_SAFE_NO_PAD.encode(keys.seal_bytes(content.as_bytes(), PURPOSE, entropy))
    }

    /// The sign-in in the cookie; `None` if it is not valid, or did not begin in the last [`SIGN_IN_MAX`] before `now`.
    pub(super) fn unseal(cookie: &str, keys: &SealingKeys, now: Timestamp) -> Option<Self> {
        let opened = keys.open_bytes(&URL_SAFE_NO_PAD.decode(cookie).ok()?, PURPOSE)?;
        let mut parts = str::from_utf8(&opened.content).ok()?.split('\n');
        let began_at = Timestamp::from_unix_millis(parts.next()?.parse().ok()?)?;
        let mut secret = || parts.next().map(|text| Zeroizing::new(text.to_owned()));
        let secrets = SignInSecrets { state: secret()?, nonce: secret()?, code_verifier: secret()? };
        let next = ReturnPath::parse(parts.next()?)?;
        let replaced = parts.next().and_then(digest_in);
        (now.since(began_at) < SIGN_IN_MAX).then_some(Self { began_at, secrets, next, replaced })
    }
}

fn digest_in(text: &str) -> Option<CredentialDigest> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    Some(CredentialDigest::from_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;
    use crate::test_samples::{at, sealing_keys};

    fn pending() -> PendingSignIn {
        let replaced = Some(CredentialDigest::from_bytes([9; 32]));
        PendingSignIn::begin(ReturnPath::parse("/console/keys").unwrap(), replaced, at(5), &SeededEntropy::new(1))
    }

    #[test]
    fn comes_back_whole_for_ten_minutes() {
        let (began, entropy) = (pending(), SeededEntropy::new(2));
        let cookie = began.seal(&sealing_keys(&[1]), &entropy);
        let back = PendingSignIn::unseal(&cookie, &sealing_keys(&[1]), at(600_004)).unwrap();
        let (secrets, expected) = (&back.secrets, &began.secrets);
        assert_eq!((&secrets.state, &secrets.nonce), (&expected.state, &expected.nonce));
        assert_eq!((&secrets.code_verifier, &back.next), (&expected.code_verifier, &began.next));
        assert_eq!(back.replaced, began.replaced);
        assert!(PendingSignIn::unseal(&cookie, &sealing_keys(&[1]), at(600_005)).is_none());
        assert!(PendingSignIn::unseal(&cookie, &sealing_keys(&[2]), at(5)).is_none());
        assert_ne!(cookie, began.seal(&sealing_keys(&[1]), &entropy));
    }

    #[test]
    fn nothing_else_is_a_sign_in() {
        let (keys, entropy) = (sealing_keys(&[1]), SeededEntropy::new(3));
        let cookie = pending().seal(&keys, &entropy);
        for index in 0..cookie.len() {
            let mut damaged = cookie.clone().into_bytes();
            damaged[index] = if damaged[index] == b'A' { b'B' } else { b'A' };
            let damaged = String::from_utf8(damaged).unwrap();
            assert!(PendingSignIn::unseal(&damaged, &keys, at(5)).is_none(), "{index}");
        }
        let secrets = "a\nb\nc";
        let good = format!("5\n{secrets}\n/console/");
        let sealed =
            |content: &str, purpose| URL_SAFE_NO_PAD.encode(keys.seal_bytes(content.as_bytes(), purpose, &entropy));
        let without_a_session = PendingSignIn::unseal(&sealed(&good, PURPOSE), &keys, at(5)).unwrap();
        assert_eq!(without_a_session.replaced, None);
        assert!(PendingSignIn::unseal(&sealed(&good, b"another"), &keys, at(5)).is_none());
        for wrong in ["", "5", "x\na\nb\nc\n/console/", &format!("5\n{secrets}"), &format!("5\n{secrets}\n//evil")] {
            assert!(PendingSignIn::unseal(&sealed(wrong, PURPOSE), &keys, at(5)).is_none(), "{wrong:?}");
        }
        for wrong in ["", "x", "AAAA", "é"] {
            assert!(PendingSignIn::unseal(wrong, &keys, at(5)).is_none(), "{wrong:?}");
        }
    }
}
