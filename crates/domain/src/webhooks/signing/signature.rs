use std::cell::LazyCell;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::key_pair::SigningKeyPair;
use super::signer::Signer;
use super::signing_secret::SigningSecret;
use crate::Timestamp;

/// The three headers by which a receiver verifies a webhook (Standard Webhooks 1.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHeaders {
    /// `webhook-id`: the event's id, the same at every attempt.
    pub id: String,
    /// `webhook-timestamp`: the attempt's time in whole Unix seconds.
    pub timestamp: String,
    /// `webhook-signature`: `v1,<base64>` for each secret and `v1a,<base64>` for each key pair, separated by spaces.
    pub signature: String,
}

/// Signs `body` as the message `id` sent at `at`: HMAC-SHA256 over `id.timestamp.body` with each secret, and Ed25519
/// over the same with each key pair.
///
/// During a rotation there are two signers, newest first. A receiver accepts a webhook if one of its signatures is
/// right.
pub fn sign(signers: &[Signer], id: &str, at: Timestamp, body: &[u8]) -> SignatureHeaders {
    let timestamp = at.unix_millis().div_euclid(1_000).to_string();
    // In one piece, because Ed25519 reads the message twice.
    let message = LazyCell::new(|| [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat());
    let by_pair = |pair: &SigningKeyPair| format!("v1a,{}", pair.sign(&message));
    let by_secret = |secret: &SigningSecret| signature(secret, [id, &timestamp], body);
    let by_signer = |signer: &Signer| [signer.secret().map(by_secret), signer.key_pair().map(by_pair)];
    let signatures: Vec<String> = signers.iter().flat_map(by_signer).flatten().collect();
    let signature = signatures.join(" ");
    SignatureHeaders { id: id.to_owned(), timestamp, signature }
}

fn signature(secret: &SigningSecret, [id, timestamp]: [&str; 2], body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.key()).expect("HMAC takes a key of any length");
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        mac.update(part);
    }
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::test_samples::at;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn secrets(texts: &[&str]) -> Vec<Signer> {
        texts.iter().map(|text| SigningSecret::parse(text).unwrap().into()).collect()
    }

    #[test]
    fn gives_the_check_value_of_standard_webhooks() {
        let headers = sign(&secrets(&[SECRET]), ID, at(1_614_265_330_000), BODY);
        let expected = SignatureHeaders { id: ID.into(), timestamp: "1614265330".into(), signature: SIGNATURE.into() };
        assert_eq!(headers, expected);
    }

    #[test]
    fn the_timestamp_is_in_whole_seconds() {
        assert_eq!(sign(&secrets(&[SECRET]), ID, at(1_614_265_330_999), BODY).signature, SIGNATURE);
        assert_ne!(sign(&secrets(&[SECRET]), ID, at(1_614_265_331_000), BODY).signature, SIGNATURE);
    }

    /// The vector of `clients/conformance/signatures.json`: OpenSSL, by `node` and by Python's `cryptography`, gives the
    /// same signature with a private key of 32 bytes 1.
    #[test]
    fn key_pairs_make_signatures_v1a() {
        let signature_a =
            "v1a,Ykcu7AtGZGmZxFEH1Gaa2Nd7feY/CTuruoL4fqgnKwfbHU4DhemoVHZdvGfIvKvn4BIgwktLGGPGIr/i9nK7AA==";
        let pair = |byte| SigningKeyPair::of_seed(Zeroizing::new([byte; 32]));
        let secret = || SigningSecret::parse(SECRET).unwrap();
        assert_eq!(pair(1).public_key().to_string(), "whpk_iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=");
        let signed = |signers: &[Signer]| sign(signers, ID, at(1_614_265_330_000), BODY).signature;
        assert_eq!(signed(&[Signer::Ed25519(pair(1))]), signature_a);
        let both = Signer::Both(secret(), pair(1));
        assert_eq!(signed(std::slice::from_ref(&both)), format!("{SIGNATURE} {signature_a}"));
        let other = signed(&[Signer::Ed25519(pair(2))]);
        assert_ne!(other, signature_a);
        let rotated = [Signer::Ed25519(pair(2)), both, Signer::Hmac(secret())];
        assert_eq!(signed(&rotated), format!("{other} {SIGNATURE} {signature_a} {SIGNATURE}"));
    }

    #[test]
    fn each_secret_of_a_rotation_signs() {
        let both = sign(&secrets(&["swordfish", SECRET]), ID, at(1_614_265_330_000), BODY).signature;
        let alone = sign(&secrets(&["swordfish"]), ID, at(1_614_265_330_000), BODY).signature;
        assert_eq!(both, format!("{alone} {SIGNATURE}"));
        // printf %s 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}' | openssl dgst -sha256 -hmac
        // swordfish -binary | base64
        assert_eq!(alone, "v1,xly1exV24RDjeiaGR1Hxe8G5nea9393oItkkuvjTq+Y=");
    }
}
