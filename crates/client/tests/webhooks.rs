//! Webhooks as a receiver verifies them, beside `signatures.json` of `clients/conformance`: secrets, and the reference
//! library.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop a test as tests do")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_client::webhooks::{Headers, InvalidSigningSecret, Refused, SigningSecret};
use proptest::prelude::*;
use standardwebhooks::Webhook;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn at(unix_seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(unix_seconds)
}

fn secret() -> SigningSecret {
    SigningSecret::parse(SECRET).unwrap()
}

#[test]
fn a_time_at_the_end_of_the_range_is_too_new() {
    let headers = Headers { id: "msg_1", timestamp: "18446744073709551615", signature: "v1,AAAA" };
    assert_eq!(secret().verify(&headers, b"{}", at(1_614_265_330)), Err(Refused::TooNew));
}

#[test]
fn a_header_that_is_missing_is_named() {
    for missing in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let headers = Headers::read(|name| (name != missing).then_some("1"));
        assert_eq!(headers.unwrap_err(), Refused::MissingHeader(missing));
    }
}

#[test]
fn a_secret_is_taken_as_gatepost_takes_it_and_does_not_print() {
    let base64_of = |bytes: usize| format!("whsec_{}", "AAAA".repeat(bytes / 3));
    for good in [SECRET.to_owned(), "s".to_owned(), "é".repeat(256), base64_of(24), base64_of(63)] {
        assert!(SigningSecret::parse(&good).is_ok(), "{good}");
    }
    for (wrong, why) in [
        (String::new(), InvalidSigningSecret::Length),
        ("s".repeat(257), InvalidSigningSecret::Length),
        ("whsec_".to_owned(), InvalidSigningSecret::Key),
        ("whsec_ !".to_owned(), InvalidSigningSecret::Key),
        (base64_of(21), InvalidSigningSecret::Key),
        (base64_of(66), InvalidSigningSecret::Key),
    ] {
        assert_eq!(SigningSecret::parse(&wrong).unwrap_err(), why, "{wrong}");
    }
    assert_eq!(format!("{:?}", secret()), "SigningSecret");
}

proptest! {
    /// A signature of the reference library verifies, and does not after any change.
    #[test]
    fn agrees_with_the_reference_library(
        key in prop::collection::vec(any::<u8>(), 24..=64),
        is_text in any::<bool>(),
        id in "[!-~]{1,40}",
        body in ".{0,200}",
        seconds in 0..=4_000_000_000_u64,
    ) {
        let encoded = format!("whsec_{}", STANDARD.encode(&key));
        let text = format!("text-{}", STANDARD.encode(&key));
        let (theirs, ours) =
            if is_text { (Webhook::from_bytes(text.clone().into_bytes()), text) } else { (Webhook::new(&encoded), encoded) };
        let ours = SigningSecret::parse(&ours)?;
        let signature = theirs.unwrap().sign(&id, i64::try_from(seconds)?, body.as_bytes()).unwrap();
        let timestamp = seconds.to_string();
        let headers = Headers { id: &id, timestamp: &timestamp, signature: &signature };
        prop_assert_eq!(ours.verify(&headers, body.as_bytes(), at(seconds)), Ok(()));
        let (changed_body, changed_id) = (format!("{body} "), format!("{id} "));
        let wrong = Err(Refused::WrongSignature);
        prop_assert_eq!(ours.verify(&headers, changed_body.as_bytes(), at(seconds)), wrong);
        prop_assert_eq!(ours.verify(&Headers { id: &changed_id, ..headers }, body.as_bytes(), at(seconds)), wrong);
    }
}
