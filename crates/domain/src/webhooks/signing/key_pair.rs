use std::fmt;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::ports::Entropy;

/// The prefix of a public key in base64.
const PREFIX: &str = "whpk_";

/// The public key of a [`SigningKeyPair`], by which anybody verifies signatures of version `v1a`. Its text is `whpk_` and
/// the base64 of 32 bytes, as in Standard Webhooks 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; PublicKey::BYTES]);

impl PublicKey {
    pub(super) const BYTES: usize = 32;
    /// The text of a public key.
    pub const PATTERN: &str = "^whpk_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$";

    /// The public key with these bytes, which are not checked.
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes (RFC 8032).
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The member `x` of its JSON Web Key (RFC 8037).
    pub fn x(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The thumbprint of its JSON Web Key (RFC 7638), which names it.
    pub fn thumbprint(&self) -> String {
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.x());
        URL_SAFE_NO_PAD.encode(Sha256::digest(members))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", STANDARD.encode(self.0))
    }
}

/// An Ed25519 key pair that signs webhooks. It has no `Display`, and its memory is cleared on drop.
#[derive(Clone)]
pub struct SigningKeyPair {
    /// The private key of RFC 8032, from which the rest is made.
    seed: Zeroizing<[u8; SigningKeyPair::SEED_BYTES]>,
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKeyPair {
    pub(super) const SEED_BYTES: usize = 32;

    /// A new random key pair.
    ///
    /// # Panics
    ///
    /// Never, because any 32 bytes are a private key.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut seed = Zeroizing::new([0; Self::SEED_BYTES]);
        entropy.fill(&mut *seed);
        Self::of_seed(seed)
    }

    /// The key pair with this private key.
    pub(super) fn of_seed(seed: Zeroizing<[u8; Self::SEED_BYTES]>) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(&*seed).expect("any 32 bytes are a private key");
        let public = pair.public_key().as_ref().try_into().map(PublicKey).expect("a public key has 32 bytes");
        Self { seed, pair, public }
    }

    /// The private key. Only sealing calls this.
    pub(super) fn seed(&self) -> &[u8; Self::SEED_BYTES] {
        &self.seed
    }

    /// The public key.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// The signature of `message`, always the same, in base64.
    pub(super) fn sign(&self, message: &[u8]) -> String {
        STANDARD.encode(self.pair.sign(message))
    }
}

impl fmt::Debug for SigningKeyPair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKeyPair")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    fn bytes<const LENGTH: usize>(hexadecimal: &str) -> [u8; LENGTH] {
        let byte = |n: usize| u8::from_str_radix(&hexadecimal[2 * n..2 * n + 2], 16).unwrap();
        std::array::from_fn(byte)
    }

    /// RFC 8032, 7.1: tests 1, 2, 3 and SHA(abc).
    #[test]
    fn signs_as_the_rfc_says() {
        let abc = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
            2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        for (seed, public, message, signature) in [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
            (
                "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
                "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
                abc,
                "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
            ),
        ] {
            let pair = SigningKeyPair::of_seed(Zeroizing::new(bytes(seed)));
            let message: Vec<u8> = (0..message.len() / 2).map(|n| bytes::<1>(&message[2 * n..])[0]).collect();
            assert_eq!(pair.public_key().as_bytes(), &bytes::<32>(public));
            assert_eq!(pair.sign(&message), STANDARD.encode(bytes::<64>(signature)), "{seed}");
        }
    }

    /// RFC 8037, appendix A: the key of RFC 8032's test 1.
    #[test]
    fn a_public_key_is_text_and_a_json_web_key() {
        let key = PublicKey(bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
        assert_eq!(key.to_string(), "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
        assert_eq!(key.x(), "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn key_pairs_are_drawn_and_do_not_print() {
        let entropy = SeededEntropy::new(5);
        let (one, other) = (SigningKeyPair::generate(&entropy), SigningKeyPair::generate(&entropy));
        assert_ne!(one.public_key(), other.public_key());
        assert_eq!(format!("{one:?}"), "SigningKeyPair");
    }
}
