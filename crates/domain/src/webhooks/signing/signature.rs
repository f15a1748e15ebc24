use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::signing_secret::SigningSecret;
use crate::Timestamp;

/// The three headers by which a receiver verifies a webhook (Standard Webhooks 1.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHeaders {
    /// `webhook-id`: the event's id, the same at every attempt.
    pub id: String,
    /// `webhook-timestamp`: the attempt's time in whole Unix seconds.
    pub timestamp: String,
    /// `webhook-signature`: `v1,<base64>` for each secret, separated by spaces.
    pub signature: String,
}

/// Signs `body` as the message `id` sent at `at`: HMAC-SHA256 over `id.timestamp.body`, once with each secret.
///
/// During a rotation there are two secrets, newest first. A receiver accepts a webhook if one of its signatures is
/// right.
pub fn sign(secrets: &[SigningSecret], id: &str, at: Timestamp, body: &[u8]) -> SignatureHeaders {
    let timestamp = at.unix_millis().div_euclid(1_000).to_string();
    let signatures: Vec<String> = secrets.iter().map(|secret| signature(secret, [id, &timestamp], body)).collect();
    SignatureHeaders { id: id.to_owned(), timestamp, signature: signatures.join(" ") }
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
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn at(unix_millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(unix_millis).unwrap()
    }

    fn secrets(texts: &[&str]) -> Vec<SigningSecret> {
        texts.iter().map(|text| SigningSecret::parse(text).unwrap()).collect()
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
